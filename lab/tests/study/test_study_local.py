"""Studies on this machine: failures are results, interrupted ones are resumed, nothing is left."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest
from workplace import Workplace

from jostle_lab.study.processes import Task, marked

COMMANDS = """
[study]
name = "words"
repetitions = 2
slice = "100ms"
[where]
place = "local"
settle = 0
[defaults]
expect = "1s"
[[program]]
name = "writes"
command = ["dd", "if=/dev/zero", "of={dir}/data", "bs=1M", "count=20"]
[[program]]
name = "fails"
command = ["sh", "-c", "echo oh dear >&2; exit 3"]
[[program]]
name = "absent"
command = ["/no/such/program"]
[[program]]
name = "hangs"
command = ["sleep", "1000"]
limit = "1s"
[[program]]
name = "crashes"
command = ["sh", "-c", "kill -SEGV $$"]
[pairs]
list = [["writes", "fails"], ["writes", "absent"], ["writes", "hangs"], ["fails", "crashes"]]
"""
SLOW = """
[study]
name = "slow"
repetitions = 2
slice = "100ms"
[where]
place = "local"
settle = 0
[[program]]
name = "sleeps"
command = ["sh", "-c", "sleep 300 & sleep 1.5; kill $!"]
[[program]]
name = "naps"
command = ["sleep", "1.5"]
[pairs]
list = [["sleeps", "naps"]]
"""
PATTERNS = """
[study]
name = "patterns"
repetitions = 1
slice = "100ms"
[where]
place = "local"
[defaults]
processes = 2
chunk = "64KiB"
mpi = "{mpi}"
[[program]]
name = "probe"
pattern = "write-seek"
volume = "8MiB"
role = "probe"
[[program]]
name = "signal"
pattern = "aggregate-write"
period = "400ms"
time = "1s"
role = "signal"
[pairs]
mode = "probe"
"""


def test_failures_are_results(workplace: Workplace) -> None:
    path = workplace.write(COMMANDS)
    code, out, err = workplace.study("run", str(path), "--repetitions", "1")
    assert code == 1, err
    assert "In 8 runs a program failed" in out
    records = {record["run"]: record for record in workplace.records("words")}
    assert len(records) == 5 + 4
    reported = {one["name"]: one for record in records.values() for one in record["programs"]}
    assert reported["writes"]["error"] is None and reported["writes"]["status"] == 0
    assert reported["writes"]["written"] >= 20 << 20
    assert reported["fails"]["error"] == "ended with status 3: oh dear"
    assert reported["fails"]["stderr"] == ["oh dear"]
    assert reported["absent"]["status"] == 127 and "/no/such/program" in reported["absent"]["error"]
    assert reported["hangs"]["error"] == "ended by its time limit of 1 s"
    assert reported["crashes"]["error"].startswith("killed by signal 11")
    assert "fails: ended with status 3: oh dear" in err
    workplace.nothing_left("words")
    code, out, err = workplace.study("run", str(path), "--repetitions", "1")
    assert code == 1 and "is complete" in out and "jostle study show" in err
    assert len(workplace.records("words")) == 9


def test_an_interrupted_study_goes_on_where_it_was(workplace: Workplace) -> None:
    path = workplace.write(SLOW)
    code, _, err = workplace.interrupted("slow", 2, "run", str(path), "--fresh")
    assert code == 130, err
    assert "2 of 6 runs are in the repository; the same command without --fresh continues" in err
    workplace.nothing_left("slow")
    before = workplace.records("slow")
    assert len(before) == 2
    with (workplace.repository / "studies/slow/runs.jsonl").open("a") as stream:
        stream.write('{"run": "torn')
    code, _, err = workplace.study("run", str(path))
    assert code == 0, err
    after = workplace.records("slow")
    assert after[:2] == before
    wanted = {f"r0{k}-{what}" for k in (1, 2) for what in ("a001", "a002", "p001")}
    assert sorted(record["run"] for record in after) == sorted(wanted)
    jobs = [one["job"] for record in after for one in record["programs"]]
    assert len(jobs) == len(set(jobs))
    workplace.nothing_left("slow")


@pytest.mark.in_turn
def test_what_a_killed_study_left_is_cleared(workplace: Workplace) -> None:
    path = workplace.write(SLOW)
    process = workplace.start("run", str(path))
    workplace.under_way("slow", 1)
    process.kill()
    process.communicate()
    assert (workplace.repository / "studies/slow/running.json").exists()
    code, _, err = workplace.study("run", str(path), "--repetitions", "1")
    assert code == 0, err
    assert len(workplace.records("slow")) == 3
    workplace.nothing_left("slow")


@pytest.mark.in_turn
def test_sigterm_ends_a_study_in_order(workplace: Workplace) -> None:
    process = workplace.start("run", str(workplace.write(SLOW)))
    workplace.under_way("slow", 0)
    process.terminate()
    process.communicate(timeout=60)
    assert process.returncode == 130
    workplace.nothing_left("slow")


def test_a_changed_study_needs_a_name(workplace: Workplace) -> None:
    head = COMMANDS[: COMMANDS.index('[[program]]\nname = "fails"')]
    path = workplace.write(head.replace("repetitions = 2", "repetitions = 1"))
    assert workplace.study("run", str(path))[0] == 0
    path.write_text(path.read_text().replace("count=20", "count=10"))
    code, _, err = workplace.study("run", str(path))
    assert code == 2 and "was different: programs changed" in err
    assert "--name words-2" in err and "--fresh" in err
    assert workplace.study("run", str(path), "--dry-run")[0] == 2
    assert workplace.study("run", str(path), "--name", "words-2")[0] == 0
    assert workplace.study("run", str(path), "--fresh")[0] == 0
    assert workplace.open().studies() == ["words", "words-2"]
    # Jobs of the forgotten runs are still in the repository: the new ones bear other names.
    reported = {record["run"]: record for record in workplace.records("words")}
    assert reported["r01-a001"]["programs"][0]["job"] == "words.r01-a001.writes.a2"


def test_dry_run_runs_nothing(workplace: Workplace) -> None:
    path = workplace.write(COMMANDS)
    code, out, err = workplace.study("run", str(path), "--dry-run")
    assert code == 0
    assert "18 runs in place local (10 alone, 8 pairs, 2 repetitions): 18 to make, about" in out
    assert "writes × hangs" in out and f"jostle study run {path}" in err
    assert not workplace.repository.exists()
    code, out, _ = workplace.study("list")
    assert code == 0 and "write-patterns" in out and "unequal-sizes-full" in out


@pytest.mark.parametrize(
    "mpi",
    [
        pytest.param("none", marks=pytest.mark.in_turn),
        "openmpi",
        pytest.param("mpich", marks=pytest.mark.in_turn),
    ],
)
def test_patterns_on_every_mpi(workplace: Workplace, mpi: str) -> None:
    import shutil

    from jostle import NativeMissingError, native_path

    try:
        native_path("jostle-signal" if mpi == "none" else f"jostle-signal-{mpi}")
    except NativeMissingError as error:
        pytest.skip(str(error))
    if mpi != "none" and shutil.which(f"mpirun.{mpi}") is None:
        pytest.skip(f"mpirun.{mpi} is not installed")
    code, _, err = workplace.study("run", str(workplace.write(PATTERNS.format(mpi=mpi))))
    assert code == 0, err
    for record in workplace.records("patterns"):
        for one in record["programs"]:
            assert one["error"] is None and one["status"] == 0, one
            # The log of the signal is what the profile saw.
            assert one["written"] == pytest.approx(one["bytes"], rel=0.01)
            assert one["processes"] == 2
            if one["name"] == "probe":
                assert one["bytes"] == 8 << 20
    pair = next(record for record in workplace.records("patterns") if record["kind"] == "pair")
    probe, signal = pair["programs"]
    assert (probe["role"], signal["role"], signal["until_stopped"]) == ("probe", "signal", True)
    assert signal["end_ns"] >= probe["end_ns"] - 50_000_000
    assert pair["start_ns"] % 100_000_000 == 0
    assert probe["begin_ns"] >= pair["start_ns"]
    logs = list((workplace.repository / "studies/patterns/logs").glob("*/*/*.jsonl"))
    assert len(logs) == 2 * 4
    workplace.nothing_left("patterns")


@pytest.mark.in_turn
def test_a_full_file_system_is_a_result(workplace: Workplace, tmp_path: Path) -> None:
    text = PATTERNS.format(mpi="none").replace('"8MiB"', '"64MiB"')
    text = text.replace('"write-seek"', '"aggregate-write"\nlimit = "20s"')
    if os.geteuid() != 0:
        pytest.skip("a small file system needs root")
    small = tmp_path / "small"
    small.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "small", str(small)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        code, _, err = workplace.study("run", str(workplace.write(text)), "--dir", str(small))
    finally:
        subprocess.run(["umount", "--lazy", str(small)], check=True)
    assert code == 1, err  # its runs failed
    probe = workplace.records("patterns")[-1]["programs"][0]
    assert probe["status"] == 2 and "may hold" in probe["error"], probe
    workplace.nothing_left("patterns")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("run", "nothing-there"), "neither a file nor a shipped one"),
        (("run", "x.toml"), "There is no file x.toml"),
        (("run", "write-patterns", "--name", "a b"), "cannot name a study"),
        (("run", "write-patterns", "--place", "slurm"), "needs a folder"),
        (("run", "write-patterns-full", "--dry-run"), "needs a folder"),
    ],
)
def test_mistakes_have_a_fix(workplace: Workplace, words: tuple[str, ...], message: str) -> None:
    import re

    code, _, err = workplace.study(*words)
    assert code == 2 and "preparing the place" not in err
    assert re.search(message, err) and "fix:" in err, err


def test_a_folder_that_cannot_be_written(workplace: Workplace) -> None:
    path = workplace.write(SLOW)
    code, _, err = workplace.study("run", str(path), "--dir", "/proc/1")
    assert code == 1 and "/proc/1" in err and "--dir" in err


def test_the_next_step_of_show_goes_on_with_the_study(workplace: Workplace) -> None:
    text = """
[study]
name = "{name}"
repetitions = 1
[where]
place = "local"
[[program]]
name = "true"
command = ["true"]
expect = "1s"
[pairs]
all = false
"""
    for name, step in (
        ("mine", "jostle study run STUDY.toml --repetitions N"),
        ("network-quick", "jostle study run network --quick --place local --repetitions N"),
    ):
        path = workplace.write(text.format(name=name))
        assert workplace.study("run", str(path))[0] == 0
        code, _, err = workplace.study("show", name)
        assert code == 0 and step in err, err


def test_a_misspelt_folder_is_not_made(workplace: Workplace, tmp_path: Path) -> None:
    wrong = tmp_path / "scrtach"
    code, _, err = workplace.study("run", str(workplace.write(SLOW)), "--dir", str(wrong))
    assert code == 1 and str(wrong) in err and "fix:" in err
    assert not wrong.exists()


def asked_task(words: Path, mark: str, on_term: str, limit_s: float) -> Task:
    """A program that goes on until it is asked to end, and then does something else first."""
    from jostle_lab.study.launch import MARK, Command

    argv = ["sh", "-c", f"trap '{on_term}' TERM; while :; do sleep 0.1; done"]
    env = dict(os.environ) | {"JOSTLE_JOB": "stubborn", MARK: mark}
    return Task(
        job="stubborn",
        mark=mark,
        commands=[Command(argv, env)],
        words=words,
        stop=lambda processes: [process.terminate() for process in processes] and None,
        limit_s=limit_s,
    )


@pytest.mark.in_turn
def test_a_program_that_is_slow_to_end(tmp_path: Path) -> None:
    """What waits for a loaded disk when it is asked to end ends well, if late."""
    task = asked_task(tmp_path, f"c.{os.getpid()}", "sleep 6; exit 0", 60)
    task.start()
    time.sleep(0.5)
    task.ask()
    end = time.monotonic() + 30
    while not task.poll():
        assert time.monotonic() < end
        time.sleep(0.05)
    assert task.error is None and task.status == 0


def test_a_program_that_ignores_being_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jostle_lab.study.processes.ASKED_S", 1.0)
    task = asked_task(tmp_path, f"a.{os.getpid()}", "", 0.2)
    other = asked_task(tmp_path, f"b.{os.getpid()}", "", 60).commands[0]  # of somebody else's run
    another = subprocess.Popen(other.argv, env=other.env)
    task.start()
    end = time.monotonic() + 30
    while not task.poll():
        assert time.monotonic() < end
        time.sleep(0.02)
    assert task.error == "ended by its time limit of 0.2 s" and task.status == 137
    assert not marked(task.mark)
    assert another.poll() is None
    another.kill()
    another.wait()
