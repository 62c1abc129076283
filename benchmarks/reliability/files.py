"""Files made to exhaust whoever reads them: what their owner is told, and what the server pays.

Each is read as an upload is: by a process of its own. `server` is this process, which asks.
"""

import io
import os
import threading
import time
import zipfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd

from antidote_core.datasets.uploads import size_words
from antidote_core.engine.process import isolated_read
from antidote_core.engine.settings import Limits
from antidote_core.errors import DataError
from benchmarks.reliability.processes import children, megabytes, most_megabytes

SMALL = b"age,sex\n" + b"30,f\n40,m\n" * 200
_BOOK = (
    '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets>'
    '<sheet name="a" sheetId="1" r:id="rId1"/>{more}</sheets></workbook>'
)
_SHEET = (
    b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
    b"%s</sheetData></worksheet>"
)
_RELATIONS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="rId{n}" Target="{target}" Type="http://schemas.openxmlformats.org/'
    'officeDocument/2006/relationships/{kind}"/>{more}</Relationships>'
)
_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-'
    'officedocument.spreadsheetml.sheet.main+xml"/>'
    '<Override PartName="/xl/sharedStrings.xml" ContentType="application/vnd.openxmlformats-'
    'officedocument.spreadsheetml.sharedStrings+xml"/></Types>'
)


def _workbook(sheet: bytes = b"", sheets: str = "", strings: bytes = b"") -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("[Content_Types].xml", _TYPES)
        archive.writestr("_rels/.rels", _RELATIONS.format(
            n=1, target="xl/workbook.xml", kind="officeDocument", more=""))  # fmt: skip
        archive.writestr("xl/_rels/workbook.xml.rels", _RELATIONS.format(
            n=1, target="worksheets/a.xml", kind="worksheet", more=""))  # fmt: skip
        archive.writestr("xl/workbook.xml", _BOOK.format(more=sheets))
        archive.writestr("xl/worksheets/a.xml", _SHEET % sheet)
        archive.writestr("xl/sharedStrings.xml", b'<sst xmlns="http://schemas.openxmlformats.org/'
                         b'spreadsheetml/2006/main">' + strings + b"</sst>")  # fmt: skip
    return sink.getvalue()


def _parquet() -> bytes:
    texts = pd.Series(np.arange(400_000) * 7919 % 400_000).map("{:06d}".format)
    sink = io.BytesIO()
    pd.DataFrame({f"c{column}": texts + str(column) for column in range(60)}).to_parquet(
        sink, compression="zstd"
    )
    return sink.getvalue()


FILES: dict[str, tuple[str, Callable[[], bytes]]] = {
    "24 million texts, all different": ("a.parquet", _parquet),
    "26 million cells of one digit": (
        "a.csv",
        lambda: b",".join(b"c%d" % c for c in range(100)) + (b"\n" + b"7," * 99 + b"7") * 262_000,
    ),
    "a million columns": ("b.csv", lambda: b",".join(b"c%d" % c for c in range(1_000_000))),
    "a quotation mark without an end": ("c.csv", lambda: b'x,g\n1,"' + b"a\n" * 20_000_000),
    "a sheet of 195 MB": (
        "a.xlsx",
        lambda: _workbook(b"<row><c><v>1</v></c><c><v>2</v></c></row>" * 5_000_000),
    ),
    "195 MB of shared texts": (
        "b.xlsx",
        lambda: _workbook(strings=b"<si><t>abcdefgh</t></si>" * 8_000_000),
    ),
    "195 MB of names of sheets": (
        "c.xlsx",
        lambda: _workbook(sheets='<sheet name="b" sheetId="2" r:id="rId1"/>' * 4_600_000),
    ),
}


class _Scales(threading.Thread):
    """The most memory of this process and of its largest reader since the last look."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.server = self.reader = 0.0

    def run(self) -> None:
        while True:
            self.server = max(self.server, megabytes(os.getpid()))
            for pid in children(os.getpid()):
                self.reader = max(self.reader, most_megabytes(pid))
            time.sleep(0.02)

    def look(self) -> tuple[float, float]:
        seen = self.server, self.reader
        self.server = self.reader = 0.0
        return seen


def main() -> None:
    print(
        f"A reader may have {Limits().worker_gigabytes:g} GB "
        f"and {isolated_read.READ_SECONDS:g} s.\n"
    )
    made = {what: (name, make()) for what, (name, make) in FILES.items()}
    scales = _Scales()
    scales.start()
    print("| file | size | seconds | most memory: reader, server | answer |\n|---|---|---|---|---|")
    for what, (name, content) in made.items():
        before = megabytes(os.getpid())
        scales.look()
        seconds, said = _read(name, content)
        server, reader = scales.look()
        print(
            f"| {what} | {size_words(len(content))} | {seconds:.1f} | {reader:.0f} MB, "
            f"+{max(server - before, 0):.0f} MB | {said} |",
            flush=True,
        )
    with ThreadPoolExecutor(len(made)) as pool:
        before = megabytes(os.getpid())
        hostile = [pool.submit(_read, *file) for file in made.values()]
        time.sleep(1)
        seconds, said = _read("small.csv", SMALL)
        print(f"\nA small table while all of them are read: {seconds:.1f} s, {said}.")
        longest = max(future.result()[0] for future in hostile)
    print(f"All of them at once: {longest:.0f} s; memory of the server at most "
          f"+{scales.look()[0] - before:.0f} MB.")  # fmt: skip


def _read(name: str, content: bytes) -> tuple[float, str]:
    begun = time.monotonic()
    try:
        if name.endswith(".xlsx"):
            isolated_read.sheet_names_isolated(name, content)
        table = isolated_read.read_isolated(name, content, None, None, ())
        said = f"{len(table.frame):,} rows, {len(table.frame.columns)} columns"
    except DataError as error:
        said = str(error)
    return time.monotonic() - begun, said
