"""Runs in the background, kept on disk: what the screens stand on.

    from antidote_core.engine import Runner

    runner = Runner()                          # one per server; home folder: ANTIDOTE_HOME
    run_id = runner.submit(spec, owner=token)  # at once; an identical run is replayed or joined
    runner.touch(run_id, owner=token)          # on every render: someone is looking
    status = runner.status(run_id)             # .live .state .position .message .can_restart ...
    view = runner.view(run_id)                 # RunView: the fold of the log so far
    runner.stop(run_id, owner=token)           # keeps the best V; False if others watch it too

A page polls `status(...).live` and draws `view(...)`; live, stopped, lost and replayed runs are the
same thing to it. `view.activity` says what is being waited for before the first round ("compiling
..."), and `view.closed` that nothing more will come: with `view.state == "finished"` and not
closed, the verdict stands and rows of comparison are on their way.

An upload is `runner.submit(spec, data=dataset, owner=token)`: private, it answers its owner only.
`runner.data(run_id)` gives the data set of any run back. `runner.jobs(token)` is the owner's list;
`rename`, `delete` change that list only. `restart` starts a stopped, failed or lost run again under
the same id. `worker_log` has the traceback of a failed one. Errors are RunError (an AntidoteError)
with a sentence for the screen.

A sweep is a job like these: the kinds of jobs stand in `runs.kinds`, and `runner.submit` takes the
spec of any. `runner.view(id, owner, SWEEP)` is what it means; restart resumes it. Its cells are
runs of their own, off the list of runs.

States: queued, running, finished, stopped, failed (an error, `reason` says which), dead (its worker
process was lost: killed, out of memory, or the server ended; the same spec gives the same result
again).
"""

from antidote_core.engine.job_folder import JobStatus
from antidote_core.engine.runner import Runner
from antidote_core.engine.settings import default_home
from antidote_core.engine.store import Store
from antidote_core.errors import RunError
from antidote_core.runs.state import JobState
