"""The table of `make bench`: its references, and when it fails."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

BENCH = Path(__file__).parents[2] / "lab/bench"


def bench(code: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Runs Python with the modules of the benchmarks."""
    env = {key: value for key, value in os.environ.items() if "DARSHAN" not in key}
    return subprocess.run(
        [sys.executable, "-c", code, *words],
        env={**env, "PYTHONPATH": str(BENCH)},
        text=True,
        capture_output=True,
        check=False,
    )


def with_row(body: str) -> subprocess.CompletedProcess[str]:
    """Runs the table with one row, which does this."""
    head = "import sys, run\nfrom measure import MissingError, Row\n"
    code = f"{head}def row(bench):\n    {body}\nrun.ROWS = {{'it': row}}\nsys.exit(run.main())"
    return bench(code, "--smoke")


def test_a_row_that_cannot_measure_fails_the_run() -> None:
    broken = with_row("raise RuntimeError('the background is not what was put in')")
    assert broken.returncode == 1
    assert "Could not be measured: it: failed: RuntimeError: the background" in broken.stdout
    empty = with_row("return [Row('it', 'it', 'ns', '', note='not counted')]")
    assert empty.returncode == 1
    assert with_row("return []").returncode == 1


def test_neither_a_missed_target_nor_a_missing_program_does() -> None:
    missed = with_row("return [Row('it', 'it', 'ns', '<= 1 ns', False, ours=2.0)]")
    assert missed.returncode == 0 and "0 of 1 targets" in missed.stdout
    missing = with_row("raise MissingError('LAMMPS is not installed')")
    assert missing.returncode == 0 and "skipped: LAMMPS is not installed" in missing.stdout


def compared(peer: str, ours: str = "[130.0, 131.0]") -> dict[str, Any]:
    """A call of 100 ns that jostle makes 30 ns (or `more`) longer, with a peer or none."""
    code = f"""
import json
from dataclasses import asdict
from measure import compared
samples = {{"bare": [100.0, 101.0], "jostle": {ours}, **{peer}}}
row = compared(samples, "it", "it", "ns", 35, 0.5)
print(json.dumps({{**asdict(row), "of_peer": row.of_peer}}))
"""
    done = bench(code)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def test_a_target_is_a_multiple_of_what_the_peer_costs() -> None:
    dear = compared('{"darshan": [164.0, 165.0]}')
    assert (dear["target"], dear["reached"]) == ("<= 0.5 x Darshan's", True)
    assert dear["of_peer"] == 30 / 64
    cheap = compared('{"darshan": [150.0, 151.0]}')
    assert (cheap["target"], cheap["reached"]) == ("<= 0.5 x Darshan's", False)


def test_without_a_peer_it_is_a_figure() -> None:
    alone = compared("{}")
    assert (alone["target"], alone["reached"]) == ("<= 35 ns added", True)
    assert alone["peer"] is None


def test_where_the_spread_hides_the_limit_there_is_no_verdict() -> None:
    noisy = compared('{"darshan": [164.0, 165.0]}', "[60.0, 220.0]")
    assert noisy["reached"] is None and noisy["note"].startswith("too noisy to decide")
