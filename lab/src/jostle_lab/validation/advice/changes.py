"""Applies advice in a lab: what jostle advised is done, and the same jobs run again."""

from __future__ import annotations

import contextlib
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from jostle_lab.cluster import Lab, network
from jostle_lab.validation.advice.plan import (
    CHUNKS,
    EXCLUSIVE,
    FEWER,
    LEAF,
    LICENCE,
    NOTHING,
    RATE,
    SERVER,
    SHIFT,
    Experiment,
    Job,
)
from jostle_lab.validation.advice.runs import Rounds, run, run_by_slurm, said
from jostle_lab.validation.errors import ValidationError
from jostle_lab.validation.lab.messages import MessageJob

#: The licence of the experiments in the lab's Slurm.
_LICENCE_NAME = "storage"
#: Slurm looks for jobs to start every second; by default it does so less often.
_SCHEDULER = "SchedulerParameters=bf_interval=1,sched_interval=1,sched_min_interval=0"
#: Time until clients know that a server is out, and the little that is stored has moved, seconds.
_MOVED_S = 5.0


def run_changed(
    lab: Lab, experiment: Experiment, setting: Mapping[str, float], *, mark: str
) -> dict[str, Rounds]:
    """Run the jobs of an experiment with its lever applied; return the rounds of each job.

    Args:
        lab: The lab.
        experiment: The experiment; not with LEAF.
        setting: Setting of the lever: `seconds`, `at_once`, `bytes_s`, `chunk`, `out`; with LICENCE
            the licences that each program needs, and their `total`.
        mark: Prefix of the jobs' names.

    Raises:
        ValidationError: The lever cannot be applied, or a job failed.
    """
    first, *others = experiment.jobs
    if experiment.lever == LICENCE:
        return _with_licences(lab, experiment.jobs, setting, mark)
    if experiment.lever == EXCLUSIVE:
        alone = ["--exclusive", f"--nodelist={first.node}"]
        options = {job.name: alone if job is first else [] for job in experiment.jobs}
        return run_by_slurm(lab, experiment.jobs, options, mark=mark)
    if experiment.lever == RATE:
        with _limited(lab, others[0].node, setting["bytes_s"]):
            return run(lab, experiment, experiment.jobs, mark=mark)
    if experiment.lever == SERVER:
        with _out(lab, int(setting["out"])):
            return run(lab, experiment, experiment.jobs, mark=mark)
    at_once = int(setting["at_once"]) if experiment.lever == FEWER else 0
    return run(lab, experiment, changed_jobs(experiment, setting), mark=mark, at_once=at_once)


def changed_jobs(experiment: Experiment, setting: Mapping[str, float]) -> list[Job]:
    """Return the jobs of an experiment after a change that concerns only the jobs themselves."""
    first, *others = experiment.jobs
    if experiment.lever == NOTHING:
        return [first]
    if experiment.lever == CHUNKS:
        return [replace(first, chunk=int(setting["chunk"])), *others]
    if experiment.lever == SHIFT:
        later = setting["seconds"]
        return [first, *(replace(job, delay_s=job.delay_s + later) for job in others)]
    return [first, *others]


def changed_messages(experiment: Experiment) -> list[MessageJob]:
    """Return the jobs of an experiment with LEAF, the first one under one leaf switch.

    Its second rank moves to a node of the first rank's leaf that no other job uses.
    """
    assert experiment.lever == LEAF
    first, *others = experiment.messages
    used = {node for job in others for node in job.nodes} | {first.nodes[0]}
    near = next(f"node{at}" for at in range(1, 5) if f"node{at}" not in used)
    return [replace(first, nodes=(first.nodes[0], near)), *others]


def _with_licences(
    lab: Lab, jobs: Sequence[Job], setting: Mapping[str, float], mark: str
) -> dict[str, Rounds]:
    _configure(lab, [f"Licenses={_LICENCE_NAME}:{int(setting['total'])}", _SCHEDULER])
    options = {}
    for job in jobs:
        needed = int(setting.get(job.program, 0))
        licence = [f"--licenses={_LICENCE_NAME}:{needed}"] if needed else []
        options[job.name] = [f"--nodelist={job.node}", *licence]
    return run_by_slurm(lab, jobs, options, mark=mark)


def _configure(lab: Lab, lines: Sequence[str]) -> None:
    """Set lines of the configuration of a lab's Slurm; they replace lines of the same keys."""
    path = lab.folder / "slurm" / "slurm.conf"
    keys = tuple(line.partition("=")[0] + "=" for line in lines)
    kept = [line for line in path.read_text().splitlines() if not line.startswith(keys)]
    path.write_text("\n".join([*kept, *lines]) + "\n")
    said(lab, "scontrol", "reconfigure")
    time.sleep(1.0)


@contextlib.contextmanager
def _limited(lab: Lab, node: str, bytes_s: float) -> Iterator[None]:
    """Limit the data rate from a node to the file servers, in place of Lustre's TBF.

    On CephFS each object server gets an equal part; the metadata server is not limited.
    """
    number = dict(network.numbered(lab.spec))[node]
    servers = network.servers(lab.spec)
    data = servers[1:] if lab.spec.fs == "cephfs" else servers
    rates = dict(zip((name for name, _ in servers), lab.spec.server_rates, strict=True))
    bits = max(int(8 * bytes_s / len(data)), 8000)
    try:
        for name, at in data:
            _set_rate(lab, at, number, min(bits, rates[name]), min(bits, rates[name]))
        yield
    finally:
        for name, at in data:
            _set_rate(lab, at, number, rates[name] // lab.spec.nodes, rates[name])


def _set_rate(lab: Lab, server: int, node: int, least: int, most: int) -> None:
    """Set the least and the most bits per second from a node on the link to a file server."""
    line = (
        f"class change dev {network.port('s', server)} parent 1:1 classid 1:{node + 15:x} "
        f"htb rate {least}bit ceil {most}bit burst 32768 cburst 32768 quantum 3000\n"
    )
    words = ["nsenter", "-t", str(lab.state.pid), "-n", "tc", "-batch", "-"]
    done = subprocess.run(words, input=line, capture_output=True, text=True)
    if done.returncode:
        raise ValidationError(f"The link of a server cannot be limited: {done.stderr.strip()}")


@contextlib.contextmanager
def _out(lab: Lab, server: int) -> Iterator[None]:
    """Take an object server of Ceph out of use during the block."""
    try:
        _ceph(lab, "osd", "out", str(server))
        time.sleep(_MOVED_S)
        yield
    finally:
        _ceph(lab, "osd", "in", str(server))
        time.sleep(_MOVED_S)


def _ceph(lab: Lab, *words: str) -> None:
    said(lab, "ceph", "-c", str(lab.folder / "ceph" / "ceph.conf"), *words, host="storage")
