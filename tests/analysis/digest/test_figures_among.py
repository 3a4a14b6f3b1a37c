"""The figures of a run among the other runs of its program."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from jostle.analysis.digest.among_runs import among, figures, others_of, quartiles, side
from jostle.cli.views.among_runs import figures_view


def runs(**processes: int) -> dict[str, dict[str, Any]]:
    return {
        name: {"program": "solver", "processes": n, "ranks": 0, "running": False, "start_ns": at}
        for at, (name, n) in enumerate(processes.items())
    }


def test_runs_with_as_many_processes_come_before_all_others() -> None:
    rows = runs(a=4, b=4, c=8, d=4)
    assert others_of(rows, "a") == (["d", "b"], 4)
    assert others_of(rows, "c") == (["d", "b", "a"], None)
    rows["d"]["running"] = True
    rows["b"]["program"] = "writer"
    assert others_of(rows, "a") == (["c"], None)


def test_of_mpi_programs_the_ranks_count_and_not_their_launchers() -> None:
    rows = runs(a=5, b=3, c=5)
    for name, ranks in {"a": 2, "b": 2, "c": 4}.items():
        rows[name]["ranks"] = ranks
    assert others_of(rows, "a") == (["b"], 2)


@pytest.mark.parametrize(
    ("total", "said"),
    [
        (0, "less than in any"),
        (1, "less than in three of four"),
        (2, "as usual"),
        (5, "more than in three of four"),
        (6, "more than in any"),
    ],
)
def test_where_a_run_lies(total: float, said: str) -> None:
    assert side(total, quartiles(np.array([1.0, 2.0, 3.0, 4.0, 5.0])) or {}) == said


def test_figures_of_a_run_and_their_table() -> None:
    own = [(np.array([1e9, 3e9]), 4e9)] + [(np.zeros(2), 0.0)] * (len(figures()) - 1)
    theirs = [np.array([2e9, 4e9, 6e9])] * len(figures())
    found = among(own, theirs, 10.0, np.array([8.0, 9.0, 9.5]))
    assert [one["name"] for one in found] == ["Run time", "Bytes written"]  # what is 0 is left out
    written = found[1]
    assert (written["least"], written["mean"], written["most"]) == (1e9, 2e9, 3e9)
    assert written["others"] == {
        "runs": 3,
        "min": 2e9,
        "q1": None,
        "median": None,
        "q3": None,
        "max": 6e9,
        "values": [2e9, 4e9, 6e9],
    }
    reported = {
        "program": "solver",
        "runs": 3,
        "others": ["a", "b", "c"],
        "processes": None,
        "figures": found,
    }
    _, head, table = figures_view(reported)
    assert head.plain == "Among 3 other runs of solver"
    words = [list(column.cells) for column in table.columns]
    assert words[0] == ["Run time", "Bytes written"]
    assert words[-1] == ["more than in any", "between them"]
    # So few runs are shown themselves: three have no quarters.
    assert [column.header for column in table.columns][1:5] == ["this run", "a", "b", "c"]
    assert list(figures_view(reported | {"runs": 0})) == []
