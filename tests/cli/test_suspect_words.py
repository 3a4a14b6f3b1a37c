"""Texts for suspects that are no jobs: load without a profile, slow servers."""

from __future__ import annotations

import pytest

from jostle.analysis.identification.model import JobInterference, ResourceLoss, Suspect, SuspectKind
from jostle.analysis.interval import Interval
from jostle.cli.views.estimate import _who_in_brief
from jostle.report.verdict.attribution import attribute, to_whom

LOST = Interval(10.0, 9.0, 11.0)


def verdict(*suspects: tuple[str, SuspectKind]) -> JobInterference:
    found = [
        Suspect(
            job,
            "",
            None,
            "nfs:srv:/x",
            1 / len(suspects),
            Interval(5, 4, 6),
            20,
            0.5,
            0.001,
            0.001,
            0.0,
            "",
            kind,
        )
        for job, kind in suspects
    ]
    loss = ResourceLoss(
        "nfs:srv:/x",
        "file system",
        LOST,
        20,
        30.0,
        2.0,
        True,
        0.1,
        "",
        [],
        10**9,
        [],
        [],
        [],
        "bytes",
    )
    return JobInterference("me", 0, 60.0, LOST, LOST, [loss], found, {}, [], 0, 0.1, [])


@pytest.mark.parametrize(
    ("suspects", "words", "whom"),
    [
        (
            [("server s3 (disk sdb)", "server")],
            "not by a neighbour: server s3 (disk sdb) was slow",
            "to a slow server, not to a neighbour",
        ),
        (
            [("slurm-7 (no profile)", "unprofiled")],
            "by slurm-7 (no profile)",
            "to load without a profile",
        ),
        ([("hog", "job")], "by job hog", "to jobs that were profiled"),
        (
            [("hog", "job"), ("server s3 (disk sdb)", "server")],
            "by job hog and 1 more",
            "to others",
        ),
    ],
)
def test_words(suspects: list[tuple[str, SuspectKind]], words: str, whom: str) -> None:
    interference = verdict(*suspects)
    said = " ".join(_who_in_brief(interference, attribute(LOST, interference)))
    assert words in said
    assert to_whom({kind for _, kind in suspects}) == whom
