"""Experiments on CephFS: their random choices, how answers are scored, the page."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from jostle_lab.signals import PATTERNS
from jostle_lab.validation.cephfs import runner
from jostle_lab.validation.cephfs.page import PAGE, load, page, printed, save
from jostle_lab.validation.cephfs.plan import (
    GROUPS,
    METADATA,
    METADATA_SERVER,
    OBJECTS,
    QUIET,
    QUIETS,
    SLICE_NS,
    Experiment,
    Fault,
    Load,
    Rhythm,
    experiments,
    from_json,
)
from jostle_lab.validation.cephfs.runner import FAULT, Record, Run, records
from jostle_lab.validation.cephfs.score import Row, assess, failed, summary, truths
from jostle_lab.validation.lab.work import Work

_FIRST = 4_000_000_000  # a slice since the epoch
_RHYTHM = Rhythm(4.0, 1.0, 2.0)
_BAD = Load("bad", "node2", "metadata", _RHYTHM, harm=True)
_DECOY = Load("decoy", "node3", "stat-files", _RHYTHM)


def made(
    experiment: Experiment,
    bursts: dict[str, list[tuple[int, int]]],
    rates: dict[int, int] | None = None,
    slices: int = 40,
    job: str = "x01",
) -> Run:
    """Makes a run of slices of ten operations each, except those that `others` gives."""
    begin = _FIRST * SLICE_NS
    active = [[_FIRST + at, (rates or {}).get(at, 10)] for at in range(-1, slices + 1)]
    spans = {
        name: [[begin + a * SLICE_NS, begin + b * SLICE_NS] for a, b in some]
        for name, some in bursts.items()
    }
    work = Work(
        begin, begin + slices * SLICE_NS, active, spans, [[begin, begin + slices * SLICE_NS]]
    )
    return Run(job, work)


def answer(
    suspects: list[tuple[str, str]],
    kind: str = METADATA,
    name: str = "servers",
    seconds: float = 0.0,
) -> Any:
    """Makes what `identify` would say."""
    took = SimpleNamespace(value=seconds, low=seconds, high=seconds)
    resource = SimpleNamespace(resource=name, kind=kind, evident=bool(suspects), seconds=took)
    other = SimpleNamespace(resource="other", kind="bus", evident=False, seconds=took)
    return SimpleNamespace(
        suspects=[SimpleNamespace(job=job, kind=what, resource=name) for job, what in suspects],
        resources=[other, resource],
        seconds=took,
    )


def scored(experiment: Experiment, found: Any, without: Any = None) -> Row:
    """Scores an answer for an experiment whose work does not matter."""
    names = [FAULT] if experiment.fault else [load.name for load in experiment.loads]
    run = made(experiment, {name: [(20, 24)] for name in names})
    twin = made(experiment, {}, job="x00") if without else None
    return assess(Record(experiment, run, twin), found, without)


STORM = Experiment(1, "metadata against metadata", "metadata", (_BAD, _DECOY), resource=METADATA)
QUIET_ONE = Experiment(2, QUIET, "metadata", (_DECOY,))


# ---- the plan -----------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", range(30))
def test_draws_twenty_of_seven_kinds_and_ten_quiet_ones(seed: int) -> None:
    drawn = experiments(seed)
    assert Counter(one.group for one in drawn) == {**GROUPS, QUIET: QUIETS}
    assert sum(GROUPS.values()) == 20
    assert [one.number for one in drawn] == list(range(1, 31))
    for one in drawn:
        assert [one.fault is not None, one.bad is not None].count(True) == (not one.quiet)
        assert one.resource in ([""] if one.quiet else [OBJECTS, METADATA])
        nodes = ["node1", *(load.node for load in one.loads)]
        assert len(set(nodes)) == len(nodes)  # a node's cores belong to one job
        assert {words.split()[0] for words in (one.victim, *(x.words for x in one.loads))} <= set(
            PATTERNS
        )
        assert from_json(one.to_json()) == one
        assert not any(load.harm for load in one.without().loads) and not one.without().fault


def test_seeds_draw_differently_and_the_same_again() -> None:
    assert experiments(1) == experiments(1) != experiments(2)


def test_most_experiments_have_a_decoy() -> None:
    drawn = [one for seed in range(20) for one in experiments(seed) if not one.quiet]
    assert sum(any(not x.harm for x in one.loads) for one in drawn) > 0.75 * len(drawn)


# ---- the truth ----------------------------------------------------------------------------------
def test_truth_is_what_is_missing_while_the_cause_is_on() -> None:
    """Four slices at half the rate cost two slices: half a second; a decoy costs nothing."""
    rates = dict.fromkeys(range(20, 24), 5)
    run = made(STORM, {"bad": [(20, 24)], "decoy": [(30, 34)]}, rates)
    found = truths(STORM, run, made(STORM, {}, slices=36))
    assert found["true_s"] == pytest.approx(0.5)
    assert found["slowed"] == pytest.approx(50)
    assert found["decoys_s"] == pytest.approx(0)
    assert (found["run_s"], found["longer_s"]) == (10, 1)


def test_decoy_that_harms_is_seen() -> None:
    """It is no base to compare with, what it costs is reported, and to name it is not wrong."""
    rates = dict.fromkeys(range(20, 24), 5) | dict.fromkeys(range(30, 34), 5)
    run = made(STORM, {"bad": [(20, 24)], "decoy": [(30, 34)]}, rates)
    found = truths(STORM, run, None)
    assert found["true_s"] == pytest.approx(0.5)
    assert found["decoys_s"] == pytest.approx(0.5)
    assert found["decoys_slowed"] == pytest.approx(50)
    assert assess(Record(STORM, run), answer([("x01-decoy", "job")]), None).wrong == ""


def test_slices_in_which_nothing_is_finished_count() -> None:
    """An operation every other slice, and in 16 slices half as often: eight of them are lost."""
    rates = {at: at % 2 for at in range(-1, 41)} | {at: int(at % 4 == 1) for at in range(16, 32)}
    run = made(STORM, {"bad": [(16, 32)]}, rates)
    run.work.active[:] = [pair for pair in run.work.active if pair[1]]
    assert truths(STORM, run, None)["true_s"] == pytest.approx(2.0, abs=0.3)


def test_quiet_one_has_no_loss_to_know() -> None:
    found = truths(QUIET_ONE, made(QUIET_ONE, {"decoy": [(20, 24)]}), None)
    assert "true_s" not in found and found["decoys_s"] == pytest.approx(0)


# ---- the score ----------------------------------------------------------------------------------
def test_right_is_the_job_and_the_kind_of_resource() -> None:
    row = scored(STORM, answer([("x01-bad", "job")]))
    assert row.right and (row.found_suspect, row.wrong) == ("bad", "")
    undivided = scored(STORM, answer([("x01-bad", "job")], "file system"))
    assert undivided.right_suspect and not undivided.right_resource and not undivided.right


def test_only_the_first_suspect_counts_and_each_other_is_wrong() -> None:
    row = scored(STORM, answer([("x01-decoy", "job"), ("x01-bad", "job")]))
    assert not row.right_suspect and row.wrong == "decoy"
    row = scored(STORM, answer([("x01-bad", "job"), ("server storage (x)", "server")]))
    assert row.right_suspect and row.wrong == "server storage (x)"


def test_nothing_named_is_not_right() -> None:
    row = scored(STORM, answer([]))
    assert (row.right_resource, row.right_suspect, row.found_suspect) == (False, False, "")


@pytest.mark.parametrize(
    ("name", "right"),
    [
        ("server storage (mds m)", True),
        ("server storage2 (osd 0)", False),
        ("server storage-x", False),
    ],
)
def test_slow_server_is_known_by_its_host(name: str, right: bool) -> None:
    fault = Fault(METADATA_SERVER, "stop", 0.5, _RHYTHM)
    slow = Experiment(3, "slow metadata server", "metadata", (), fault, METADATA)
    assert scored(slow, answer([(name, "server")])).right_suspect is right
    assert not scored(slow, answer([(name, "job")])).right_suspect


@pytest.mark.parametrize(
    ("name", "right"),
    [("unprofiled load of node2", True), ("unprofiled load of node3", False), ("x01-bad", False)],
)
def test_load_without_a_profile_is_known_by_its_node(name: str, right: bool) -> None:
    unseen = replace(STORM, loads=(replace(_BAD, profiled=False),))
    assert scored(unseen, answer([(name, "unprofiled")])).right_suspect is right
    assert not scored(STORM, answer([(name, "unprofiled")])).right_suspect


def test_who_has_the_cores_of_a_lab_is_not_asked() -> None:
    """Its suspect is first, and its seconds are apart."""
    found = answer([("x01-bad", "job")], seconds=2.0)
    node = SimpleNamespace(resource="node1", kind="node", evident=True, seconds=found.seconds)
    found.resources.insert(0, node)
    found.suspects.insert(0, SimpleNamespace(job="ceph-mds", kind="unprofiled", resource="node1"))
    row = scored(STORM, found)
    assert row.right and not row.wrong
    assert (row.found_s, row.cores_s) == (2.0, 2.0)


def test_anybody_in_a_quiet_one_is_wrongly_named() -> None:
    row = scored(QUIET_ONE, answer([("x01-decoy", "job")]))
    assert (row.wrong, row.right_suspect, row.right_resource) == ("decoy", None, None)
    assert scored(QUIET_ONE, answer([])).wrong == ""


def test_summary_counts() -> None:
    right = scored(STORM, answer([("x01-bad", "job")]), answer([("x00-decoy", "job")]))
    rows = [
        replace(right, true_s=2.0, found_s=1.5, slowed=30.0),
        scored(STORM, answer([("x01-decoy", "job")])),
        scored(QUIET_ONE, answer([("x01-decoy", "job")])),
        scored(QUIET_ONE, answer([])),
        failed(Record(STORM, error="broken"), "broken"),
    ]
    one = summary(rows)
    assert (one.harmful, one.right, one.resource, one.suspect, one.named) == (2, 1, 2, 1, 1)
    assert (one.quiet, one.quiet_named, one.failed) == (2, 1, 1)
    assert (one.without, one.without_named) == (1, 1)
    assert one.off == pytest.approx(0.25)
    assert one.unseen == 1


# ---- records and page ---------------------------------------------------------------------------
def test_records_are_read_again_and_the_last_of_each_counts(tmp_path: Path) -> None:
    good = Record(STORM, made(STORM, {"bad": [(1, 2)]}), made(STORM, {}))
    lines = [Record(STORM, error="no luck"), good, Record(QUIET_ONE, error="x")]
    import json

    text = "\n".join(json.dumps(one.to_json()) for one in lines)
    (tmp_path / "experiments.jsonl").write_text(text + '\n{"experiment": {"num')
    assert records(tmp_path) == [good, lines[2]]


def test_page_has_every_experiment_and_failures(tmp_path: Path) -> None:
    rows = [
        scored(STORM, answer([("x01-decoy", "job")], seconds=1.25)),
        failed(Record(QUIET_ONE, error="broken"), "the lab broke"),
    ]
    save(tmp_path, 7, rows)
    save(tmp_path, 12, rows[:1])
    measured = {7: rows, 12: rows[:1]}
    text = page(measured, 7, "Measured.")
    assert page(load(tmp_path), 7, "Measured.") == text
    assert "| | goal | seed 7 | seed 12 |" in text and "who-hurts-whom-12.csv" in text
    assert "decoy !" in text and "failed: the lab broke" in text and "| **0 of 1** |" in text
    tables = [line for line in text.splitlines() if line.startswith("|")]
    assert all(line.endswith("|") for line in tables)
    assert "the lab broke" in printed(rows, 7) and "incorrectly named: decoy" in printed(rows, 7)


def test_lab_goes_down_whatever_happens(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """And a run that failed is recorded, its lab replaced, and the next one made."""
    ended: list[str] = []
    lab = SimpleNamespace(down=lambda: ended.append("down"))
    monkeypatch.setattr(runner, "up", lambda spec: lab)

    def run(_lab: Any, experiment: Experiment, *_: Any) -> Run:
        if experiment.number == 1:
            raise OSError("no room")
        raise KeyboardInterrupt

    monkeypatch.setattr(runner, "run_once", run)
    with pytest.raises(KeyboardInterrupt):
        runner.make(tmp_path, [STORM, QUIET_ONE], "x", lambda *_: None)
    assert ended == ["down", "down"]
    assert ["no room" in one.error for one in records(tmp_path)] == [True]


def test_page_of_the_docs_is_made_of_its_data() -> None:
    folder = Path(__file__).parents[3] / "docs" / "measurements"
    text = (folder / PAGE).read_text()
    (facts,) = (line for line in text.splitlines() if line.startswith("Measured "))
    seed = re.search(r"seed (\d+)", facts)
    assert seed and page(load(folder), int(seed[1]), facts) == text
