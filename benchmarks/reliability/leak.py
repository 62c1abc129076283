"""Many short runs one after another: memory, file handles, threads and processes of the server."""

import os
import tempfile
from dataclasses import replace

from antidote_core.engine import Runner, RunState
from antidote_core.types import RunSpec
from benchmarks.reliability.processes import handles, megabytes, threads, workers

# k-median needs no compiled kernels, so the worker starts quickly.
SPEC = RunSpec(
    dataset="blobs", clustering="kmedian", fairness="social", optimizer="random", restarts=1,
    start_size=2, budget=5, max_rounds=1, target=-2.0,
)  # fmt: skip
AT_ONCE = 2


def main(runs: int) -> None:
    this = os.getpid()
    print("| runs ended | memory | file handles | threads | finished |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as home:
        with Runner(home, slots=AT_ONCE) as runner:
            finished = 0
            for done in range(0, runs, AT_ONCE):
                seeds = range(done, min(done + AT_ONCE, runs))
                ids = [runner.submit(replace(SPEC, seed=seed), owner="ann") for seed in seeds]
                for run_id in ids:
                    finished += runner.wait(run_id, 120).state is RunState.FINISHED
                    runner.view(run_id)
                ended = done + len(ids)
                if ended in (AT_ONCE, runs) or ended % (runs // 10) == 0:
                    print(
                        f"| {ended} | {megabytes(this):.1f} MB | {handles(this)} | "
                        f"{threads(this)} | {finished} |",
                        flush=True,
                    )
        print(f"\nProcesses left behind: {len(workers(home))}")
