"""Get the compiled kernels ready before a run begins, and say so if they must be compiled."""

from __future__ import annotations

from collections.abc import Callable

from antidote_core.clustering.compiled import warm


def prepare(on_compile: Callable[[], None]) -> None:
    """Load every kernel; `on_compile` is called once if the compiler has to work for it.

    Compiled kernels stay on disk, so that happens on the first run on a machine only.
    """
    from numba.core import event

    class Tell(event.Listener):
        told = False

        def on_start(self, event: object) -> None:
            if not self.told:
                self.told = True
                on_compile()

        def on_end(self, event: object) -> None:
            pass

    with event.install_listener("numba:compile", Tell()):
        warm()
