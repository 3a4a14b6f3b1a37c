"""Which job a process belongs to, by the environment that launchers and batch systems set."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from harness import Compile, Runner

LAUNCHERS = (
    "JOSTLE_JOB SLURM_JOB_ID SLURM_STEP_ID SLURM_PROCID PBS_JOBID LSB_JOBID OMPI_MCA_orte_hnp_uri "
    "PMIX_NAMESPACE PMI_RANK PMI_FD PMI_PORT RANK WORLD_SIZE LOCAL_WORLD_SIZE LOCAL_SIZE "
    "MASTER_ADDR MASTER_PORT TORCHELASTIC_RUN_ID TORCHELASTIC_RESTART_COUNT"
).split()
NONE: dict[str, str | None] = dict.fromkeys(LAUNCHERS)
URI = "1788870656.0;tcp://192.0.2.1,198.51.100.7:35985"
WORLD = "[0-9a-f]{8}"
STEP = {"SLURM_JOB_ID": "77", "SLURM_STEP_ID": "3", "SLURM_PROCID": "0"}
# One of four ranks on two nodes, as torchrun starts it without options but those of the nodes.
RANK = {
    "RANK": "1",
    "WORLD_SIZE": "4",
    "LOCAL_WORLD_SIZE": "2",
    "MASTER_ADDR": "node7",
    "MASTER_PORT": "29500",
    "TORCHELASTIC_RUN_ID": "none",
}

# environment -> the job's name, launcher, batch
CASES: dict[str, tuple[dict[str, str], str, str, str]] = {
    "session": ({}, r"local-[0-9a-f]{8}-\d+", "", ""),
    "slurm": ({"SLURM_JOB_ID": "77"}, "slurm-77", "", "slurm-77"),
    "pbs": ({"PBS_JOBID": "12.host"}, "pbs-12.host", "", "pbs-12.host"),
    "lsf": ({"LSB_JOBID": "9"}, "lsf-9", "", "lsf-9"),
    "srun": (STEP, "slurm-77-s3", "slurm", "slurm-77"),
    "slurm-batch-step": ({**STEP, "SLURM_STEP_ID": "4294967291"}, "slurm-77", "", "slurm-77"),
    "srun-pmix": (
        {**STEP, "PMIX_NAMESPACE": "slurm.pmix.77.3"},
        "slurm-77-s3",
        "slurm",
        "slurm-77",
    ),
    "orte": ({"OMPI_MCA_orte_hnp_uri": URI}, f"mpi-{WORLD}", "orte", ""),
    "orte-in-slurm": (
        {**STEP, "OMPI_MCA_orte_hnp_uri": URI},
        f"slurm-77-w{WORLD}",
        "orte",
        "slurm-77",
    ),
    "prrte": ({"PMIX_NAMESPACE": "prterun-host-4711@1"}, f"mpi-{WORLD}", "prrte", ""),
    "pmix": ({"PMIX_NAMESPACE": "another.1"}, f"mpi-{WORLD}", "pmix", ""),
    "pmi-without-hydra": ({"PMI_RANK": "0", "PMI_FD": "9"}, r"local-[0-9a-f]{8}-\d+", "", ""),
    "torchrun": (RANK, f"train-{WORLD}", "torch", ""),
    "torchrun-in-slurm": (
        {**RANK, "SLURM_JOB_ID": "77"},
        f"slurm-77-w{WORLD}",
        "torch",
        "slurm-77",
    ),
    "torchrun-in-srun": ({**RANK, **STEP}, "slurm-77-s3", "slurm", "slurm-77"),
    "rank-of-mpirun": ({**RANK, "OMPI_MCA_orte_hnp_uri": URI}, f"mpi-{WORLD}", "orte", ""),
    "rank-of-what": ({"RANK": "0", "WORLD_SIZE": "1"}, r"local-[0-9a-f]{8}-\d+", "", ""),
    "named": ({"JOSTLE_JOB": "mine", **STEP}, "mine", "slurm", "slurm-77"),
}


def identity(
    jostle: Runner, build: Compile, env: dict[str, str], wrap: tuple[str, ...] = ()
) -> dict[str, str]:
    """Job, launcher, batch and world of one process with such an environment."""
    program = build("ends.c")
    result = jostle.run(*wrap, program, jostle.data, "return", "large", env={**NONE, **env})
    (process,) = result.named(program.name)
    for path in jostle.spool.iterdir():
        path.unlink()
    return {k: str(process.header[k]) for k in ("job", "launcher", "batch", "world")}


@pytest.mark.parametrize("case", CASES)
def test_names(jostle: Runner, build: Compile, case: str) -> None:
    """Each launcher and batch system leaves a name of the job."""
    env, name, launcher, batch = CASES[case]
    seen = identity(jostle, build, env)
    assert re.fullmatch(name, seen["job"]), seen
    assert (seen["launcher"], seen["batch"]) == (launcher, batch)
    assert bool(seen["world"]) == bool(launcher)


def test_worlds(jostle: Runner, build: Compile) -> None:
    """The same mpirun is the same world; what it spawned, too; another one is another."""

    def world(**env: str) -> str:
        return identity(jostle, build, env)["world"]

    other = URI.replace("35985", "35986")
    assert world(OMPI_MCA_orte_hnp_uri=URI) == world(OMPI_MCA_orte_hnp_uri=URI)
    assert world(OMPI_MCA_orte_hnp_uri=URI) != world(OMPI_MCA_orte_hnp_uri=other)
    assert world(PMIX_NAMESPACE="prterun-a-1@1") == world(PMIX_NAMESPACE="prterun-a-1@2")
    assert world(PMIX_NAMESPACE="prterun-a-1@1") != world(PMIX_NAMESPACE="prterun-a-2@1")
    assert world(**STEP) != world(**{**STEP, "SLURM_STEP_ID": "4"})
    assert world(**STEP) == world(**{**STEP, "SLURM_PROCID": "1"})


def child_of(name: str, *options: str) -> tuple[str, ...]:
    """A process with this name and these options, which starts what follows as its child."""
    script = f'shift {len(options)}; "$@"; exit $?'
    return ("bash", "-c", f"exec -a {name} bash -c '{script}' {name} \"$@\"", "x", *options)


def test_hydra_is_the_nearest_proxy(jostle: Runner, build: Compile) -> None:
    """The ancestor that has a control port identifies the world, up to eight generations away."""
    env = {"PMI_RANK": "0", "PMI_FD": "9"}
    first = child_of("hydra_pmi_proxy", "--control-port", "node:1234")
    second = child_of("hydra_pmi_proxy", "--control-port", "node:1235")
    shells = ("sh", "-c", '"$@"; exit $?', "sh") * 3
    seen = identity(jostle, build, env, first)
    assert (seen["job"], seen["launcher"]) == (f"mpi-{seen['world']}", "hydra")
    assert identity(jostle, build, env, (*first, *shells)) == seen
    assert identity(jostle, build, env, second)["world"] != seen["world"]
    assert identity(jostle, build, env, (*second, *first)) == seen


def test_one_launcher_inside_the_other(jostle: Runner, build: Compile) -> None:
    """With variables of both, the nearer launcher counts."""
    env = {"PMI_RANK": "0", "OMPI_MCA_orte_hnp_uri": URI}
    hydra = child_of("hydra_pmi_proxy", "--control-port", "node:1234")
    orte = child_of("/usr/bin/mpirun.openmpi", "-n")
    assert identity(jostle, build, env, (*orte, *hydra))["launcher"] == "hydra"
    assert identity(jostle, build, env, (*hydra, *orte))["launcher"] == "orte"


def test_ranks_of_one_launch(jostle: Runner, build: Compile) -> None:
    """On several nodes: where rank 0 listens, or torchrun's number, which outlasts the port."""

    def seen(**env: str) -> dict[str, str]:
        return identity(jostle, build, {**RANK, **env})

    first = seen()
    assert seen(RANK="3") == first
    assert seen(MASTER_PORT="29501")["job"] != first["job"]
    assert seen(MASTER_ADDR="node8")["job"] != first["job"]
    numbered = seen(TORCHELASTIC_RUN_ID="9")
    assert seen(TORCHELASTIC_RUN_ID="9", MASTER_PORT="1")["job"] == numbered["job"] != first["job"]
    again = seen(TORCHELASTIC_RUN_ID="9", TORCHELASTIC_RESTART_COUNT="1")
    assert again["job"] == numbered["job"] and again["world"] != numbered["world"]
    assert seen(TORCHELASTIC_RUN_ID="9", TORCHELASTIC_RESTART_COUNT="0") == numbered


@pytest.mark.parametrize("size", ["LOCAL_WORLD_SIZE", "LOCAL_SIZE"])
def test_launchers_on_one_node(jostle: Runner, build: Compile, size: str) -> None:
    """Where all ranks are on one node, each launcher is a job: they use the same port."""
    env = {**RANK, "LOCAL_WORLD_SIZE": "", size: "4", "LC_X": "x" * 5000}
    shell = ("sh", "-c", '"$@"; exit $?', "sh")
    launcher = ("env", "-u", "RANK", "sh", "-c", 'RANK=0 "$@"; exit $?', "sh")
    mine = identity(jostle, build, env)
    assert identity(jostle, build, env, shell * 2) == mine
    assert identity(jostle, build, env, launcher)["job"] != mine["job"]


# ---- real launchers ------------------------------------------------------------------------

OPENMPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
}


@pytest.fixture(params=["mpirun.openmpi", "mpirun.mpich"])
def mpirun(request: pytest.FixtureRequest) -> str:
    """Each launcher in turn."""
    if shutil.which(request.param) is None:
        pytest.skip(f"{request.param} is not installed")
    return str(request.param)


def start(jostle: Runner, mpirun: str, *command: str | Path) -> subprocess.Popen[str]:
    """Two processes under a launcher; the launcher itself is not profiled."""
    libraries = ":".join(map(str, jostle.preload()))
    env: dict[str, str | None] = {**NONE, **OPENMPI, "LD_PRELOAD": None}
    return jostle.start(
        mpirun, "-n", "2", "env", f"LD_PRELOAD={libraries}", *command, env=env, preload=[]
    )


def finish(process: subprocess.Popen[str]) -> None:
    """Waits for it; it must succeed."""
    _out, err = process.communicate(timeout=90)
    assert process.returncode == 0, err


@pytest.mark.in_turn
def test_two_at_once_are_two_jobs(jostle: Runner, build: Compile, mpirun: str) -> None:
    """Two concurrent runs of one user: two jobs of two processes each."""
    program = build("steady.c")
    runs = [start(jostle, mpirun, program, jostle.data / f"f{i}", "400") for i in range(2)]
    for run in runs:
        finish(run)
    processes = [p for p in jostle.collect().processes if p.program.endswith(program.name)]
    jobs = Counter(p.job for p in processes)
    assert sorted(jobs.values()) == [2, 2], jobs
    assert all(re.fullmatch(f"mpi-{WORLD}", job) for job in jobs)


def test_shells_under_a_launcher(jostle: Runner, build: Compile, mpirun: str) -> None:
    """The children and the parent of a rank are in the job of its mpirun."""
    program = build("ends.c")
    script = f'/bin/true; sh -c "{program} {jostle.data} return large; true"; true'
    finish(start(jostle, mpirun, "sh", "-c", script))
    result = jostle.collect()
    assert len(result.named("true")) == 2 and len(result.named(program.name)) == 2
    assert len({p.job for p in result.processes}) == 1, {p.job for p in result.processes}


def test_everything_of_hydra(jostle: Runner, build: Compile) -> None:
    """Its proxies, when they are profiled, too, are in the job of their ranks."""
    if shutil.which("mpirun.mpich") is None:
        pytest.skip("mpirun.mpich is not installed")
    program = build("ends.c")
    command = ["mpirun.mpich", "-n", "2", program, jostle.data, "return", "large"]
    result = jostle.run(*command, env=NONE)
    proxies = result.named("hydra_pmi_proxy")
    assert len({p.job for p in [*proxies, *result.named(program.name)]}) == 1 and proxies
