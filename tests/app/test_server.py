"""The server as it is started by default: this machine only, and nobody else's pages."""

import asyncio
import socket
import subprocess
import sys
import time
import tomllib
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def port(tmp_path_factory):
    """Of a server with the settings of this repository and no others."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        free = probe.getsockname()[1]
    log = tmp_path_factory.mktemp("server") / "log"
    with log.open("wb") as output:
        server = subprocess.Popen(
            [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true",
             "--server.port", str(free)],
            cwd=ROOT, stdout=output, stderr=output,
        )  # fmt: skip
    try:
        for _ in range(300):
            try:
                urllib.request.urlopen(address(free, "/_stcore/health"), timeout=2).close()
                break
            except OSError:
                time.sleep(0.1)
        yield free
    finally:
        server.terminate()
        server.wait(30)


def address(port: int, path: str) -> str:
    return f"http://localhost:{port}{path}"


def listening(port: int) -> set[str]:
    """The addresses on which some process listens at that port, as the system writes them."""
    found = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        path = Path(table)
        for line in path.read_text().splitlines()[1:] if path.exists() else ():
            place, state = line.split()[1], line.split()[3]
            if state == "0A" and int(place.rpartition(":")[2], 16) == port:
                found.add(place.rpartition(":")[0])
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_nobody_else_reaches_it(port: int) -> None:
    loopback = {"0100007F", "00000000000000000000000001000000"}
    assert listening(port)
    assert listening(port) <= loopback


def test_an_upload_without_the_token_of_the_browser_is_refused(port: int) -> None:
    request = urllib.request.Request(
        address(port, "/_stcore/upload_file/session/file"), b"x,g\n1,a\n", method="PUT"
    )
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(request, timeout=10)
    assert caught.value.code == 403
    caught.value.close()


@pytest.mark.parametrize("origin", ["http://evil.example", "https://localhost.evil.example"])
def test_a_page_from_elsewhere_gets_no_connection(port: int, origin: str) -> None:
    async def knock(knocking: str) -> None:
        async with connect(
            f"ws://localhost:{port}/_stcore/stream", subprotocols=["streamlit"], origin=knocking
        ):
            pass

    asyncio.run(knock(f"http://localhost:{port}"))
    with pytest.raises(InvalidStatus) as caught:
        asyncio.run(knock(origin))
    assert caught.value.response.status_code == 403


def test_a_page_from_elsewhere_may_read_nothing(port: int) -> None:
    request = urllib.request.Request(
        address(port, "/_stcore/health"), headers={"Origin": "http://evil.example"}
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        assert answer.headers.get("Access-Control-Allow-Origin") != "*"
        assert "evil" not in (answer.headers.get("Access-Control-Allow-Origin") or "")


def test_errors_show_no_details() -> None:
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert config["server"]["address"] == "localhost"
    assert config["server"]["enableCORS"] is True
    assert config["server"]["enableXsrfProtection"] is True
    assert config["client"]["showErrorDetails"] == "type"
    assert config["runner"]["magicEnabled"] is False
