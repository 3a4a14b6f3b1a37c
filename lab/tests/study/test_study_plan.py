"""The plan: which runs, in which order, with which baselines, and for how long."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jostle_lab.study import ConfigError, PlannedTime, plan
from jostle_lab.study.errors import StudyError
from jostle_lab.study.places.place import Local, stores_of
from jostle_lab.study.plan import preparing_seconds

THREE = """
[study]
name = "s"
repetitions = {repetitions}
seed = {seed}
[defaults]
volume = "64MiB"
[[program]]
pattern = "open-write-close"
[[program]]
pattern = "write-seek"
[[program]]
pattern = "aggregate-write"
[axes]
chunk = ["64KiB", "1MiB"]
[pairs]
mode = "{mode}"
"""


def three(mode: str = "race", repetitions: int = 3, seed: int = 1) -> str:
    return THREE.format(mode=mode, repetitions=repetitions, seed=seed)


def test_six_unordered_pairs_in_a_race(parse: Callable[..., Any]) -> None:
    runs = plan(parse(three()))
    assert Counter(run.kind for run in runs) == {"alone": 3 * 2 * 3, "pair": 6 * 2 * 3}
    assert {tuple(m.role for m in run.members) for run in runs if run.kind == "pair"} == {
        ("both", "both")
    }


def test_nine_ordered_pairs_with_probes(parse: Callable[..., Any]) -> None:
    runs = [run for run in plan(parse(three("probe"))) if run.kind == "pair"]
    assert len(runs) == 9 * 2 * 3
    assert {tuple(m.stop for m in run.members) for run in runs} == {("own", "partner")}


def test_round_robin_baselines_first_in_an_order_of_the_seed(parse: Callable[..., Any]) -> None:
    runs = plan(parse(three()))
    assert [run.repetition for run in runs] == sorted(run.repetition for run in runs)
    for repetition in (1, 2, 3):
        kinds = [run.kind for run in runs if run.repetition == repetition]
        assert kinds == ["alone"] * 6 + ["pair"] * 12
    orders = {
        tuple(run.index for run in runs if run.repetition == k and run.kind == "pair")
        for k in (1, 2, 3)
    }
    assert len(orders) == 3  # what drifts does not fall on one cell
    assert [run.id for run in plan(parse(three()))] == [run.id for run in runs]
    assert [run.id for run in plan(parse(three(seed=2)))] != [run.id for run in runs]
    assert len({run.id for run in runs}) == len(runs)


def test_more_repetitions_only_add(parse: Callable[..., Any]) -> None:
    few = [run.id for run in plan(parse(three(repetitions=2)))]
    many = [run.id for run in plan(parse(three(repetitions=4)))]
    assert many[: len(few)] == few


def test_a_pair_and_its_baselines_know_each_other(parse: Callable[..., Any]) -> None:
    for mode in ("race", "probe"):
        runs = plan(parse(three(mode)))
        alone = {run.members[0].program.baseline() for run in runs if run.kind == "alone"}
        paired = {m.program.baseline() for run in runs if run.kind == "pair" for m in run.members}
        assert alone == paired
        keys = Counter(run.cell_key for run in runs)
        assert set(keys.values()) == {3}


def test_two_values_go_to_the_two_of_a_pair(parse: Callable[..., Any]) -> None:
    text = three() + "[axes]\nprocesses = [[4, 1], [4, 2]]\n"
    text = text.replace('[axes]\nchunk = ["64KiB", "1MiB"]\n', "")
    runs = [run for run in plan(parse(text)) if run.kind == "pair"]
    assert {tuple(run.cell["processes"]) for run in runs} == {(4, 1), (4, 2)}


def test_commands_only_vary_by_what_they_mention(parse: Callable[..., Any]) -> None:
    text = (
        three()
        + """
[[program]]
name = "app"
command = ["app"]
[[program]]
name = "app-chunk"
command = ["app", "{chunk}"]
"""
    )
    alone = Counter(
        run.members[0].program.name
        for run in plan(parse(text, repetitions=1))
        if run.kind == "alone"
    )
    assert (alone["app"], alone["app-chunk"], alone["write-seek"]) == (1, 2, 2)


def test_programs_that_are_only_run_alone(parse: Callable[..., Any]) -> None:
    text = three().replace('pattern = "write-seek"', 'pattern = "write-seek"\nrole = "alone"')
    runs = plan(parse(text, repetitions=1))
    paired = {m.program.name for run in runs if run.kind == "pair" for m in run.members}
    assert paired == {"open-write-close", "aggregate-write"}
    assert sum(run.members[0].program.name == "write-seek" for run in runs) == 2


def test_estimate_learns(parse: Callable[..., Any]) -> None:
    study = parse(three())
    runs = plan(study)
    estimate = PlannedTime(study, runs)
    guess = estimate.left([run.id for run in runs])
    assert guess > len(runs)
    for run in runs[:18]:
        estimate.learn(run.id, 10.0)
    assert estimate.left([run.id for run in runs if run.repetition > 1]) == pytest.approx(360)


def test_too_many_and_too_few_runs(parse: Callable[..., Any]) -> None:
    many = ", ".join(str(n) for n in range(1, 600))
    with pytest.raises(ConfigError, match="100000 is the limit"):
        plan(parse(three().replace("[pairs]", f"processes = [{many}]\n[pairs]"), repetitions=100))
    none = '[study]\nname = "s"\n[[program]]\nname = "x"\ncommand = ["x"]\nneeds = ["no-such"]\n'
    with pytest.raises(ConfigError, match="nothing is left") as caught:
        plan(parse(none))
    assert "no-such not installed" in caught.value.hint
    table = three().replace('volume = "64MiB"', 'volume = { "1MiB" = "8MiB" }')
    with pytest.raises(ConfigError, match="no volume for a chunk of 64KiB"):
        plan(parse(table))


def test_nodes_follow_processes(parse: Callable[..., Any]) -> None:
    text = """
[study]
name = "s"
repetitions = 1
[where]
place = "slurm"
[defaults]
per_node = 4
volume = "1TiB"
[[program]]
pattern = "open-write-close"
[[program]]
pattern = "aggregate-write"
[axes]
processes = [[256, 64], [256, 128], [256, 2]]
[pairs]
list = [["open-write-close", "aggregate-write"]]
"""
    runs = plan(parse(text))
    nodes = sorted(run.cell["nodes"] for run in runs if run.kind == "pair")
    assert nodes == [[64, 1], [64, 16], [64, 32]]
    with pytest.raises(ConfigError, match="`nodes` sets it already"):
        parse(text.replace("per_node = 4", "per_node = 4\nnodes = 2"))


def test_few_nodes_write_no_faster_than_they_can(parse: Callable[..., Any]) -> None:
    text = three().replace("[defaults]", '[where]\nplace = "slurm"\n[defaults]\nprocesses = 60')
    text = text.replace("64MiB", "16000MiB")
    one, many = parse(text), parse(text.replace("processes = 60", "processes = 60\nnodes = 5"))
    spent = [PlannedTime(study, plan(study)).left([plan(study)[0].id]) for study in (one, many)]
    assert spent[0] > 16 and spent[0] > 2 * spent[1]


def test_what_is_read_is_written_before_the_start(parse: Callable[..., Any]) -> None:
    text = """
[study]
name = "s"
[lab]
storage_rate = "400mbit"
[defaults]
processes = 4
[[program]]
pattern = "read"
volume = "100MB"
[[program]]
name = "long"
pattern = "read"
volume = "1GiB"
[[program]]
pattern = "aggregate-write"
"""
    study = parse(text)
    read, long, write = study.programs
    assert preparing_seconds(study, [write]) == 0
    assert preparing_seconds(study, [read, write]) == pytest.approx(2 * (100 << 20) / 50e6)
    assert preparing_seconds(study, [read, long]) == pytest.approx(2 * (228 << 20) / 50e6)


def test_a_store_is_a_folder_of_every_program(parse: Callable[..., Any], tmp_path: Path) -> None:
    text = """
[study]
name = "s"
[where]
place = "local"
dir = "{dir}"
[[program]]
pattern = "write-seek"
[[program]]
name = "tar"
command = ["tar"]
[axes]
store = ["fast", ["fast", "slow"]]
"""
    study = parse(text.replace("{dir}", str(tmp_path)))
    assert stores_of(study) == ("", "fast", "slow")
    seen = [[one.program.store for one in run.members] for run in plan(study)[:10]]
    assert ["slow"] in seen and ["fast"] in seen
    place = Local(study)
    assert place.folder("r1", "slow") == tmp_path / "slow" / ".jostle-s" / "r1"
    with pytest.raises(StudyError, match=r"fast/\.jostle-s cannot be created"):
        place.open()
    for name in ("fast", "slow"):
        (tmp_path / name).mkdir()
    place.open()
    assert (tmp_path / "slow" / ".jostle-s").is_dir()
    place.close()
    assert [path for path in tmp_path.rglob("*") if path.name.startswith(".")] == []


def test_working_sets_are_left_to_the_machine(parse: Callable[..., Any]) -> None:
    text = """
[study]
name = "s"
repetitions = 1
[[program]]
pattern = "memory"
[[program]]
pattern = "cache"
chunk = "4MiB"
[[program]]
pattern = "cpu"
[[program]]
pattern = "metadata"
[axes]
shared = [false]
[pairs]
all = false
"""
    chunks = {
        run.members[0].program.name: run.members[0].program.chunk for run in plan(parse(text))
    }
    assert chunks == {"memory": None, "cache": 4 << 20, "cpu": None, "metadata": None}
    varied = text.replace("shared = [false]", 'chunk = ["64KiB", "1MiB"]')
    counts = Counter(run.members[0].program.name for run in plan(parse(varied)))
    assert counts == {"memory": 2, "cache": 1, "cpu": 1, "metadata": 1}


def test_progress_is_what_a_pattern_makes(parse: Callable[..., Any]) -> None:
    text = """
[study]
name = "s"
repetitions = 1
[[program]]
pattern = "read"
[[program]]
pattern = "cpu"
[[program]]
pattern = "metadata"
progress = "cpu_ns"
[[program]]
pattern = "write-seek-read"
[[program]]
pattern = "ping"
mpi = "openmpi"
processes = 2
[pairs]
all = false
"""
    programs = [run.members[0].program for run in plan(parse(text))]
    assert {program.name: program.progress for program in programs} == {
        "read": "read_bytes",
        "cpu": "operations",
        "metadata": "cpu_ns",
        "write-seek-read": "bytes",
        "ping": "operations",
    }
