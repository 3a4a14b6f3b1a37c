"""The rows of the repository: its own two programs measure, this only reads their answer.

`ingest.py --json` and `background.py --json` print one object each; see `FIGURES`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from measure import Bench, Row


@dataclass(frozen=True)
class Figure:
    """What one of the two programs reports.

    Attributes:
        what: Text for people.
        name: Key of the figure in the program's answer.
        unit: Its unit.
        target: The figure to reach, as text.
        limit: The same as a number; the figure must not be below it, or, if `most`, above it.
        most: The limit is an upper one.
    """

    what: str
    name: str
    unit: str
    target: str
    limit: float
    most: bool


FIGURES = {
    "ingest": Figure(
        "ingest, process-slices/s", "slices_per_s", "1/s", ">= 500 000 /s", 500_000, False
    ),
    "background": Figure(
        "background of a job, 20 M process-slices", "ms", "ms", "<= 100 ms", 100, True
    ),
}


def rows(bench: Bench, key: str) -> list[Row]:
    """Runs bench/KEY.py and turns its answer into a row."""
    figure = FIGURES[key]
    script = Path(__file__).with_name(f"{key}.py")
    command = [sys.executable, str(script), "--json", *(["--quick"] if bench.quick else [])]
    done = subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE)
    answer = json.loads(done.stdout)
    value = float(answer[figure.name])
    reached = value <= figure.limit if figure.most else value >= figure.limit
    return [
        Row(
            key, figure.what, figure.unit, figure.target, reached, ours=value,
            spread=answer.get("spread"), note=str(answer.get("note", "")),
        )
    ]  # fmt: skip
