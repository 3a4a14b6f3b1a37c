"""Plans of a validation: repeatable, interleaved, and over all classes of loss."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from jostle_lab.validation.codes import CODES, Bench, choose
from jostle_lab.validation.errors import ValidationError
from jostle_lab.validation.lab.plan import PROBES, SCHEDULE_S, SLICE_NS, from_json, rhythm, scenes
from jostle_lab.validation.plan import LEAST, MOST, SHAPES, ValidationStep, longer, steps

_CODES = [CODES["lammps"], CODES["stencil"]]


def plan(seed: int = 0) -> list[ValidationStep]:
    """Plans the usual number of runs of two programs."""
    return steps(_CODES, injected=15, disturbed=5, clean=4, seed=seed)


def test_a_plan_is_repeatable() -> None:
    """The same seed gives the same runs: a killed validation goes on where it was."""
    assert plan() == plan()
    assert plan() != plan(seed=1)


def test_programs_take_turns_and_the_first_run_is_clean() -> None:
    """No spell of the machine can hit one program alone."""
    runs = plan()
    assert [run.code for run in runs[:4]] == ["lammps", "stencil", "lammps", "stencil"]
    assert {run.kind for run in runs[:2]} == {"clean"}
    assert len({run.job for run in runs}) == len(runs) == 2 * 24


def test_injected_runs_are_of_all_classes() -> None:
    """Several runs low, medium and high; the least and the greatest as promised."""
    aimed = [run.strength for run in plan() if run.kind == "inject" and run.code == "lammps"]
    assert (min(aimed), max(aimed)) == (LEAST, MOST)
    assert sum(share < 0.075 for share in aimed) >= 4
    assert sum(0.075 <= share <= 0.15 for share in aimed) >= 3
    assert sum(share > 0.15 for share in aimed) >= 4


def test_disturbers_lie_inside_the_run() -> None:
    """Windows do not overlap, and end before the run does."""
    for run in plan():
        ends = [start + length for start, length in run.windows]
        assert all(end <= start for end, (start, _) in zip(ends, run.windows[1:], strict=False))
        assert not ends or ends[-1] < 1.0
        assert bool(run.windows) == (run.kind in ("cpu", "memory"))


def test_unknown_and_missing_programs_are_reported() -> None:
    """A misspelt name is a user's mistake, with what there is instead."""
    with pytest.raises(ValidationError, match="no program `lamps`") as error:
        choose(["lamps"])
    assert "lammps" in error.value.hint
    assert error.value.exit_code == 2


def test_bursts_lie_on_slices() -> None:
    """Neighbours come and go at boundaries of slices, over the whole experiment."""
    found = rhythm(4.0, 1.6, 0.3)
    step = SLICE_NS / 1e9
    assert all(begin % step == 0 and length % step == 0 for begin, length in found)
    assert found[0] == (1.25, 1.5)
    assert found[-1][0] + 4.0 >= SCHEDULE_S


def test_experiments_in_the_lab() -> None:
    """Each probe runs alone, twice at least; harmful runs have harmless neighbours, too."""
    made = scenes(harmful=12, null=20, seed=3)
    assert made == scenes(harmful=12, null=20, seed=3)
    assert sum(one.null for one in made) == 20
    alone = [one.probe for one in made if one.name == "alone"]
    assert all(alone.count(name) == (2 if probe.apart else 3) for name, probe in PROBES.items())
    for one in made:
        assert sum(neighbour.harm for neighbour in one.neighbours) == (one.name == "harmful")
        assert len(one.neighbours) >= 2 or one.name != "harmful"
        assert from_json(one.to_json()) == one


def test_raw_runs_are_in_the_plan() -> None:
    """One clean and the others injected from least to most; names of their own."""
    runs = steps(_CODES, injected=15, disturbed=5, clean=4, seed=0, raw=6)
    raw = [run for run in runs if run.raw and run.code == "lammps"]
    assert sorted(run.kind for run in raw) == ["clean", *["inject"] * 5]
    assert {LEAST, MOST} <= {run.strength for run in raw}
    assert all(run.job.endswith("-raw") == run.raw for run in runs)
    assert not runs[0].raw and len({run.job for run in runs}) == 2 * 30


def test_programs_with_more_ranks_and_commands_of_ones_own() -> None:
    """Each program of ours with 2, 4 and 8 ranks; a command has two unless requested otherwise."""
    assert [code.ranks for code in choose(["stencil", "stencil@4", "stencil@8"])] == [2, 4, 8]
    (own,) = choose([], ["solve=true -x 'a b'"])
    assert (own.ranks, own.argv(own.where or Path())) == (2, ["true", "-x", "a b"])
    assert [code.name for code in choose(["stencil"], ["solve@16=true"])] == ["stencil", "solve@16"]


@pytest.mark.parametrize(
    ("commands", "says"),
    [
        (["true"], "not a program to validate with"),
        (["mine="], "not a program to validate with"),
        (["mine='x"], "not a program to validate with"),
        (["mine@0=true"], "not a program to validate with"),
        (["stencil@2=true"], "a reserved name"),
        (["logs=true"], "a reserved name"),
        (["mine=/nowhere/at-all"], "cannot be run"),
        (["mine=true", "mine=false"], "same name"),
    ],
)
def test_commands_that_cannot_be_run_are_refused(commands: list[str], says: str) -> None:
    """Before anything is run, as a user's mistake."""
    with pytest.raises(ValidationError, match=says) as error:
        choose([], commands)
    assert error.value.exit_code == 2 and error.value.hint


def test_a_name_stands_for_one_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs of another command, or of the same elsewhere, are never taken for those of this one."""
    monkeypatch.chdir(tmp_path)
    bench = Bench(tmp_path / "programs")
    assert bench.folder(choose([], ["solve=true a"])[0]) == tmp_path
    assert bench.folder(choose([], ["solve=true a"])[0]) == tmp_path
    with pytest.raises(ValidationError, match="`true a`") as error:
        bench.folder(choose([], ["solve=true b"])[0])
    assert error.value.exit_code == 2
    monkeypatch.chdir("/")
    with pytest.raises(ValidationError, match="from elsewhere"):
        bench.folder(choose([], ["solve=true a"])[0])


def test_quick_runs_are_short_and_never_among_long_ones(tmp_path: Path) -> None:
    """The oracle compares runs of the same work."""
    (long,), (short,) = choose(["solver"]), choose(["solver"], quick=True)
    assert long.steps >= 3 * short.steps
    assert str(long.steps) in long.argv(tmp_path) and str(short.steps) in short.argv(tmp_path)
    prepared = [replace(code, make=lambda _folder, _code: None) for code in (long, short)]
    for code in prepared:
        assert Bench(tmp_path / code.argv(tmp_path)[-1]).folder(code).is_dir()
    began = Bench(tmp_path / short.argv(tmp_path)[-1])
    with pytest.raises(ValidationError, match="another length") as error:
        began.folder(prepared[0])
    assert error.value.exit_code == 2 and "--quick" in error.value.hint
    assert began.folder(prepared[1]).is_dir()


def test_longer_delays_keep_their_shape() -> None:
    """Where too many calls would be delayed, delays become longer: mean, spread and minimum."""
    assert [longer(shape, 2.5) for shape in SHAPES] == [
        "gauss:100ms,25ms",
        "gauss:20ms,5ms",
        "fixed:2.5ms",
        "pareto:10ms,1.6",
    ]


def test_lab_scenes_share_what_the_probe_needs() -> None:
    """Harm on file systems, on a core and on the network; and small load on the probe's mount."""
    plan = scenes(harmful=15, null=25, seed=3)
    harmful = [scene for scene in plan if not scene.null]
    bad = {scene.probe: scene.neighbours[0] for scene in harmful}
    assert set(bad) == set(PROBES)
    assert bad["computer"].core == PROBES["computer"].core and bad["computer"].node == "node1"
    assert bad["talker"].partner
    alongside = [scene for scene in plan if scene.neighbours]
    little = [scene for scene in alongside if any(one.name == "little" for one in scene.neighbours)]
    assert 3 * len(little) >= len(alongside)
    null = [
        scene
        for scene in plan
        if scene.name == "harmless" and scene.probe in ("writer", "files", "phases")
    ]
    assert null and all(scene in little for scene in null)
