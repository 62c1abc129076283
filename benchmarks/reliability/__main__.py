"""`python -m benchmarks.reliability PART`: rows for docs/reliability.md.

Everything happens on this machine, in folders that are removed, and ends by itself.
"""

import argparse

from benchmarks.reliability import downloads, faults, files, leak, load


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reliability", description=__doc__)
    parts = parser.add_subparsers(dest="part", required=True)
    broken = parts.add_parser("faults", help="kill, fill, tear and rewind, and see what is lost")
    broken.add_argument("--only", choices=list(faults.FAULTS), help="one kind of fault")
    busy = parts.add_parser("load", help="thirty visitors, ten of them start runs")
    busy.add_argument("--visitors", type=int, default=30)
    busy.add_argument("--runs", type=int, default=10)
    many = parts.add_parser("leak", help="many runs one after another, and what stays behind")
    many.add_argument("--runs", type=int, default=500)
    parts.add_parser("files", help="files made to exhaust whoever reads them")
    taken = parts.add_parser("downloads", help="files fetched while pages are drawn again")
    taken.add_argument("--visitors", type=int, default=10)
    taken.add_argument("--tries", type=int, default=downloads.TRIES)
    options = parser.parse_args()
    if options.part == "faults":
        faults.main(options.only)
    elif options.part == "load":
        load.main(options.visitors, options.runs)
    elif options.part == "leak":
        leak.main(options.runs)
    elif options.part == "downloads":
        downloads.main(options.visitors, options.tries)
    else:
        files.main()


if __name__ == "__main__":
    main()
