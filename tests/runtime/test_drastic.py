"""Programs that break their own environment: closed descriptors, sandboxes, changed rights."""

from __future__ import annotations

import os
import time

import pytest
from harness import Compile, Result, Runner, needs_plain_build, needs_root

FOR_ROOT = {"chroot", "setuid", "seteuid", "setresuid", "unshare-files", "setns", "no-proc"}
FOR_PLAIN = {"close-all", "replace-all", "unshare-user"}
DRASTIC = [
    "nothing",
    "no-new-privileges",
    "no-tsc",
    "close-all",
    "close-range",
    "closefrom",
    "replace-all",
    "huge",
    "daemon",
    "filter",
    "filter-raw",
    "strict",
    "unshare-user",
    "masked",
    "not-dumpable",
    "main-thread-exits",
    "file-limit",
    *sorted(FOR_ROOT),
]


def survive(jostle: Runner, build: Compile, what: str) -> Result:
    """Runs the survivor and compares its counts with its account."""
    if what in FOR_ROOT:
        needs_root()
    if what in FOR_PLAIN:
        needs_plain_build(jostle.library)
    jostle.spool.chmod(0o1777)
    jostle.data.chmod(0o777)
    result = jostle.run(build("survivor.c"), jostle.data, what)
    if what == "daemon":
        wait_for_end(jostle, result)
        result = jostle.collect()
    if "skip" in result.notes:
        pytest.skip(result.notes["skip"][0])
    return result


def wait_for_end(jostle: Runner, result: Result) -> None:
    """Wait for a daemon, which is nobody's child, to end."""
    end = time.monotonic() + 60
    while True:
        pids = {path.name.split(".")[0] for path in jostle.truth.iterdir()} - {"note"}
        if len(pids) == 2 and not any(os.path.exists(f"/proc/{pid}") for pid in pids):
            return
        assert time.monotonic() < end, "the daemon did not end"
        time.sleep(0.02)


@pytest.mark.in_turn
@pytest.mark.parametrize("what", DRASTIC)
def test_survives(jostle: Runner, build: Compile, what: str) -> None:
    """The program ends well, says nothing more than without jostle, and each write is counted."""
    result = survive(jostle, build, what)
    assert result.stderr == "" and result.stdout == ""
    result.check("posix_write")


@pytest.mark.in_turn
@pytest.mark.tries(3)
@pytest.mark.parametrize(
    "what", ["close-all", "replace-all", "chroot", "setuid", "setns", "unshare-user"]
)
def test_heartbeat_goes_on(jostle: Runner, build: Compile, what: str) -> None:
    """Slices go on after the break: a record that ends later was written later."""
    result = survive(jostle, build, what)
    (moment,) = result.notes["moment"]
    cut = [
        s
        for p in result.processes
        for s in p.slices
        if not s.tail and (s.first + s.span) * p.slice_ns > int(moment) and any(s.cells.values())
    ]
    assert cut
