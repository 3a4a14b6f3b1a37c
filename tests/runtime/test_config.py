"""Environment over operator's file over defaults; wrong values are named once."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from harness import Compile, Runner

SYSTEM_FILE = Path("/etc/jostle/jostle.conf")


@pytest.fixture
def operator(jostle: Runner, tmp_path: Path) -> object:
    """Writes the operator's file and returns the environment that names it."""
    if SYSTEM_FILE.exists():
        pytest.skip(f"{SYSTEM_FILE} exists: JOSTLE_CONFIG has no effect on this machine")

    def write(text: str, **more: str | None) -> dict[str, str | None]:
        path = tmp_path / "jostle.conf"
        path.write_text(text)
        return {"JOSTLE_CONFIG": str(path), **more}

    return write


WRONG = {
    "JOSTLE_SLICE": ["never", "99ms", "61s", "-1s", "4x", "1e3", "999999999999999999999s", ""],
    "JOSTLE": ["maybe"],
    "JOSTLE_SEGMENTS": ["some"],
    "JOSTLE_SEGMENT_SPAN": ["50ms", "2m"],
    "JOSTLE_CORE_PROBE": ["on", "4ms", "2s"],
    "JOSTLE_PEERS": ["2"],
    "JOSTLE_PAPI": ["A,B,C,D,E", "TWO WORDS", "PAPI_" + 32 * "X"],
    "JOSTLE_PERF": ["fast"],
    "JOSTLE_DIGEST": ["stdout"],
    "JOSTLE_COMMAND_LINES": ["some"],
    "JOSTLE_SPOOL": ["relative/folder"],
}


@pytest.mark.parametrize(("name", "value"), [(n, v) for n, vs in WRONG.items() for v in vs])
def test_wrong_values_are_named_once(
    jostle: Runner, build: Compile, operator: object, name: str, value: str
) -> None:
    """One line on stderr names variable and value; the default is used; the program goes on."""
    env: dict[str, str | None] = operator(f"spool = {jostle.spool}\n", **{name: value})  # type: ignore
    result = jostle.run(build("steady.c"), jostle.data / "file", 150, env=env)
    if value == "":
        assert result.stderr == ""
    else:
        assert result.stderr.count("\n") == 1, result.stderr
        assert name in result.stderr and value in result.stderr and "jostle" in result.stderr
    if name == "JOSTLE_SLICE":
        result.check("posix")
        assert result.only().slice_ns == 4_000_000_000


def test_wrong_value_is_named_once_in_a_tree(jostle: Runner) -> None:
    """A script with many children does not repeat the complaint for each of them."""
    script = "for i in 1 2 3 4 5; do /bin/true; done"
    result = jostle.run("/bin/sh", "-c", script, env={"JOSTLE_SLICE": "never"})
    assert result.stderr.count("never") == 1


@pytest.mark.parametrize(
    ("text", "ns"), [("100ms", 10**8), ("60s", 6 * 10**10), ("2", 2 * 10**9), ("500ms", 5 * 10**8)]
)
def test_slice_lengths(jostle: Runner, build: Compile, text: str, ns: int) -> None:
    """Seconds by default, with s or ms optionally."""
    result = jostle.run(build("ends.c"), jostle.data, "return", "large", length=text)
    assert result.only().slice_ns == ns


@pytest.mark.parametrize("names", ["cat,sh,dash,bash", "cat, sh ,\tdash, , bash"])
def test_programs_can_be_excluded(jostle: Runner, names: str) -> None:
    """Excluded programs leave nothing; their children are profiled."""
    script = "/bin/true; /bin/cat /dev/null; /bin/ls /dev/null >/dev/null"
    result = jostle.run("/bin/sh", "-c", script, env={"JOSTLE_EXCLUDE_PROGRAMS": names})
    assert {Path(p.program).name for p in result.processes} == {"true", "ls"}


def test_paths_can_be_excluded(jostle: Runner, build: Compile) -> None:
    """Files below an excluded path are not counted; a path that only begins alike is."""
    out, alike = jostle.data / "out", jostle.data / "outside"
    for folder in (out, alike):
        folder.mkdir()
    env = {"JOSTLE_EXCLUDE_PATHS": f"/nonexistent:{out}"}
    result = jostle.run(build("split.c"), out, alike, env=env)
    assert result.total("posix_write_ops") == 20
    assert result.total("posix_read_ops") == 10
    assert result.total("posix_open_ops") == 1


def test_operator_file(jostle: Runner, build: Compile, operator: object) -> None:
    """The file sets defaults; the environment overrides them."""
    spool = jostle.spool.with_name("spool2")
    spool.mkdir()
    text = f"# ours\n\nslice = 200ms\nspool = {spool}\nexclude_programs = true\n"
    env = operator(text, JOSTLE_SPOOL=None, JOSTLE_SLICE=None)  # type: ignore[operator]
    jostle.run(build("ends.c"), jostle.data, "return", "large", env=env)
    jostle.run("/bin/true", env=env)
    (process,) = jostle.collect(spool=spool).processes
    assert process.slice_ns == 200_000_000
    env["JOSTLE_SLICE"] = "300ms"
    jostle.run(build("ends.c"), jostle.data, "return", "large", env=env)
    assert {p.slice_ns for p in jostle.collect(spool=spool).processes} == {2 * 10**8, 3 * 10**8}


def test_operator_may_forbid(jostle: Runner, build: Compile, operator: object) -> None:
    """Locked keys keep the operator's value, silently or with a message, whatever the user sets."""
    text = f"slice = 200ms\nspool = {jostle.spool}\nlock = slice, spool, enabled\n"
    env = operator(text, JOSTLE_SPOOL="/nonexistent", JOSTLE_SLICE="1s", JOSTLE="off")  # type: ignore[operator]
    result = jostle.run(build("ends.c"), jostle.data, "return", "large", env=env)
    assert result.only().slice_ns == 200_000_000


def test_operator_switches_off(jostle: Runner, operator: object) -> None:
    """enabled = off holds until the user says on, or for good when locked."""
    for lock, left in [("", 1), ("lock = enabled\n", 0)]:
        env = operator(f"enabled = off\n{lock}", JOSTLE="on")  # type: ignore[operator]
        for old in jostle.spool.iterdir():
            old.unlink()
        jostle.run("/bin/true", env=env)
        assert len(list(jostle.spool.iterdir())) == left
    jostle.run("/bin/true", env=operator("enabled = off\n", JOSTLE=None))  # type: ignore[operator]
    assert not list(jostle.spool.iterdir())


@pytest.mark.parametrize(
    "text",
    ["slice = soon\n", "colour = blue\n", "no equals sign\n", "slice", "\0\0\0", "x" * 100_000],
)
def test_wrong_operator_file(jostle: Runner, build: Compile, operator: object, text: str) -> None:
    """Nonsense in the file is named at most once and never stops a program."""
    env = operator(text, JOSTLE_SLICE=None)  # type: ignore[operator]
    result = jostle.run(build("ends.c"), jostle.data, "return", "large", env=env)
    assert result.only().slice_ns == 4_000_000_000
    assert result.stderr.count("\n") <= 1


@pytest.mark.parametrize(
    ("variables", "job"),
    [
        ({"JOSTLE_JOB": "my/job ../x"}, "my_job____x"),
        ({"JOSTLE_JOB": "n" * 100}, "n" * 64),
        ({"SLURM_JOB_ID": "77"}, "slurm-77"),
        ({"PBS_JOBID": "8.srv"}, "pbs-8_srv"),
        ({"LSB_JOBID": "9"}, "lsf-9"),
    ],
)
def test_job_names(jostle: Runner, variables: dict[str, str], job: str) -> None:
    """The job is named by the user, else by the batch system; file names are made safe."""
    clean = dict.fromkeys(("SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOSTLE_JOB"))
    jostle.run("/bin/true", env={**clean, **variables})
    (path,) = jostle.spool.iterdir()
    assert re.fullmatch(rf"{job}\.{os.getuid()}\.[0-9a-f]{{8}}\.jss", path.name)


@pytest.mark.parametrize("names", [["a.b", "a_b", "a:b"], ["n" * 70 + "x", "n" * 70 + "y"]])
def test_jobs_of_similar_names_do_not_mix(jostle: Runner, names: list[str]) -> None:
    """Jobs whose names are equal in file names have short processes of their own."""
    for name in names:
        jostle.run("/bin/true", env={"JOSTLE_JOB": name})
    assert sorted(p.job for p in jostle.collect().processes) == sorted(names)
    assert len(list(jostle.spool.glob("*.jss"))) == len(names)


def test_job_of_a_session(jostle: Runner) -> None:
    """Without any name a job is what one session of this boot did."""
    boot = Path("/proc/sys/kernel/random/boot_id").read_text()[:8]
    clean = dict.fromkeys(("SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOSTLE_JOB"))
    jostle.run("/bin/true", env=clean)
    (path,) = jostle.spool.iterdir()
    assert path.match(f"local-{boot}-{os.getsid(0)}.{os.getuid()}.*.jss")
