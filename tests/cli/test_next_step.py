"""The hints for the next command form a path, never a circle."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from command import ROOT, jostle
from test_estimate import stub

from jostle.cli.main import all_verbs
from jostle.cli.next_step import ANEW, PATH, SHORT_SLICE_NS, TABLE, seen_by_estimate, steps

ROWS = [(verb, seen) for verb, rows in TABLE.items() for seen in rows]


def verb_of(command: str) -> str:
    """The verb of a suggested command."""
    return command.split()[1]


@pytest.mark.parametrize(("verb", "seen"), ROWS)
def test_a_hint_leads_to_a_verb_behind(verb: str, seen: str) -> None:
    for template in TABLE[verb][seen]:
        assert template in ANEW or PATH.index(template.split()[0]) > PATH.index(verb)


@pytest.mark.parametrize(("verb", "seen"), ROWS)
def test_hints_are_commands(verb: str, seen: str) -> None:
    reported = steps(
        verb, seen, "mine", flag=" --repository R", others=["other"], words={"SPOOL": "S"}
    )
    assert 1 <= len(reported) <= 2
    for command in reported:
        assert verb_of(command) in all_verbs()
        assert not re.search(r"\b(OTHERS|SPOOL)\b|  ", command)
        assert ("--repository R" in command) == (
            command.removeprefix("jostle ") not in {*ANEW, "ingest S"}
        )


def walk(seen: dict[str, str]) -> list[str]:
    """Follow the first hints from `run`, each verb seeing what `seen` says."""
    verbs = ["run"]
    while verbs[-1] in TABLE:
        (first, *_) = steps(verbs[-1], seen[verbs[-1]], "mine")
        assert first.endswith(" mine"), first
        verbs.append(verb_of(first))
        assert len(set(verbs)) == len(verbs), verbs
    return verbs


def test_a_loss_alongside_suspects_leads_to_them_and_then_to_the_page() -> None:
    lost = "a loss with suspects"
    for run in TABLE["run"]:
        seen = {"run": run, "digest": "slices", "estimate": lost, "interference": "suspects"}
        seen["advise"] = "a job"
        between = [] if run == lost else ["estimate"]  # `run` has shown what `estimate` shows
        assert [verb for verb in walk(seen) if verb != "digest"] == [
            "run",
            *between,
            "interference",
            "advise",
            "serve",
        ]


@pytest.mark.parametrize("seen", ["a loss", "no loss"])
def test_without_suspects_nobody_is_sent_to_look_for_them(seen: str) -> None:
    found = walk({"run": "a verdict", "estimate": seen})
    assert found == ["run", "estimate", "serve"]


def test_another_users_view_names_no_other_job() -> None:
    reported = steps("neighbours", "neighbours", "mine", viewer=7, others=["other"])
    assert reported == ["jostle interference --as-user 7 mine"]


@pytest.mark.parametrize(
    ("job", "seen"),
    [
        ("heads", "a loss with suspects"),
        ("heads-1", "a loss"),
        ("clean", "no loss"),
        ("short", "too few slices"),
        ("wide", "undecided"),
    ],
)
def test_the_hint_of_an_estimate_fits_what_it_shows(job: str, seen: str) -> None:
    reported = stub("estimate", job).err.splitlines()
    expected = steps("estimate", seen, job, words={"ANOTHER_RUN": f"{job}-before"})
    assert [line.removeprefix("next:").strip() for line in reported] == expected


def test_shorter_slices_are_advised_only_where_they_are_long() -> None:
    sys.path.insert(0, str(ROOT / "tests/plot"))
    import estimates

    from jostle.analysis.interval import Interval
    from jostle.report.verdict.verdict import EvaluatedJob

    little = estimates.plain(
        estimates.ftq(),
        percent=Interval(2, 0, 20),
        lost_s=Interval(0.2, 0, 2),
        coverage=0.3,
        hits=[],
        causes=[],
    )
    found = EvaluatedJob(little, {}, None)
    assert seen_by_estimate(found, 4_000_000_000) == "too few slices"
    assert seen_by_estimate(found, SHORT_SLICE_NS) == "undecided"


def test_the_hints_of_real_runs_lead_to_the_page(library: Path, tmp_path: Path) -> None:
    """Follow what is printed, from the run on."""
    place = {"JOSTLE_REPOSITORY": str(tmp_path / "r"), "XDG_CACHE_HOME": str(tmp_path)}
    code = f"for i in 1 2 3 4 5; do head -c 300000 /dev/zero >{tmp_path}/data; sleep 0.3; done"
    done = jostle("run", "--job", "one", "--slice", "100ms", "--", "sh", "-c", code, **place)
    verbs = ["run"]
    while verbs[-1] != "serve":
        hint = re.search(r"next: jostle (.*)", done.err)
        assert hint, done.err
        words = hint[1].split()
        assert words[0] not in verbs
        verbs.append(words[0])
        if words[0] != "serve":
            done = jostle(*words, **place)
            assert done.code == 0, done.err
    assert verbs[1] in ("estimate", "interference")  # by what others did meanwhile
