"""`python -m benchmarks`: every ratio to a named rival, in one table."""

from threadpoolctl import threadpool_limits

from benchmarks import baselines, conic, convex, evaluate, frontier, optimizers


def main() -> None:
    with threadpool_limits(1):
        for source in (
            evaluate.rows,
            evaluate.size_rows,
            baselines.rows,
            convex.rows,
            conic.rows,
            optimizers.rows,
            frontier.rows,
        ):
            for row in source():
                print(
                    f"{row['case']:70} {row['ours_seconds']:10.5f} s  "
                    f"{row['ratio']:9.3g} x {row['rival']}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
