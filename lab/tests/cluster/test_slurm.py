"""Slurm in a lab: real jobs of both MPIs, profiled as a site profiles every job."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from lab_parts import MIB, kill, lab_of, native, needed, on, remains

from jostle.repository import Repository
from jostle_lab.cluster import Lab, LabSpec
from jostle_lab.cluster.lab import down
from jostle_lab.cluster.slurm import _pmix

PROGRAM = Path(__file__).parent / "programs" / "writers.c"
RANKS = 4
#: Ranks write 1, 2, 3 and 4 MiB.
WRITTEN = 10 * MIB

SCRIPT = """\
#!/bin/bash
#SBATCH --nodes=2 --ntasks=4 --ntasks-per-node=2
# What a batch script does: steps of both MPIs, mpiruns of both, and something by itself.
step() {{
    mkdir -p {shared}/$1
    timeout -k 5 40 "${{@:2}}" {shared}/$1 >{out}/$1.out 2>{out}/$1.err </dev/null
    echo "$1 $?" >>{out}/statuses
}}
{steps}
dd if=/dev/zero of={shared}/alone bs=1M count=5
echo "script $?" >>{out}/statuses
"""


@dataclass(frozen=True)
class Way:
    """A way to start an MPI program in a Slurm job."""

    name: str
    mpi: str
    launch: str


WAYS = (
    Way("srun-openmpi", "openmpi", "srun --mpi=pmix"),
    Way("srun-mpich", "mpich", "srun --mpi=pmi2"),
    Way("mpirun-openmpi", "openmpi", "mpirun.openmpi"),
    Way("mpirun-mpich", "mpich", "mpirun.mpich"),
)


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    if native("slurm-task-prolog") is None:
        pytest.skip("slurm-task-prolog is not built: run `make build`")
    with lab_of("slurm", fs="plain", slurm=True) as made:
        yield made


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The program, made by each MPI that is here."""
    folder = tmp_path_factory.mktemp("programs")
    made = {}
    for mpi in ("openmpi", "mpich"):
        compiler = shutil.which(f"mpicc.{mpi}")
        target = folder / f"writers-{mpi}"
        if compiler and not subprocess.run([compiler, PROGRAM, "-o", target]).returncode:
            made[mpi] = target
    return made


@pytest.fixture(scope="module")
def batch(
    lab: Lab, programs: dict[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Repository]:
    """One job that starts the program in every way; its outputs, and its profiles as tables."""
    out = tmp_path_factory.mktemp("batch")
    ways = [way for way in WAYS if way.mpi in programs]
    if not _pmix():
        ways = [way for way in ways if "pmix" not in way.launch]
    if not ways:
        pytest.skip("no MPI is installed")
    steps = "\n".join(f"step {way.name} {way.launch} {programs[way.mpi]}" for way in ways)
    script = out / "job.sh"
    script.write_text(SCRIPT.format(shared=lab.shared, out=out, steps=steps))
    said = on(lab, "node1", "sbatch", "--parsable", f"--output={out}/job.out", script)
    assert said.strip() == "1"
    _wait_for_end(lab)
    repository = Repository(out / "repository", create=True)
    repository.ingest([lab.local(node) / "spool" for node in lab.nodes])
    return out, repository


def _wait_for_end(lab: Lab) -> None:
    end = time.monotonic() + 250
    while on(lab, "node2", "squeue", "--noheader").strip():
        assert time.monotonic() < end, on(lab, "node2", "squeue")
        time.sleep(0.3)


@pytest.mark.in_turn("lab")
def test_nodes_are_idle_when_the_lab_is_up(lab: Lab) -> None:
    assert on(lab, "node2", "sinfo", "--noheader", "--format=%T %D %P").split() == [
        "idle",
        "2",
        "lab*",
    ]


@pytest.mark.in_turn("lab")
def test_programs_run_as_they_should(batch: tuple[Path, Repository]) -> None:
    out, _ = batch
    statuses = dict(line.split() for line in (out / "statuses").read_text().splitlines())
    errors = "".join(path.read_text() for path in out.glob("*.err"))
    assert statuses["script"] == "0"
    for name, status in statuses.items():
        if name == "script":
            continue
        found = re.findall(r"rank (\d) of 4 on (\w+)", (out / f"{name}.out").read_text())
        assert sorted(found) == [("0", "node1"), ("1", "node1"), ("2", "node2"), ("3", "node2")], (
            name,
            status,
            errors,
        )
        # MPICH's MPI_Finalize hangs between nodes now and then.
        assert status == "0" or name.endswith("mpich"), (name, status, errors)


@pytest.mark.in_turn("lab")
def test_every_launch_is_a_job_of_its_own(batch: tuple[Path, Repository]) -> None:
    """Under the number of the Slurm job, with its ranks, its nodes and all of its bytes."""
    out, repository = batch
    names = [line.split()[0] for line in (out / "statuses").read_text().splitlines()]
    expected = Counter(f"writers-{name.split('-')[1]}" for name in names if name != "script")
    found: Counter[str] = Counter()
    for job in repository.jobs().column("job").to_pylist():
        assert re.fullmatch(r"slurm-1(-s\d+|-w[0-9a-f]{8})?", job)
        ranks = [row for row in repository.job_processes(job).to_pylist() if row["world_size"]]
        if not ranks:
            continue
        assert job != "slurm-1"
        assert [row["world_rank"] for row in sorted(ranks, key=lambda row: row["world_rank"])] == [
            0,
            1,
            2,
            3,
        ]
        assert {row["world_rank"]: row["host"] for row in ranks} == {
            0: "node1",
            1: "node1",
            2: "node2",
            3: "node2",
        }
        (program,) = {Path(row["program"]).name for row in ranks}
        found[program] += 1
        assert _written(repository, job) == WRITTEN, job
    assert found == expected


@pytest.mark.in_turn("lab")
def test_the_whole_job_by_its_number(lab: Lab, batch: tuple[Path, Repository]) -> None:
    """Script, steps and mpiruns as one job; what Slurm knows of it; each step by its number."""
    out, repository = batch
    command = [sys.executable, "-m", "jostle.cli", "--repository", repository.path]
    digest = json.loads(on(lab, "node1", *command, "digest", "1", "--json"))
    # Prolog and epilog noted it in the spool of the first node.
    known = {
        "name": "job.sh",
        "partition": "lab",
        "account": "",
        "state": "completed",
        "exit": "0:0",
        "nodes": ["node1", "node2"],
        "output": f"{out}/job.out",
    }
    assert {key: digest["scheduler"][key] for key in known} == known
    row = digest["batch_job"]
    assert {part["job"] for part in row["parts"]} == set(repository.jobs()["job"].to_pylist())
    assert row["hosts"] == 2 and row["cpu_s"] > 0
    launched = [line for line in (out / "statuses").read_text().splitlines() if "run" in line]
    assert row["ranks"] == RANKS * len(launched)
    steps = [line for line in launched if line.startswith("srun")]
    ranks = {part["part"]: part["ranks"] for part in row["parts"]}
    assert [ranks[f"1.{number}"] for number in range(len(steps))] == [RANKS] * len(steps)
    assert row["parts"][0]["part"] == "1.batch"
    (whole,) = json.loads(on(lab, "node1", *command, "jobs", "--json"))["jobs"]
    assert whole["job"] == "1" and whole["written_bytes"] == row["written_bytes"]
    part = json.loads(on(lab, "node1", *command, "digest", "1.batch", "--json"))
    assert part["job"] == "slurm-1" and part["scheduler"] == digest["scheduler"]
    line = on(lab, "node1", *command, "digest", "1", "--line")
    assert line.startswith("1 job.sh (") and line.count("\n") == 1


@pytest.mark.in_turn("lab")
def test_the_digest_at_the_end_of_the_output(lab: Lab, batch: tuple[Path, Repository]) -> None:
    out, repository = batch
    site = out / "site.conf"
    site.write_text("digest = output\nwait = 0\n")
    command = [sys.executable, "-m", "jostle.cli", "--repository", repository.path]
    said = on(lab, "node1", *command, "site", "digest", "--config", site)
    assert said == f"slurm-1: digest appended to {out}/job.out\n"
    lines = (out / "job.out").read_text().splitlines()
    begin = lines.index(next(line for line in lines if line.startswith("---- jostle: Slurm job 1")))
    digest = lines[begin:]
    assert len(digest) <= 25 and max(map(len, digest)) <= 80, digest
    assert digest[0].startswith("---- jostle: Slurm job 1 job.sh, completed ---")
    text = "\n".join(digest)
    assert re.search(r"MPI collectives +calls a second +\d", text), text
    assert "interference: " in text and "coverage" not in text, text


@pytest.mark.in_turn("lab")
def test_arrays_requeues_and_overlapping_steps(lab: Lab, tmp_path: Path) -> None:
    """Each task and each start has its facts; concurrent steps are parts of one job."""
    script = tmp_path / "job.sh"
    script.write_text(
        '#!/bin/sh\n[ -n "$SLURM_RESTART_COUNT" ] || scontrol requeue $SLURM_JOB_ID\n'
        "for i in 1 2; do srun --overlap dd if=/dev/zero of=/dev/null bs=1M count=200 & done\n"
        "wait\n"
    )
    options = ("--requeue", "--output=/dev/null", "--array=4")
    number = on(lab, "node1", "sbatch", "--parsable", *options, script).strip()
    end = time.monotonic() + 100
    files: list[Path] = []
    while len(files) < 2 or b'"end"' not in files[-1].read_bytes():
        assert time.monotonic() < end, files
        time.sleep(0.5)
        # Slurm lets a requeued job wait for two minutes.
        hurry = ["scontrol", "update", f"JobId={number}", "StartTime=now"]
        subprocess.run(lab.command("node1", hurry, None, cwd="/"), capture_output=True, timeout=60)
        found = [path for node in lab.nodes for path in (lab.local(node) / "spool").glob("*.jsb")]
        files = sorted(path for path in found if f"-{number}." in path.name)
    repository = Repository(tmp_path / "repository", create=True)
    repository.ingest([lab.local(node) / "spool" for node in lab.nodes])
    rows = repository.query(
        "SELECT * FROM batch_jobs WHERE id = ? ORDER BY submit_ns", [number]
    ).to_pylist()
    assert len(rows) == 2 and rows[0]["submit_ns"] < rows[1]["submit_ns"]
    assert {row["array_task"] for row in rows} == {4}
    assert (rows[1]["state"], rows[1]["complete"]) == ("completed", True)
    assert len(repository.resolve_parts(number)) == 3, "the script and two steps"


def _written(repository: Repository, job: str) -> int:
    """Bytes that a job wrote to the shared file system."""
    rows = repository.job_mounts(job).to_pylist()
    shared = {row["mount"] for row in rows if row["path"].endswith("/shared")}
    assert len(shared) == 1, rows
    slices = repository.job_mount_slices(job).to_pylist()
    return sum(row["posix_write_bytes"] for row in slices if row["mount"] in shared)


@pytest.mark.in_turn("lab")
def test_the_script_itself_is_profiled(batch: tuple[Path, Repository]) -> None:
    _, repository = batch
    rows = repository.job_processes("slurm-1").to_pylist()
    programs = {Path(row["program"]).name for row in rows}
    assert {"bash", "dd"} <= programs
    assert _written(repository, "slurm-1") == 5 * MIB


@pytest.mark.in_turn("lab")
def test_a_job_without_a_script(lab: Lab, tmp_path: Path) -> None:
    """A user's own name and spool, and whatever he preloads, stay in force with the TaskProlog."""
    spool = tmp_path / "spool"
    spool.mkdir()
    env = {"JOSTLE_JOB": "mine", "JOSTLE_SPOOL": str(spool), "LD_PRELOAD": "libm.so.6"}
    words = 'echo "$LD_PRELOAD"; dd if=/dev/zero of=$0 bs=1M count=3 2>/dev/null'
    srun = ["srun", "--nodes=1", "--nodelist=node2", "sh", "-c", words, lab.shared / "mine"]
    said = on(lab, "node1", *srun, env=env).strip()
    assert re.fullmatch(r"/.*/libjostle\.so:libm\.so\.6(:/.*/libjostle_lab_mpich\.so)?", said)
    repository = Repository(tmp_path / "repository", create=True)
    repository.ingest([spool])
    assert repository.jobs().column("job").to_pylist() == ["mine"]
    assert _written(repository, "mine") == 3 * MIB
    hosts = {row["host"] for row in repository.job_processes("mine").to_pylist()}
    assert hosts == {"node2"}


ENVIRONMENT = 'printf "%s|%s|%s\\n" "$LD_PRELOAD" "$JOSTLE_SLICE" "${APPTAINERENV_LD_PRELOAD-none}"'


@pytest.mark.in_turn("lab")
def test_the_plugin(lab: Lab, tmp_path: Path) -> None:
    """Its option, what the operator allows, a step's own choice, and hostile environments."""
    if native("spank_jostle.so") is None:
        pytest.skip("spank_jostle.so is not built: it needs slurm/spank.h")

    def sees(*options: str, env: dict[str, str] | None = None) -> tuple[bool, list[str], str]:
        argv = ["srun", "--nodes=1", *options, "sh", "-c", ENVIRONMENT]
        done = subprocess.run(
            lab.command("node1", argv, env, cwd="/"), capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 0, done.stderr
        fields = done.stdout.strip().split("|")
        return "/libjostle.so" in fields[0], fields, done.stderr

    assert sees()[:1] == (True,)
    assert sees("--jostle=off")[:1] == (False,)
    seen, fields, said = sees("--jostle=500ms")
    assert seen and fields[1:] == ["500ms", ""] and said == ""
    seen, fields, said = sees("--jostle=50s")
    assert seen and fields[1] == "" and "slices here are 100 ms to 10000 ms" in said
    seen, fields, said = sees("--jostle=;reboot")
    assert seen and "';reboot' is ignored" in said
    seen, fields, _ = sees(env={"APPTAINERENV_LD_PRELOAD": "libm.so.6"})
    assert seen and fields[2] == "libm.so.6", "what the user set stays"
    seen, fields, _ = sees(env={"LD_PRELOAD": ":::/nowhere/%s%n.so:\t\x01"})
    assert seen and ":::/nowhere/%s%n.so:\t\x01" in fields[0]
    seen, fields, _ = sees(env={"LD_PRELOAD": "/nowhere/libjostle.so:libm.so.6"})
    assert seen and "/nowhere" not in fields[0], "it is not on this node"
    assert "/libjostle.so:libm.so.6" in fields[0]
    seen, fields, _ = sees("--jostle=off", env={"LD_PRELOAD": "/nowhere/libjostle.so"})
    assert "libjostle.so" not in fields[0]
    seen, fields, _ = sees(env={"LD_PRELOAD": ":" * 70_000})
    assert not seen, "it is left alone"

    script = tmp_path / "job.sh"
    steps = [
        f"srun {option} sh -c '{ENVIRONMENT}'" for option in ("--jostle=off", "--jostle=on", "")
    ]
    script.write_text("\n".join(["#!/bin/sh", *steps]))
    for choice, expected in (("off", [False, True, False]), ("on", [False, True, True])):
        out = tmp_path / f"{choice}.out"
        on(lab, "node1", "sbatch", f"--jostle={choice}", f"--output={out}", script)
        end = time.monotonic() + 60
        while not out.exists() or out.read_text().count("\n") < len(steps):
            assert time.monotonic() < end
            time.sleep(0.1)
        found = ["/libjostle.so" in line for line in out.read_text().splitlines()]
        assert found == expected, "a step has its own choice, else that of the job"


def test_what_the_prolog_prints(tmp_path: Path) -> None:
    """Next to its library, installed, with other preloads, and without a library."""
    prolog = native("slurm-task-prolog")
    if prolog is None:
        pytest.skip("slurm-task-prolog is not built: run `make build`")

    def prints(path: Path, preload: str = "", **more: str) -> str:
        # A preload that does not exist is the loader's business, not the script's.
        env = {"LD_PRELOAD": preload, **more}
        done = subprocess.run([path], env=env, capture_output=True, text=True)
        assert done.returncode == 0
        return done.stdout

    library = prolog.resolve().parent / "libjostle.so"
    name = library.parent / "jostle-preload/$PLATFORM/libjostle.so"
    if not (library.parent / "jostle-preload").exists():
        name = library
    spared = "export APPTAINERENV_LD_PRELOAD="
    assert prints(prolog) == f"export LD_PRELOAD={name}\n{spared}\n"
    both = f"export LD_PRELOAD={name}:libm.so.6\n{spared}libm.so.6\n"
    assert prints(prolog, "libm.so.6") == both
    gpu = f"export CUDA_INJECTION64_PATH={library.with_name('libjostle_cuda.so')}\n"
    assert prints(prolog, "libm.so.6", JOSTLE_GPU="on") == both + gpu
    assert prints(prolog, "libm.so.6", JOSTLE_GPU="kernels") == both + gpu
    assert prints(prolog, "libm.so.6", JOSTLE_GPU="off") == both
    assert prints(prolog, "libm.so.6", JOSTLE_GPU="on", CUDA_INJECTION64_PATH="") == both
    for there in (f"{library}", f"libm.so.6:{library}", f"libm.so.6 {library}", f"{name}"):
        assert prints(prolog, there) == ""
    alone = Path(shutil.copy(prolog, tmp_path / "alone"))
    assert prints(alone) == ""
    for gone in ("/nowhere/libjostle.so", "/nowhere/jostle-preload/$PLATFORM/libjostle.so"):
        assert prints(prolog, f"{gone} libm.so.6") == both, "a library of another node"
        assert prints(alone, f"{gone}:libm.so.6") == "export LD_PRELOAD=libm.so.6\n"
        assert prints(alone, gone) == "unset LD_PRELOAD\n"


def test_an_installed_prolog_finds_its_library(tmp_path: Path) -> None:
    prolog = native("slurm-task-prolog")
    cmake = shutil.which("cmake")
    if prolog is None or cmake is None or not (prolog.parents[1] / "CMakeCache.txt").exists():
        pytest.skip("needs a build tree and cmake")
    prefix = tmp_path / "opt"
    install = [cmake, "--install", prolog.parents[1], "--component", "native", "--prefix", prefix]
    subprocess.run(install, check=True, capture_output=True)
    said = subprocess.run(
        [prefix / "share/jostle/slurm/task_prolog"],
        env={},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    found = re.match(r"export LD_PRELOAD=(.*)\n", said)
    file = Path(found[1].replace("$PLATFORM", "x86_64")) if found else Path()
    assert file.is_relative_to(prefix) and file.is_file()


@pytest.mark.parametrize("name", ["a place", "a:place", "a\tplace"])
def test_the_prolog_names_no_library_that_the_loader_would_complain_of(
    tmp_path: Path, name: str
) -> None:
    prolog = native("slurm-task-prolog")
    if prolog is None:
        pytest.skip("slurm-task-prolog is not built: run `make build`")
    for folder, library in (("place", 1), (name, 0)):
        place = tmp_path / folder
        place.mkdir()
        (place / "libjostle.so").touch()
        shutil.copy(prolog, place)
        words = [place / prolog.name]
        said = subprocess.run(words, env={}, capture_output=True, text=True, check=True)
        assert said.stdout.count("export LD_PRELOAD=") == library
        assert said.stderr == ""


@pytest.mark.in_turn
@pytest.mark.parametrize("ending", ["down", "kill"])
def test_nothing_stays(ending: str) -> None:
    """With a job that runs on both nodes; its tasks end with the lab."""
    needed(LabSpec(fs="plain", slurm=True))
    if native("slurm-task-prolog") is None:
        pytest.skip("slurm-task-prolog is not built: run `make build`")
    with lab_of(f"slurm-{ending}", fs="plain", slurm=True) as made:
        marker = f"4711.{os.getpid()}"
        job = made.popen("node1", ["srun", "--nodes=2", "--ntasks=2", "sleep", marker])
        end = time.monotonic() + 60
        while _sleepers(marker) < 2:
            assert time.monotonic() < end
            time.sleep(0.05)
        if ending == "kill":
            kill(made)
            assert down(made.name) == [f"the lab `{made.name}` had ended without `down`"]
        else:
            assert made.down() == []
        assert job.wait(60) != 0
        assert _sleepers(marker) == 0
        assert remains(made) == []


def _sleepers(marker: str) -> int:
    """How many `sleep MARKER` run on this machine, in whatever namespace."""
    found = 0
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found += path.read_bytes().endswith(f"sleep\0{marker}\0".encode())
        except OSError:
            continue
    return found


STUDY = """\
[study]
name = "steps"
repetitions = 1
slice = "100ms"

[where]
place = "slurm"

[slurm]
spool = "{spool}"

[[program]]
name = "a"
pattern = "write-seek"
mpi = "openmpi"
processes = 2
nodes = 1
chunk = "256KiB"
volume = "64MiB"

[[program]]
name = "b"
pattern = "open-write-close"
mpi = "mpich"
processes = 2
nodes = 1
chunk = "256KiB"
volume = "64MiB"

[pairs]
list = [["a", "b"]]
"""


@pytest.mark.in_turn("lab")
@pytest.mark.slow
def test_a_study_on_slurm(lab: Lab, tmp_path: Path) -> None:
    """Standalone runs and a pair, as steps of one allocation; both MPIs in one repository."""
    for mpi in ("openmpi", "mpich"):
        if native(f"jostle-signal-{mpi}") is None or not _pmix():
            pytest.skip(f"needs jostle-signal-{mpi}, and PMIx in Slurm")
    (tmp_path / "local").mkdir()
    (tmp_path / "study.toml").write_text(STUDY.format(spool=tmp_path / "local"))
    store = tmp_path / "repository"
    on(
        lab,
        "node1",
        sys.executable,
        "-m",
        "jostle.cli",
        "study",
        "run",
        tmp_path / "study.toml",
        "--dir",
        lab.shared,
        "--repository",
        store,
        timeout=200,
    )
    repository = Repository(store)
    records = repository.study("steps").read_runs()
    assert [record["kind"] for record in records] == ["alone", "alone", "pair"]
    assert {record["place"] for record in records} == {"slurm"}
    for record in records:
        for program in record["programs"]:
            assert (program["status"], program["error"]) == (0, None), program
            assert _written(repository, program["job"]) == 64 * MIB
    pair = records[-1]["programs"]
    assert {node for program in pair for node in program["nodes"]} == {"node1", "node2"}
    states = on(lab, "node1", "squeue", "--noheader", "--format=%T").split()
    assert {*states} <= {"COMPLETING"}, "the allocation is given back"
    _wait_for_end(lab)
    assert list((tmp_path / "local").iterdir()) == []
    assert not any("jostle" in name for name in on(lab, "node1", "ls", "-a", lab.shared).split())
