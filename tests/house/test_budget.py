"""The budget of costs: how a change affects its figures, and who may raise one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "lab/bench"
sys.path.insert(0, str(BENCH))

import budget  # noqa: E402
from counts import answers, figure, ledger, system_calls  # noqa: E402
from counts.figure import Figure  # noqa: E402
from counts.ledger import Limit  # noqa: E402

LIMITS = {"verbs": {"jobs": Limit(6), "matrix": Limit(10, 8, "it names victims")}}


def test_a_budget_reads_as_it_was_written():
    text = ledger.write({"libc": 'the "one"'}, LIMITS)
    assert ledger.read(text) == ({"libc": 'the "one"'}, LIMITS)
    assert '"matrix" = { is = 10, was = 8, reason = "it names victims" }' in text


def test_a_figure_that_rises_is_named_with_what_it_is_made_of():
    [change] = ledger.compare("verbs", {"jobs": Limit(6)}, {"jobs": Figure(7, "SELECT 1")})
    assert change.is_raise
    assert str(change).startswith('RAISED   verbs: "jobs" was 6, is 7 (+1)')
    assert "its parts are: SELECT 1" in str(change)


def test_figures_that_fall_are_new_or_gone_are_changes_too():
    limits = {"jobs": Limit(6), "matrix": Limit(10)}
    found = ledger.compare("verbs", limits, {"jobs": Figure(5), "nodes": Figure(3)})
    assert [str(change).split(" ")[0] for change in found] == ["LOWERED", "GONE", "NEW"]
    assert ledger.compare("verbs", limits, {"jobs": Figure(6), "matrix": Figure(10)}) == []


@pytest.mark.parametrize(
    ("was", "now", "status"), [(6, 5, 0), (6, 7, 1), (6, None, 1), (None, 6, 1), (6, 6, 0)]
)
def test_only_a_figure_that_fell_fails_nothing(
    was: int | None, now: int | None, status: int, capsys: pytest.CaptureFixture[str]
):
    changes = [ledger.Change("verbs", "jobs", was, now)] if was != now else []
    assert budget._check({}, changes, []) == status
    assert bool(changes) == ('"jobs"' in capsys.readouterr().out)


@pytest.mark.parametrize(
    ("name", "now", "is_change"),
    [
        ("file: one", 1030, False),
        ("file: one", 1031, True),
        ("call: one", 1001, False),
        ("call: one", 1002, True),
        ("else", 1001, True),
        ("file: one", 969, True),
    ],
)
def test_chance_is_as_stated(name: str, now: int, is_change: bool):
    chance = {"file:": 30, "call:": 0}
    changes = ledger.compare("x", {name: Limit(1000)}, {name: Figure(now)}, chance)
    assert bool(changes) == is_change


def test_a_raised_figure_keeps_its_reason_until_it_falls():
    table = {"jobs": Limit(6)}
    changes = ledger.compare("verbs", table, {"jobs": Figure(7)})
    table = ledger.applied(table, changes, "why")
    assert table == {"jobs": Limit(7, 6, "why")}
    changes = ledger.compare("verbs", table, {"jobs": Figure(5)})
    assert ledger.applied(table, changes, "") == {"jobs": Limit(5)}


def test_a_figure_is_raised_only_with_a_reason_of_its_own():
    def raised(old: Limit, new: Limit) -> list[str]:
        return ledger.raised_without_reason({"verbs": {"jobs": old}}, {"verbs": {"jobs": new}})

    assert raised(Limit(6), Limit(7)) == ['verbs: "jobs" from 6 to 7']
    assert raised(Limit(6), Limit(7, 6, "why")) == []
    assert raised(Limit(7, 6, "why"), Limit(8, 7, "why")) != []  # the reason for another rise
    assert raised(Limit(7, 6, "why"), Limit(5)) == []


def test_the_budget_before_is_that_of_the_last_change(tmp_path: Path):
    def git(*words: str) -> None:
        name = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run(["git", "-C", tmp_path, *name, *words], check=True, capture_output=True)

    path = tmp_path / "budget.toml"
    git("init")
    path.write_text(ledger.write({}, {"verbs": {"jobs": Limit(6)}}))
    assert ledger.before(path) is None
    git("add", ".")
    git("commit", "-m", "first")
    assert ledger.before(path) is None
    path.write_text(ledger.write({}, {"verbs": {"jobs": Limit(7)}}))
    assert ledger.before(path) == {"verbs": {"jobs": Limit(6)}}
    git("commit", "-am", "second")
    assert ledger.before(path) == {"verbs": {"jobs": Limit(6)}}


def test_a_rise_is_not_written_without_a_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path = tmp_path / "budget.toml"
    path.write_text(ledger.write(budget.tools(), {"verbs": {"jobs": Limit(6)}}))
    monkeypatch.setattr(budget, "BUDGET", path)
    monkeypatch.setattr(budget, "count_all", lambda _kinds: {"verbs": {"jobs": Figure(7)}})
    assert budget.main(["verbs"]) == 1
    assert "A change increases a cost" in capsys.readouterr().out
    assert budget.main(["verbs", "--write"]) == 1
    assert ledger.read(path.read_text())[1]["verbs"]["jobs"] == Limit(6)
    assert budget.main(["verbs", "--write", "--reason", "why"]) == 0
    assert ledger.read(path.read_text())[1]["verbs"]["jobs"] == Limit(7, 6, "why")
    assert budget.main(["verbs"]) == 0


def test_other_tools_are_reported_and_fail_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path = tmp_path / "budget.toml"
    limits = {"instructions": {"call: read": Limit(6)}}
    path.write_text(ledger.write(budget.tools() | {"compiler": "another"}, limits))
    monkeypatch.setattr(budget, "BUDGET", path)
    found = {"instructions": {"call: read": Figure(60)}}
    monkeypatch.setattr(budget, "count_all", lambda _kinds: found)
    assert budget.main(["instructions"]) == budget.NOT_DONE
    assert "NOT DONE instructions: the budget was counted with another compiler" in (
        capsys.readouterr().out
    )


def test_every_kind_is_in_the_budget_and_has_a_module():
    _, limits = ledger.read(budget.BUDGET.read_text())
    assert set(limits) == set(budget.KINDS)
    for kind in budget.KINDS:
        assert (BENCH / "counts" / f"{kind.replace('-', '_')}.py").exists()
    assert budget.BUDGET.read_text() == ledger.write(*ledger.read(budget.BUDGET.read_text()))


def test_system_calls_are_counted_where_they_begin():
    lines = [
        "7 openat(AT_FDCWD, ...) = 3",
        "8 futex(0x1, FUTEX_WAIT <unfinished ...>",
        "7 close(3) = 0",
        "8 <... futex resumed>) = 0",
        "8 pwrite64(5, ...) = 4",
        "7 +++ exited with 0 +++",
    ]
    assert list(system_calls.begun(lines)) == [
        ("7", "openat"),
        ("8", "futex"),
        ("7", "close"),
        ("8", "pwrite64"),
    ]
    assert system_calls.split(["open", "futex", "read", "read", "futex"], "futex") == [
        ["open"],
        ["read", "read"],
        [],
    ]


def test_the_folder_has_the_same_path_each_time():
    with figure.work_folder("test") as folder:
        (folder / "left").touch()
    with figure.work_folder("test") as again:
        assert again == folder and not (again / "left").exists()


def test_routes_are_asked_about_jobs_that_are_there():
    entry = {"query": "metric=bytes&of=JOB"}
    path = answers._path("GET /api/v1/jobs/{own}/series alongside", entry, ["a", "b"])
    assert path == "/api/v1/jobs/b/series?metric=bytes&of=a"


def test_the_programs_to_count_are_there():
    assert (figure.PROGRAMS / "counted.c").is_file()
