"""The script of the how-to on disturbed calls, with traces of known truth."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/how-to/discard-disturbed-regions.md"
START = 1_700_000_000_000_000_000
MS = 1_000_000
#: Ten steps of 100 ms; two of them took longer, in spans that were disturbed.
STEPS = [100, 100, 180, 100, 100, 100, 100, 250, 100, 100]
HEAD = "job,start_ns,end_ns,start,lost_s,cause,resource,cluster"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with the script and the spans."""
    script = re.search(r"```python save=discard.py\n(.*?)^```", PAGE.read_text(), re.M | re.S)
    assert script
    (tmp_path / "discard.py").write_text(script[1])
    edges = [sum(STEPS[:number]) for number in range(len(STEPS) + 1)]
    spans = [(edges[2] + 10, edges[2] + 60), (edges[2] + 50, edges[2] + 90)]
    spans += [(edges[7] + 1, edges[8] - 1)]
    rows = [f"j,{START + a * MS},{START + b * MS},,0.1,cpu,n," for a, b in spans]
    (tmp_path / "disturbed.csv").write_text("\n".join([HEAD, *reversed(rows)]) + "\n")
    return tmp_path


def discarded(place: Path, trace: str) -> dict[str, list[str]]:
    done = subprocess.run(
        [sys.executable, "discard.py", trace, "disturbed.csv"],
        cwd=place,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in done.stdout.splitlines()[1:]]
    return {row[0]: row[1:] for row in rows}


@pytest.mark.skipif(not importlib.util.find_spec("otf2"), reason="no otf2 here")
@pytest.mark.parametrize("resolution", [10**9, 2_100_000_000])
def test_calls_in_spans_are_left_out_of_a_trace(place: Path, resolution: int) -> None:
    """Ticks of another clock, which began at another time, are brought onto the Unix clock."""
    import otf2

    boot = 12_345_678_901  # ticks
    with otf2.writer.open(str(place / "trace"), timer_resolution=resolution) as trace:
        root = trace.definitions.system_tree_node("machine")
        group = trace.definitions.location_group("process", system_tree_parent=root)
        writer = trace.event_writer("thread", group=group)
        whole, step = (trace.definitions.region(name) for name in ("main", "step"))

        def ticks(ms: int) -> int:
            return boot + ms * resolution // 1000

        writer.enter(ticks(0), whole)
        at = 0
        for took in STEPS:
            writer.enter(ticks(at), step)
            writer.leave(ticks(at + took), step)
            at += took
        writer.leave(ticks(at), whole)
        trace._realtime_timestamp = START / 1e9
    found = discarded(place, "trace/traces.otf2")
    assert found["step"] == ["10", "0.123000", "8", "0.100000"]
    assert found["main"] == ["1", "1.230000", "0", "-"]


def test_calls_in_spans_are_left_out_of_a_measurement_of_caliper(place: Path) -> None:
    """A stand-in for its reader returns what that returns of a trace of Caliper 2.15."""
    records, at = [{"event.begin#function": "main", "time.offset.ns": "0"}], 0
    for took in STEPS:
        records.append({"event.begin#region": "step", "time.offset.ns": str(at * MS)})
        at += took
        records.append({"event.end#region": "step", "time.offset.ns": str(at * MS)})
    records.append({"event.end#function": "main", "time.offset.ns": str(at * MS)})
    known = {"starttime.sec": str(START // 10**9), "starttime.nsec": str(START % 10**9)}
    (place / "caliperreader.py").write_text(
        f"def read_caliper_contents(path):\n    return {records!r}, {known!r}\n"
    )
    found = discarded(place, "measured.cali")
    assert found["step"] == ["10", "0.123000", "8", "0.100000"]
    assert found["main"] == ["1", "1.230000", "0", "-"]
