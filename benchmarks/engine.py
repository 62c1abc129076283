"""Latency and memory of a background run: `python -m benchmarks.engine [dataset]`.

Seconds are wall-clock and depend on what else the machine does, so the CPU seconds of the worker
stand beside them.
"""

import sys
import tempfile
import time
from pathlib import Path

from antidote_core.engine import Runner
from antidote_core.runs.spec import RunSpec


def main(dataset: str) -> None:
    spec = RunSpec(dataset=dataset, target=-1.0, budget=200_000)
    with tempfile.TemporaryDirectory() as home, Runner(home, slots=1) as runner:
        begun = time.monotonic()
        run_id = runner.submit(spec)
        print(f"submit returns               {time.monotonic() - begun:8.3f} s")
        seen, offset = set(), 0
        while "progress" not in seen:
            events, offset = runner.events(run_id, offset)
            for event in events:
                name = event.data["text"] if event.kind == "stage" else event.kind
                if name not in seen:
                    print(f"first {name[:24]:24s} {time.monotonic() - begun:7.3f} s")
                seen.add(name)
            time.sleep(0.005)
        process = Path("/proc") / str(runner._scheduler._workers[run_id].process.pid)
        times = (process / "stat").read_text().rsplit(")", 1)[1].split()
        print(f"worker CPU until then        {(int(times[11]) + int(times[12])) / 100:8.2f} s")
        time.sleep(2)
        lines = (process / "status").read_text().splitlines()
        for line in lines:
            if line.startswith(("VmHWM", "RssAnon")):
                name, kilobytes = line.split()[:2]
                print(f"worker memory {name:14s} {int(kilobytes) / 1024:8.0f} MB")
        begun = time.monotonic()
        runner.stop(run_id)
        while not runner.view(run_id).closed:
            time.sleep(0.002)
        print(f"stop: result is there        {time.monotonic() - begun:8.3f} s")
        runner.wait(run_id)
        print(f"stop: process is gone        {time.monotonic() - begun:8.3f} s")
        size = runner.store.folder(run_id).events.stat().st_size
        print(f"log                          {size / 1024:8.0f} kB")


if __name__ == "__main__":
    main(*(sys.argv[1:] or ["bank"]))
