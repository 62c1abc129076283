"""The dashboard: `streamlit run app.py`."""

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import streamlit as st
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route

# From a link to a page, Streamlit's own program guesses that the server lies below that page, asks
# there in vain and then here, which is two errors in the console. The files of its program are
# beside the page, and so is the server.
BASE = "<script>window.__streamlit = {BACKEND_BASE_URL: new URL('./', location.href).href}</script>"
INDEX = (Path(st.__file__).parent / "static" / "index.html").read_text(encoding="utf-8")
PAGES = Path(__file__).parent / "pages"


async def index(request: Request) -> HTMLResponse:
    """The file that loads Streamlit's program, which is told where the server is."""
    told = INDEX.replace("<head>", f"<head>{BASE}", 1)
    return HTMLResponse(told, headers={"Cache-Control": "no-cache"})


def load() -> None:
    """What the first visitor would wait for."""
    from pages._ui import explore_blocks  # noqa: F401
    from pages._ui.shared import answers

    answers.KERNELS.begin()
    answers.story()


@asynccontextmanager
async def lifespan(_: st.App) -> AsyncIterator[None]:
    threading.Thread(target=load, name="load", daemon=True).start()
    yield


app = st.App(
    "dashboard.py",
    lifespan=lifespan,
    routes=[Route(f"/{path}", index) for path in ("", *(page.stem for page in PAGES.glob("*.py")))],
)
