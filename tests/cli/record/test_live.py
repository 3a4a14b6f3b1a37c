"""`jostle run --live`: the last lines of the terminal show what the command does just now."""

from __future__ import annotations

import os
import pty
import sys
from pathlib import Path

import pytest
from command import ROOT

from conftest import HALF, MIB
from jostle.cli.launch.environment import slice_in_force
from jostle.cli.views import live
from jostle.report.models.job.live import LiveLoad, live_load
from jostle.repository import Repository
from synth import EPOCH

S = 1_000_000_000


def test_the_load_of_a_job_and_of_others_there(repository: str) -> None:
    """Of the second from the third on: two processes that move alike, and concurrent bursts."""
    begin = EPOCH // HALF * HALF + 4 * HALF
    store = Repository(repository)
    load = live_load(store, "tar-steady", (begin, begin + S), (begin, begin + S))
    own = 2 * (11 + 12) * MIB  # slices 4 and 5 of both
    assert (load.read, load.written) == (own, own)
    assert load.cores == pytest.approx(4 * 0.3, rel=0.01)
    assert load.in_files == pytest.approx(own / 8e9 + own / 16e9, rel=0.01)
    assert load.others_bytes == 2 * 64 * MIB
    assert load.others_cores == pytest.approx(2 * 0.3, rel=0.01)
    assert live_load(store, "no-job", (begin, begin + S), (begin, begin + S)).others_cores == 0


def test_the_lines_fit_60_columns() -> None:
    wide = 1023 * MIB
    lines = live.live_lines(LiveLoad(64, 12.34, 56.78, wide, wide, 63.99, wide), 36_000)
    assert max(map(len, lines)) < 60
    assert lines == [
        "jostle 600:00  cores: 64.0 busy, 12.3 waited for",
        "  files: read 1023 MiB/s, written 1023 MiB/s, 56.8 in calls",
        "  others there: 64.0 cores, 1023 MiB/s (last minute)",
    ]
    idle = live.live_lines(LiveLoad(5.3e-6, 5.3e-6, 5.3e-6, 0, 0, 5.3e-6, wide), 1)
    assert not any("e-" in line for line in idle)
    assert live.live_lines(LiveLoad(0, 0, 0, 0, 0, 0, 0), 1)[2] == "  others there: none known"
    assert live.live_lines(None, 1) == ["jostle 0:01  the first slice has not ended yet"]


@pytest.mark.parametrize(
    ("asked", "variable", "length"),
    [(None, "", 4 * S), (HALF, "2s", HALF), (None, "2s", 2 * S), (None, "never", 4 * S)],
)
def test_the_slices_that_are_waited_for(
    asked: int | None, variable: str, length: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JOSTLE_SLICE", variable)
    assert slice_in_force(asked) == length


def test_nothing_is_shown_where_it_cannot_be(monkeypatch: pytest.MonkeyPatch) -> None:
    assert live.why_not() == "standard error is not a terminal"
    _, side = pty.openpty()
    with os.fdopen(side, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        monkeypatch.setenv("TERM", "dumb")
        assert live.why_not() == "this terminal cannot move its cursor (TERM)"
        monkeypatch.setenv("TERM", "xterm")
        assert live.why_not() == "the terminal has only 0 lines"


def in_terminal(words: list[str], environment: dict[str, str]) -> tuple[int, str]:
    """Run a command in a terminal of 80 x 24; return its exit status and what it showed."""
    child, terminal = pty.fork()
    if child == 0:
        os.execvpe(sys.executable, [sys.executable, "-m", "jostle.cli", *words], environment)
    import fcntl
    import struct
    import termios

    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    shown = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # all have closed it
            break
        if not piece:
            break
        shown += piece
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), shown.decode()


@pytest.mark.in_turn
def test_the_terminal_is_shared_and_given_back(library: Path, tmp_path: Path) -> None:
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("JOSTLE_", "COLUMNS"))}
    environment |= {
        "TERM": "xterm",
        "JOSTLE_REPOSITORY": str(tmp_path / "r"),
        "PYTHONPATH": str(ROOT / "src"),
        "XDG_CACHE_HOME": str(tmp_path),
    }
    if "JOSTLE_NATIVE" in os.environ:
        environment["JOSTLE_NATIVE"] = os.environ["JOSTLE_NATIVE"]
    # It ends when it has been shown: the repository is what the lines come from.
    script = (
        f"while [ $(ls {tmp_path}/r/rollup 2>/dev/null | wc -l) = 0 ]; do date; "
        f"head -c 99999 /dev/zero >{tmp_path}/data; sleep .2; done; sleep 1; exit 7"
    )
    words = ["run", "--live", "--no-verdict", "--slice", "100ms", "--", "sh", "-c", script]
    status, shown = in_terminal(words, environment)
    assert status == 7
    begin, _, rest = shown.partition("\033[1;20r")
    assert begin.endswith("\n\033[4A\0337")
    running, _, report = rest.partition("\0337\033[r\033[21;1H\033[J\0338")
    assert "\033[21;1H\033[2K\033[2mjostle 0:0" in running
    assert "exit status 7" in report
    assert "\033[21;1H" not in report
