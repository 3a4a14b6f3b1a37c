"""The verdict at the end of `jostle run`, and the output for a run that is too short for one."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from command import Done, jostle
from test_estimate import stub

from jostle.cli.launch import past_runs
from jostle.cli.launch.end_verdict import end_verdict, few_slices, is_outermost, short_run

S = 1_000_000_000
SHORTER = "for one as short as this: --slice"


@pytest.fixture(autouse=True)
def _needs_runtime(library: Path) -> None:
    """Fail clearly without libjostle.so."""


@pytest.fixture
def place(tmp_path: Path) -> dict[str, str]:
    """A repository and a cache of the test's own."""
    return {"JOSTLE_REPOSITORY": str(tmp_path / "r"), "XDG_CACHE_HOME": str(tmp_path / "cache")}


def work(folder: Path) -> list[str]:
    """A command that writes a little for 1.2 s."""
    loop = f"for i in 1 2 3 4; do head -c 300000 /dev/zero >{folder}/data; sleep 0.3; done"
    return ["--", "sh", "-c", f"{loop}; exit $STATUS"]


def ended(place: dict[str, str], folder: Path, *words: str, percent: str, status: int = 0) -> Done:
    """A real run whose estimate is set by the test."""
    more = {"STUB_PERCENT": percent, "STATUS": str(status)}
    return stub("run", "--job", "one", "--slice", "100ms", *words, *work(folder), **place, **more)


def test_a_run_ends_with_the_verdict_and_the_way_on(place: dict[str, str], tmp_path: Path) -> None:
    done = ended(place, tmp_path, percent="31")
    assert (done.code, done.out) == (0, "")
    verdict, *steps = done.err.splitlines()[-3:]
    assert verdict.startswith("● red  one lost 31 % of its time")
    assert steps == ["next: jostle estimate one", "      jostle agent start"]


def test_the_exit_status_stays_the_commands_own(place: dict[str, str], tmp_path: Path) -> None:
    done = ended(place, tmp_path, percent="31", status=7)
    assert done.code == 7
    assert "one lost 31 % of its time" in done.err


def test_an_estimate_that_fails_fails_nothing(place: dict[str, str], tmp_path: Path) -> None:
    done = ended(place, tmp_path, percent="fail")
    assert done.code == 0
    assert "no verdict: The run is too short to be assessed\n" in done.err
    assert done.err.splitlines()[-2] == "next: jostle digest one"


def test_the_verdict_can_be_left_out(place: dict[str, str], tmp_path: Path) -> None:
    done = ended(place, tmp_path, "--no-verdict", percent="31")
    assert done.code == 0
    assert "lost" not in done.err
    assert "verdict" not in done.err


def test_programs_get_it_too(place: dict[str, str], tmp_path: Path) -> None:
    done = ended(place, tmp_path, "--json", percent="31")
    (line,) = done.err.splitlines()
    verdict = json.loads(line)["verdict"]
    assert (verdict["light"], verdict["percent"]["value"], verdict["why"]) == ("red", 31, "")


@pytest.mark.parametrize(
    "variables",
    [
        {"JOSTLE_FIRST": "1"},
        {"PMI_RANK": "0", "PMI_SIZE": "2"},
        {"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "4"},
        {"SLURM_STEP_ID": "0", "SLURM_STEP_NUM_TASKS": "8"},
        {"RANK": "1", "WORLD_SIZE": "4"},
    ],
)
def test_one_of_several_ranks_and_a_run_within_a_run_say_nothing(
    variables: dict[str, str], monkeypatch: pytest.MonkeyPatch, place: dict[str, str]
) -> None:
    done = jostle("run", "--", "true", **place, **variables)
    assert "verdict" not in done.err
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert not is_outermost()


def test_a_batch_script_and_a_single_rank_are_outermost(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("JOSTLE_FIRST", "SLURM_STEP_ID", "PMI_RANK"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SLURM_PROCID", "0")
    monkeypatch.setenv("SLURM_NTASKS", "8")
    monkeypatch.setenv("OMPI_COMM_WORLD_RANK", "0")
    monkeypatch.setenv("OMPI_COMM_WORLD_SIZE", "1")
    assert is_outermost()


def test_a_run_of_no_time_says_why_in_one_line(place: dict[str, str]) -> None:
    done = jostle("run", "--", "true", **place)
    assert "\nno verdict: it ran for less than 0.5 s\nnext: jostle digest true-" in done.err
    assert "slices" not in done.err


def digest(seconds: float, slice_ns: int, *, mpi: bool = False) -> Any:
    """The fields of a digest that the hint uses."""
    return SimpleNamespace(
        job="one",
        seconds=seconds,
        start_ns=100 * S,
        end_ns=100 * S + round(seconds * S),
        slice_ns=[slice_ns],
        mpi=[SimpleNamespace(counted=mpi)] if mpi else [],
    )


@pytest.mark.parametrize(
    ("seconds", "slice_ns", "said"),
    [
        (5, 2 * S, f"this run had only 3 slices of 2.00 s; {SHORTER} 250ms"),
        (0.6, 4 * S, f"this run had only 1 slice of 4.00 s; {SHORTER} 100ms"),
        (2, S // 4, f"this run had only 8 slices of 250 ms; {SHORTER} 100ms"),
        (0.4, 4 * S, ""),
        (90, 4 * S, ""),
        (5, S // 4, ""),
        (1, S // 10, ""),
    ],
)
def test_too_few_slices(seconds: float, slice_ns: int, said: str) -> None:
    assert few_slices(digest(seconds, slice_ns), by_itself=False) == said
    by_itself = few_slices(digest(seconds, slice_ns), by_itself=True)
    assert by_itself.partition(";")[0] == said.partition(";")[0]
    assert not said or "; the next with the same arguments has slices of" in by_itself


@pytest.mark.parametrize(
    ("seconds", "slice_ns"),
    [(0.4, 0), (1, S // 10), (3.9, S // 10), (4, S // 4), (63, S // 4), (64, 0)],
)
def test_the_length_of_slices_follows_the_length_of_a_run(seconds: float, slice_ns: int) -> None:
    short = short_run(digest(seconds, 4 * S))
    assert short == (past_runs.ShortRun(seconds, slice_ns) if slice_ns else None)


def test_no_engine_for_what_cannot_be_assessed() -> None:
    """A store that fails on every query."""
    store: Any = SimpleNamespace()
    found = end_verdict(store, "one", digest(1.5, 2 * S))
    assert found.why == f"this run had only 1 slice of 2.00 s; {SHORTER} 100ms"
    for may_be_assessed in (digest(5, 2 * S), digest(1.5, 2 * S, mpi=True)):
        assert "run_tables" in end_verdict(store, "one", may_be_assessed).why


@pytest.mark.in_turn
def test_the_next_run_of_a_short_command_has_shorter_slices(place: dict[str, str]) -> None:
    words = ("sh", "-c", "echo begun >&2; sleep 0.7; exit $STATUS")
    reported = "slices of 100 ms, since the last run of this command took 7"
    first = jostle("run", "--", *words, **place, STATUS="1")
    assert f"this run had only 1 slice of 4.00 s; {SHORTER} 100ms" in first.err
    second = jostle("run", "--", *words, **place, STATUS="0")
    assert second.err.startswith("begun\n")  # nothing is concluded from a run that failed
    promise = (
        "this run had only 1 slice of 4.00 s; the next with the same arguments has slices of "
        "100 ms, one with others needs --slice 100ms"
    )
    assert promise in second.err
    third = jostle("run", "--", *words, **place, STATUS="0")
    assert third.err.startswith(reported)
    assert third.err.split("\n")[1] == "begun"
    assert "this run had only" not in third.err
    as_json = jostle("run", "--json", "--", *words, **place, STATUS="0")
    report = json.loads(as_json.err.removeprefix("begun\n"))
    assert report["digest"]["slice_ns"] == [100_000_000]
    assert reported not in jostle("run", "--slice", "1s", "--", *words, **place, STATUS="0").err
    assert reported not in jostle("run", "--", *words, **place, STATUS="0", JOSTLE_SLICE="1s").err


def test_what_is_remembered_is_bounded_and_never_in_the_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    short = past_runs.ShortRun(7.5, S // 4)
    for number in range(210):
        past_runs.remember(["a", str(number)], tmp_path, short)
    assert past_runs.recall(["a", "209"], tmp_path) == short
    assert past_runs.recall(["a", "209"], tmp_path / "other") is None
    assert past_runs.recall(["a", "0"], tmp_path) is None
    past_runs.remember(["a", "209"], tmp_path, None)
    assert past_runs.recall(["a", "209"], tmp_path) is None
    file = tmp_path / "jostle/short-runs.json"
    key = list(json.loads(file.read_text()))[-1]
    for damage in (
        "[1]",
        "{",
        *(
            json.dumps({key: value})
            for value in (1, "hint", [7, 5], [7, 8 * S], ["7", S // 4], [7, 0.5 * S])
        ),
    ):
        file.write_text(damage)
        assert past_runs.recall(["a", "208"], tmp_path) is None
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null")
    past_runs.remember(["a"], tmp_path, short)
    assert past_runs.recall(["a"], tmp_path) is None
