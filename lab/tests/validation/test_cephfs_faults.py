"""Slow servers of the experiments on CephFS: when they were slow, and that they are released."""

from __future__ import annotations

import subprocess
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from jostle_lab.validation.cephfs import faults
from jostle_lab.validation.cephfs.plan import Fault, Rhythm
from jostle_lab.validation.errors import ValidationError


def state(pid: int) -> str:
    """The state of a process, T where it is stopped."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def test_stopped_in_bursts_and_let_go_on_in_every_ending(monkeypatch: pytest.MonkeyPatch) -> None:
    with subprocess.Popen(["sleep", "60"]) as server:
        monkeypatch.setattr(faults, "_process", lambda lab, name: server.pid)
        over, seen = threading.Event(), []
        lab: Any = SimpleNamespace()
        start = time.time_ns()
        fault = Fault("storage2", "stop", 0.8, Rhythm(1.0, 0.4, 0.2))
        found: list[list[list[int]]] = []
        thread = threading.Thread(
            target=lambda: found.append(faults.inject(lab, fault, start, over))
        )
        thread.start()
        while time.time_ns() < start + 1_400_000_000:
            seen.append((time.time_ns() - start, state(server.pid)))
            time.sleep(0.005)
        over.set()  # in the middle of its second burst
        thread.join()
        assert state(server.pid) == "S"
        server.kill()
    (first, second) = found[0]
    assert 0 <= first[0] - start - 200_000_000 < 100_000_000
    assert 0 <= second[0] - start - 1_200_000_000 < 100_000_000
    inside = [what for when, what in seen if 220_000_000 < when < 580_000_000]
    outside = [what for when, what in seen if 720_000_000 < when < 1_180_000_000]
    assert inside.count("T") > 0.5 * len(inside) and "T" not in outside


def test_server_that_is_gone_is_named() -> None:
    lab: Any = SimpleNamespace(folder=Path("/run/jostle-lab/no-such-lab"))
    fault = Fault("storage", "stop", 0.8, Rhythm(1.0, 0.4, 0.2))
    with pytest.raises(ValidationError, match="The server process on storage was not found"):
        faults.inject(lab, fault, time.time_ns(), threading.Event())
