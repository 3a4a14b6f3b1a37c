"""Experiments on advice: their random choices, how predictions are scored, page and figure."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from jostle.analysis.site_advice import Directive
from jostle_lab.plot.advice import drawn, save_savings
from jostle_lab.validation.advice import page, predictions, runner
from jostle_lab.validation.advice.changes import changed_jobs, changed_messages
from jostle_lab.validation.advice.plan import (
    BY_SLURM,
    CHUNKS,
    EXCLUSIVE,
    FEWER,
    LEAF,
    LEVERS,
    LICENCE,
    NOTHING,
    RATE,
    SERVER,
    SHIFT,
    Experiment,
    experiments,
    from_json,
)
from jostle_lab.validation.advice.predictions import ADVISE, REPLAY, RULES, Foreseen
from jostle_lab.validation.advice.runner import Record, records, spec_of
from jostle_lab.validation.advice.runs import compile_program, seconds_of
from jostle_lab.validation.advice.score import Row, assess, failed, setting_words, summary
from jostle_lab.validation.record_lines import append_line, last_records

ROOT = Path(__file__).parents[3]
PLAN = experiments(3)


def one_of(lever: str, fs: str = "") -> Experiment:
    return next(each for each in PLAN if each.lever == lever and fs in each.fs)


# ---- the plan -----------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", range(20))
def test_each_lever_is_drawn_on_its_file_systems(seed: int) -> None:
    drawn_now = experiments(seed)
    assert len(drawn_now) >= 20
    found = Counter((one.fs, one.lever) for one in drawn_now)
    assert found == {(fs, lever): n for fs, levers in LEVERS.items() for lever, n in levers.items()}
    assert [one.number for one in drawn_now] == list(range(1, len(drawn_now) + 1))
    for one in drawn_now:
        assert from_json(one.to_json()) == one
        assert bool(one.messages) is (one.lever == LEAF)
        assert (one.fault is not None) is (one.lever == SERVER)
        assert all(job.bytes == 0 or job.bytes >= job.chunk for job in one.jobs)


def test_seeds_draw_differently_and_the_same_again() -> None:
    assert experiments(1) == experiments(1) != experiments(2)


def test_a_first_job_ends_by_itself() -> None:
    for one in PLAN:
        if one.jobs:
            first = one.jobs[0]
            assert first.rounds > 0 and first.delay_s == 0
            assert first.rounds * (first.pause_s + first.work_s) < 60


def test_labs_have_what_levers_need() -> None:
    for one in PLAN:
        spec = spec_of("x", one)
        assert spec.slurm is (one.lever in BY_SLURM)
        assert bool(spec.agents) is (one.lever not in (*BY_SLURM, LEAF))
        nodes = {job.node for job in one.jobs} | {n for job in one.messages for n in job.nodes}
        assert nodes <= set(spec.node_names)


# ---- the levers ---------------------------------------------------------------------------------
def test_changes_of_jobs() -> None:
    shift = one_of(SHIFT)
    first, other = changed_jobs(shift, {"seconds": 2.5})
    assert first == shift.jobs[0]
    assert other == replace(shift.jobs[1], delay_s=shift.jobs[1].delay_s + 2.5)
    assert changed_jobs(one_of(CHUNKS), {"chunk": 1 << 20})[0].chunk == 1 << 20
    assert changed_jobs(one_of(NOTHING), {}) == [one_of(NOTHING).jobs[0]]
    assert changed_jobs(one_of(FEWER), {"at_once": 2}) == list(one_of(FEWER).jobs)


@pytest.mark.parametrize("seed", range(10))
def test_messages_move_under_one_leaf_to_a_free_node(seed: int) -> None:
    leaf = next(one for one in experiments(seed) if one.lever == LEAF)
    first, other = changed_messages(leaf)
    assert other == leaf.messages[1]
    assert len({*first.nodes, *other.nodes}) == 4
    assert {int(node[4:]) <= 4 for node in first.nodes} == {True}


def advice(rule: str, saving: float | None = 1.0, **given: Any) -> SimpleNamespace:
    """Makes a piece of advice."""
    interval = None
    if saving is not None:
        interval = SimpleNamespace(value=saving, low=0.5 * saving, high=2 * saving)
    usual: dict[str, Any] = {"texts": ("",), "lever": "", "directives": (), "settings": ()}
    return SimpleNamespace(rule=rule, saving=interval, **(usual | given))


@pytest.mark.parametrize(
    ("lever", "given", "setting"),
    [
        (SHIFT, {"texts": ("sleep 3.25   # first line of the other job's script",)}, 3.25),
        (FEWER, {"texts": ("#SBATCH --array=1-N%2   # N is the number",)}, 2),
        (RATE, {"lever": "limit writer to 3.2 MB/s on /scratch"}, 3.2e6),
        (SERVER, {"texts": ("ceph osd out 1   # its files move",)}, 1),
        (CHUNKS, {}, 1 << 20),
        (EXCLUSIVE, {}, None),
    ],
)
def test_the_setting_is_read_from_the_text(
    lever: str, given: dict[str, Any], setting: float | None
) -> None:
    other = advice("one after the other", 9.0)
    found = predictions._of_rule([other, advice(RULES[lever], **given)], lever, 3600.0)
    assert found.advised and found.others == ("one after the other",)
    assert (found.value_s, found.low_s, found.high_s) == (3600, 1800, 7200)
    assert list(found.setting.values()) == ([] if setting is None else [setting])


def test_licences_have_needs_and_a_total() -> None:
    given = advice(
        "licence",
        directives=(Directive("writer", "licenses=s:2"), Directive("solver", "licenses=s:1")),
        settings=("Licenses=s:2",),
    )
    found = predictions._of_rule([given], LICENCE, 1.0)
    assert found.setting == {"writer": 2, "solver": 1, "total": 2}
    assert setting_words(found.setting) == "2 licences: solver 1, writer 2"


def test_advice_of_the_same_rule_on_something_else_is_not_taken() -> None:
    drain = advice("drain", texts=("scontrol update NodeName=n State=DRAIN",))
    assert not predictions._of_rule([drain], SERVER, 1.0).advised


def test_with_nothing_to_gain_each_change_is_wrong_but_a_time_limit() -> None:
    every = [advice("time limit"), advice("more cores", None), advice("larger writes")]
    found = predictions._of_rule(every, NOTHING, 1.0)
    assert (found.advised, found.others) == (False, ("larger writes",))


# ---- the score ----------------------------------------------------------------------------------
def scored(lever: str, foreseen: Foreseen, before: float, after: float) -> Row:
    one = one_of(lever)
    names = [job.name for job in one.jobs] if lever == LICENCE else [one.first]
    record = Record(one, "m", dict.fromkeys(names, before), dict.fromkeys(names, after))
    (row,) = assess(record, [foreseen])
    return row


def test_a_saving_within_its_interval() -> None:
    row = scored(SHIFT, Foreseen(ADVISE, True, 11.0, 8.0, 14.0), 50.0, 40.0)
    assert (row.held, row.same_sign, row.right) == (True, True, True)
    assert row.off == pytest.approx(0.1)


def test_a_saving_outside_and_one_of_the_wrong_sign() -> None:
    row = scored(SHIFT, Foreseen(ADVISE, True, 11.0, 10.5, 14.0), 50.0, 40.0)
    assert (row.held, row.same_sign, row.right) == (False, True, False)
    row = scored(SHIFT, Foreseen(ADVISE, True, 1.0, -1.0, 14.0), 50.0, 50.5)
    assert (row.held, row.same_sign, row.right) == (True, False, False)


def test_a_lever_that_is_not_advised_is_a_wrong_prediction() -> None:
    row = scored(SHIFT, Foreseen(ADVISE, False), 50.0, 40.0)
    assert (row.held, row.same_sign, row.off) == (False, False, 1.0)


def test_what_is_not_advised_is_wrong_even_if_the_lever_saves_nothing() -> None:
    row = scored(SHIFT, Foreseen(ADVISE, False), 50.0, 50.0)
    assert not row.right


def test_nothing_is_right_if_no_change_is_advised() -> None:
    assert scored(NOTHING, Foreseen(ADVISE, False), 40.0, 39.9).right
    assert not scored(NOTHING, Foreseen(ADVISE, False, others=("x",)), 40.0, 39.9).right


def test_core_seconds_are_those_of_all_processes() -> None:
    licence = scored(LICENCE, Foreseen(ADVISE, True), 50.0, 40.0)
    cores = sum(job.processes for job in one_of(LICENCE).jobs)
    assert licence.measured_s == pytest.approx(10.0 * cores)
    leaf = scored(LEAF, Foreseen(ADVISE, True), 50.0, 40.0)
    assert leaf.measured_s == pytest.approx(20.0)
    for lever in (RATE, SERVER):  # jostle counts the cores of the first job
        assert all(one.jobs[0].processes == 1 for one in PLAN if one.lever == lever)


def test_the_summary_counts_what_is_right() -> None:
    rows = [
        scored(SHIFT, Foreseen(ADVISE, True, 11.0, 8.0, 14.0), 50.0, 40.0),
        scored(SHIFT, Foreseen(ADVISE, False), 50.0, 40.0),
        scored(NOTHING, Foreseen(ADVISE, False), 40.0, 39.9),
        failed(Record(one_of(SHIFT), error="x"), "x"),
    ]
    one = summary(rows)
    assert (one.predictions, one.advised, one.held, one.signs) == (2, 1, 1, 1)
    assert one.off == pytest.approx((0.1 + 1.0) / 2)
    assert one.most == 1.0
    assert (one.nothing, one.quiet, one.failed) == (1, 1, 1)


# ---- the page -----------------------------------------------------------------------------------
def all_rows() -> list[Row]:
    rows = [
        scored(SHIFT, Foreseen(ADVISE, True, 11.0, 8.0, 14.0), 50.0, 40.0),
        scored(LICENCE, Foreseen(ADVISE, True, 11.0, 8.0, 14.0), 50.0, 40.0),
        scored(LICENCE, Foreseen(REPLAY, True, 1.0, 0.0, 2.0), 50.0, 40.0),
        scored(RATE, Foreseen(ADVISE, False), 50.0, 40.0),
        scored(NOTHING, Foreseen(ADVISE, False), 40.0, 39.9),
    ]
    return [*rows, failed(Record(one_of(SERVER), error="x"), "the lab broke")]


def test_the_page_has_all_experiments_and_is_the_same_of_its_data(tmp_path: Path) -> None:
    page.save(tmp_path, all_rows())
    again = page.load(tmp_path)
    page.save(tmp_path, again)
    assert page.load(tmp_path) == again
    text = page.page(again, "Measured.")
    assert "failed: the lab broke" in text
    assert "not advised !" in text
    assert "advise: 11.0 (8.0 to 14.0) |" in text
    assert text.count("replay: 1.0 (0.0 to 2.0) !") == 1
    widths = {line.count("|") for line in page.table(again).strip().splitlines()}
    assert len(widths) == 1
    assert "median relative error" in page.printed(again)


def test_the_figure_has_a_line_for_each_prediction(tmp_path: Path) -> None:
    assert [row.lever for row in drawn(all_rows())] == [SHIFT, LICENCE, LICENCE, RATE]
    (saved,) = save_savings(all_rows(), tmp_path)
    assert {path.name for path in saved.files} == {f"{page.FIGURE}.svg", f"{page.FIGURE}.csv"}
    assert save_savings(all_rows()[-1:], tmp_path) == []


# ---- records, and the program of the jobs -------------------------------------------------------
def test_the_last_record_of_an_experiment_counts(tmp_path: Path) -> None:
    one = one_of(SHIFT)
    path = tmp_path / runner._RECORDS
    append_line(path, Record(one, error="x").to_json())
    append_line(path, Record(one_of(LEAF), "m", {"first": 2.0}, {"first": 1.5}).to_json())
    append_line(path, Record(one, "n", {"first": 3.0}, {"first": 1.0}, {"seconds": 2.0}).to_json())
    with path.open("a") as file:
        file.write('\n{"experiment": {"num')
    found = {each.experiment.number: each for each in records(tmp_path)}
    assert found[one.number].setting == {"seconds": 2.0} and not found[one.number].error
    assert found.keys() == {one.number, one_of(LEAF).number}
    assert last_records(tmp_path / "missing", dict, len) == []


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a compiler")
def test_the_program_does_its_rounds_in_all_processes(tmp_path: Path) -> None:
    program, log, file = compile_program(tmp_path), tmp_path / "log", tmp_path / "data"
    words = ["0", "3", "0.02", "0.01", "10000", "4096", "1", "2"]
    subprocess.run([program, log, file, *words], check=True, timeout=30)
    rounds = [tuple(map(int, line.split())) for line in log.read_text().splitlines()]
    assert len(rounds) == 3
    assert 0.09 <= seconds_of(rounds) < 10  # type: ignore[arg-type]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["log", "rounds"]


@pytest.mark.nightly
@pytest.mark.skipif(os.geteuid() != 0, reason="labs need root")
def test_an_experiment_is_made_and_scored(tmp_path: Path) -> None:
    """An experiment with larger chunks on SSHFS, in two runs of half a minute."""
    number = next(one.number for one in experiments(1) if (one.lever, one.fs) == (CHUNKS, "sshfs"))
    command = [sys.executable, f"{ROOT}/lab/bench/proofs/advice.py", "--only", str(number)]
    folders = ["--folder", f"{tmp_path}/runs", "--page", f"{tmp_path}/page"]
    (tmp_path / "page").mkdir()
    subprocess.run([*command, *folders], check=True, timeout=400)
    (row,) = page.load(tmp_path / "page")
    assert row.advised and row.same_sign
    assert row.measured_s is not None and row.measured_s > 2
    assert (tmp_path / "page" / f"{page.FIGURE}.svg").exists()
    # Nothing is run again.
    again = subprocess.run([*command, *folders[:2]], check=True, timeout=60, capture_output=True)
    assert b" of " not in again.stderr
