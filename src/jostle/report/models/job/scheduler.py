"""Facts on a job from its batch system: name, partition, account, state, limits.

Prolog and epilog store these facts in the repository (table batch_jobs). If they are missing, Slurm
is queried when the job is shown. Facts are only used if user and time agree with the profiles: jobs
of another cluster, and earlier starts of a requeued job, may have the same number.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from jostle.names.batch_jobs import BatchJob, batch_job_of
from jostle.values.plain_values import one_line, plain

if TYPE_CHECKING:
    from jostle.repository import Repository

#: Time limit of one command of Slurm, s.
_PATIENCE_S = 2.0
#: Largest difference of the clocks of the controller and of a node, s.
_SLACK_S = 60
_LONGEST = 80
_SACCT = "UID,Start,End,Partition,Account,State,JobName"  # the name may hold the separator
_FACTS = "SELECT * FROM batch_jobs"
#: A log of Darshan has only the number of its job: of PBS the part before the server.
_NUMBER = r"regexp_extract(id, '^\d+')"
_NOBODY = str(2**32 - 2)
_FIELD = re.compile(r"(\w+)=(\S*)")


@dataclass(frozen=True)
class SchedulerFacts:
    """A job as its batch system describes it; "" and 0 where it gives no value.

    Attributes:
        name: Name of the job.
        partition: Partition or queue of the job.
        account: Account that is charged.
        state: State of the job: running, completed, failed, cancelled, timeout, ...
        exit: Exit code and signal, `3:0`.
        cores: Number of allocated cores.
        memory_bytes: Allocated memory.
        time_limit_s: Time limit, in seconds.
        nodes: Nodes of the job.
        dependency: Jobs that the job had to wait for, such as `afterok:11`.
        array_job: Number of the array that the job is a task of.
        array_task: Number of the task in the array; -1: the job is no task of an array.
        het_job: Number of the heterogeneous job that the job is a component of.
        het_component: Number of the component in the heterogeneous job; -1: the job is none.
        output: File of the job's standard output.
        waited_s: Time from submission to start, s; 0: not known.
        energy_j: Energy that the job used, J; 0: not known.
    """

    name: str
    partition: str
    account: str
    state: str
    exit: str = ""
    cores: int = 0
    memory_bytes: int = 0
    time_limit_s: int = 0
    nodes: tuple[str, ...] = ()
    dependency: str = ""
    array_job: int = 0
    array_task: int = -1
    het_job: int = 0
    het_component: int = -1
    output: str = ""
    waited_s: float = 0.0
    energy_j: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return the facts as JSON-compatible values."""
        found: dict[str, Any] = plain(self)
        return found


def scheduler_facts(store: Repository, row: Mapping[str, Any]) -> SchedulerFacts | None:
    """Return the facts about a batch job.

    The repository is searched first, then the accounting of Slurm, and then the controller of
    Slurm, which forgets jobs some minutes after their end.

    Args:
        store: The repository.
        row: The row of a batch job (report.models.batch_jobs), or of a job that is a part of one.

    Returns:
        The facts. None if none are stored and Slurm gives none: it is not available, does not
        answer in time, or has a different job of this number.
    """
    batch = batch_job_of(row.get("script") or row["job"])
    if batch is None:
        return None
    stored = _stored(store, batch, row)
    if stored is not None and stored.state:
        return stored
    if batch.system != "slurm" or not batch.number.isdecimal():
        return stored
    asked = _accounted(batch.number, row) or _controlled(batch.number, row)
    return replace(stored, state=asked.state) if stored and asked else stored or asked


def with_facts(store: Repository, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return rows of a list of jobs with the stored facts, or None, added as `scheduler`.

    Args:
        store: The repository; Slurm is not queried.
        rows: Rows of batch jobs, of their parts, and of other jobs.
    """
    batches = [batch_job_of(row.get("script") or row["job"]) for row in rows]
    scripts = [batch.script for batch in batches if batch and batch.system != "darshan"]
    numbers = [batch.number for batch in batches if batch and batch.system == "darshan"]
    known: dict[str, list[dict[str, Any]]] = {}
    if scripts or numbers:
        sql = f"{_FACTS} WHERE list_contains($1, job) OR list_contains($2, {_NUMBER})"
        for said in store.query(sql, [scripts, numbers]).to_pylist():
            for key in {said["job"], _digits(said["id"])}:
                known.setdefault(key, []).append(said)
    found = []
    for row, batch in zip(rows, batches, strict=True):
        facts = stored_facts(known.get(_key(batch), ()), row) if batch else None
        found.append(row | {"scheduler": facts and facts.to_json()})
    return found


def stored_facts(
    rows: Sequence[Mapping[str, Any]], row: Mapping[str, Any]
) -> SchedulerFacts | None:
    """Return the facts on a job from rows of table batch_jobs; None: no row is about it.

    Args:
        rows: Rows with the job's number; a requeued job has several.
        row: A row of the list of jobs, as for `scheduler_facts`.
    """
    meant = [
        said
        for said in rows
        if _means(
            row,
            str(said["uid"]),
            str(said["start_ns"] // 10**9),
            str(said["end_ns"] // 10**9 or ""),
        )
    ]
    # Clocks differ slightly: the last start before the job's own, else the next one.
    late = {id(said): said["start_ns"] - row["start_ns"] for said in meant}
    meant.sort(key=lambda said: (max(late[id(said)], 0), abs(late[id(said)])))
    return _of_row(meant[0], row) if meant else None


def missing_nodes(nodes: Sequence[str], hosts: Iterable[str]) -> list[str]:
    """Return the nodes of a batch job on which no profile of the job was written.

    Names are compared without their domains. If no name agrees, and there are as many hosts as
    nodes, none is missing: then the batch system uses other names than the nodes themselves.

    Args:
        nodes: Names of the batch job's nodes in the batch system.
        hosts: Host names in the profiles.
    """
    here = {host.partition(".")[0] for host in hosts}
    gone = [node for node in nodes if node.partition(".")[0] not in here]
    return [] if len(gone) == len(nodes) and len(here) >= len(nodes) else gone


def _stored(store: Repository, batch: BatchJob, row: Mapping[str, Any]) -> SchedulerFacts | None:
    where = f"{_NUMBER} = ?" if batch.system == "darshan" else "job = ?"
    return stored_facts(store.query(f"{_FACTS} WHERE {where}", [_key(batch)]).to_pylist(), row)


def _key(batch: BatchJob) -> str:
    """Return the key of a batch job's facts: its script, or for a Darshan log its number."""
    return batch.number if batch.system == "darshan" else batch.script


def _digits(number: str) -> str:
    match = re.match(r"\d+", number)
    return match[0] if match else ""


def _of_row(said: Mapping[str, Any], row: Mapping[str, Any]) -> SchedulerFacts:
    names = SchedulerFacts.__dataclass_fields__
    values = {name: said[name] for name in names if name in said}
    values["energy_j"] = said.get("energy_j") or 0
    waited_ns = said["start_ns"] - said["submit_ns"]
    values["waited_s"] = waited_ns / 1e9 if said["submit_ns"] and waited_ns > 0 else 0.0
    values |= {name: said[name][:_LONGEST] for name in ("name", "partition", "account")}
    # The epilog of an ended job may have failed, or not run yet.
    begun = "running" if row.get("running", True) else ""
    state = said["state"] or ("ended" if said["complete"] else begun)
    return SchedulerFacts(**values | {"state": state, "nodes": tuple(said["nodes"])})


def _accounted(number: str, row: Mapping[str, Any]) -> SchedulerFacts | None:
    said = _ask("sacct", "-X", "-n", "-P", "-D", "-j", number, f"--format={_SACCT}")
    for line in said.splitlines():  # one per start of the job
        cells = line.split("|", 6)
        if len(cells) == 7 and _means(row, *cells[:3]):
            return _facts(cells[6], *cells[3:6])
    return None


def _controlled(number: str, row: Mapping[str, Any]) -> SchedulerFacts | None:
    said = _ask("scontrol", "show", "job", number)
    first, _, rest = said.partition("\n")
    name = first.partition(" JobName=")[2]
    fields = dict(_FIELD.findall(rest))
    uid = re.search(r"UserId=[^(\s]*\((\d+)\)", rest)
    if not name or not uid:
        return None
    if not _means(row, uid[1], fields.get("StartTime", ""), fields.get("EndTime", "")):
        return None
    return _facts(name, *(fields.get(key, "") for key in ("Partition", "Account", "JobState")))


def _facts(name: str, partition: str, account: str, state: str) -> SchedulerFacts:
    words = [one_line(word.strip())[:_LONGEST] for word in (name, partition, account)]
    name, partition, account = ("" if word == "(null)" else word for word in words)
    state = one_line(state.split(" ")[0].rstrip("+")).lower()  # "CANCELLED by 1000"
    return SchedulerFacts(name, partition, account, state[:_LONGEST])


def _means(row: Mapping[str, Any], uid: str, start: str, end: str) -> bool:
    """Return whether facts are about the profiled job: they have the same user and time."""
    if not start.isdecimal() or uid not in (str(row["uid"]), _NOBODY):
        return False
    until = int(end) + _SLACK_S if end.isdecimal() else None
    began, ended = row["start_ns"] / 1e9, row["end_ns"] / 1e9
    return int(start) - _SLACK_S <= began and (until is None or ended <= until)


def _ask(*command: str) -> str:
    """Return the output of a command, with times in seconds since the epoch; "" if it fails."""
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    environment |= {"SLURM_TIME_FORMAT": "%s", "LC_ALL": "C"}
    try:
        done = subprocess.run(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PATIENCE_S,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""
