"""The contents of a study's file, checked and immutable."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
from dataclasses import dataclass, field
from typing import Annotated, Any

from jostle.errors import UsageError
from jostle_lab.study.kinds import (
    TABLE,
    Kind,
    Span,
    Text,
    Words,
    WrongValueError,
    between,
    named,
    near,
    one_of,
    texts,
)
from jostle_lab.study.units import rate, span

#: The patterns of jostle-signal, and what each loads.
PATTERNS: dict[str, str] = {
    "open-write-close": "files",
    "write-seek": "files",
    "aggregate-write": "files",
    "read": "files",
    "write-seek-read": "files",
    "ping": "network",
    "all-to-all": "network",
    "incast": "network",
    "memory": "memory",
    "cache": "memory",
    "cpu": "cpu",
    "metadata": "files",
    "create-files": "files",
    "stat-files": "files",
    "list-folder": "files",
    "unlink-files": "files",
    "lock-file": "files",
    "pcie": "gpu",
    "gpu-compute": "gpu",
    "gpu-memory": "gpu",
    "gpu-multiply": "gpu",
    "nccl": "gpu",
}
#: Patterns that load a file system without data.
METADATA = frozenset(
    {"metadata", "create-files", "stat-files", "list-folder", "unlink-files", "lock-file"}
)
#: Patterns whose operations have no size.
NO_CHUNK = METADATA | {"cpu", "gpu-compute"}
PLACES = ("lab", "local", "slurm")
MPIS = ("none", "openmpi", "mpich")
PROGRESS = (
    "bytes",
    "read_bytes",
    "closes",
    "operations",
    "collectives",
    "messages",
    "message_bytes",
    "cpu_ns",
    "instructions",
)
ROLES = ("both", "probe", "signal", "alone")
MODES = ("race", "probe")
PLACEMENTS = ("disjoint", "interleaved", "shared")
FLUSHES = ("each", "end", "none")
#: Keys that an axis may vary.
AXES = ("chunk", "processes", "nodes", "shared", "api", "store")
#: Fields without influence on how a program runs.
_NOT_LOAD = frozenset({"role", "alone", "progress", "limit_s", "expect_s", "needs", "weak"})


@dataclass(frozen=True)
class Program:
    """One program of a study: a pattern of `jostle signal`, or any command.

    A field that is None is filled by an axis, by [defaults], or by jostle-signal's own default.

    Attributes:
        name: Name of the program in the study.
        pattern: One of PATTERNS, or None for a command.
        command: The command's words, empty for a pattern.
        role: Role in pairs: "probe" (its loss is measured), "signal" (it disturbs the probe),
            "both" (it can be either), or "alone" (it is in no pair).
        processes: Number of processes on all nodes together.
        nodes: Number of nodes over which the processes are spread.
        per_node: Number of processes on each node, instead of `nodes`.
        at: Numbers of the place's nodes to use, counted from 1, instead of where.placement.
        mpi: MPI library: "none", "openmpi" or "mpich".
        chunk: Size of one chunk, message or working set, bytes.
        piece: Size of one call, bytes.
        shared: Whether all processes use one shared file.
        api: Interface for file operations: "posix" or "mpiio".
        store: Folder of the file system under study, such as a folder on other disks.
        flush: When files are flushed: after "each" operation, at the "end", or "none": never.
        reuse: Whether the file is re-used (open-write-close).
        direct: Whether files are opened with O_DIRECT.
        split: Whether one communicator is split into probe and noise (Shah et al., 2013).
        volume: Bytes of all processes together after which the program ends.
        volumes: Volume for each chunk size, if it differs: pairs (chunk, volume).
        iterations: Number of iterations per process after which the program ends.
        time_s: Seconds after which the program ends.
        period_s: Period of a periodic signal, s; None for sustained load.
        duty: Active share of the period.
        phase_s: Shift of the period's begin, in seconds.
        options: Further arguments of jostle-signal.
        progress: Metric of progress, one of PROGRESS.
        limit_s: Time limit after which the program is stopped, in seconds.
        expect_s: Approximate run time alone, for the estimate, in seconds.
        alone: Whether the program is run alone, too.
        env: Further environment variables.
        files: Files that are created in the program's folder before it starts: pairs (name,
            content).
        prepare: Command that is run in the program's folder before the run, not measured.
        needs: Commands that must be installed; otherwise the program is left out.
        weak: Fields that came from [defaults]; an axis takes precedence over them.
    """

    name: str
    pattern: str | None = None
    command: tuple[str, ...] = ()
    role: str = "both"
    processes: int | None = None
    nodes: int | None = None
    per_node: int | None = None
    at: tuple[int, ...] = ()
    mpi: str | None = None
    chunk: int | None = None
    piece: int | None = None
    shared: bool | None = None
    api: str | None = None
    store: str | None = None
    flush: str | None = None
    reuse: bool | None = None
    direct: bool | None = None
    split: bool | None = None
    volume: int | None = None
    volumes: tuple[tuple[int, int], ...] = ()
    iterations: int | None = None
    time_s: float | None = None
    period_s: float | None = None
    duty: float | None = None
    phase_s: float | None = None
    options: tuple[str, ...] = ()
    progress: str | None = None
    limit_s: float | None = None
    expect_s: float | None = None
    alone: bool | None = None
    env: tuple[tuple[str, str], ...] = ()
    files: tuple[tuple[str, str], ...] = ()
    prepare: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    weak: tuple[str, ...] = ()

    def uses(self, key: str) -> bool:
        """Return whether a key applies to the program; to a command only if it contains {key}."""
        if self.pattern is not None and key == "chunk":
            return self.pattern not in NO_CHUNK
        if self.pattern is not None or key in ("processes", "nodes", "store"):
            return True
        texts = (
            *self.command,
            *self.prepare,
            *(text for pair in self.files for text in pair),
            *(value for _, value in self.env),
        )
        return any("{" + key + "}" in text for text in texts)

    def baseline(self) -> str:
        """Return a word that the program's standalone runs and runs in pairs have in common."""
        return _baseline(self)


@functools.cache
def _baseline(program: Program) -> str:
    fields = (field.name for field in dataclasses.fields(program))
    values = ((name, getattr(program, name)) for name in fields if name not in _NOT_LOAD)
    load = {name: value for name, value in values if value not in (None, ())}
    digest = hashlib.sha256(json.dumps(load, sort_keys=True).encode()).hexdigest()[:10]
    return f"{program.name}.{digest}"


@dataclass(frozen=True)
class Pair:
    """The names of two programs that run together; in mode "probe" the first is the probe."""

    first: str
    second: str


#: The limits of jostle_lab.cluster; a test keeps them equal, as importing it would slow every plan.
MOST_LAB_NODES = 16
MOST_LAB_SERVERS = 5


def _rates(most: int) -> Kind:
    def read(value: object) -> str | None:
        several = value.split(",") if isinstance(value, str) else []
        right = 1 <= len(several) <= most and all(map(rate, several))
        return str(value) if right else None

    return Kind(read, "a rate" if most == 1 else f"1 to {most} rates", '"400mbit"')


def _topology(value: object) -> str | None:
    if not isinstance(value, str):
        return None
    if value:
        from jostle_lab.cluster.spec import parse_topology

        try:
            parse_topology(value)
        except UsageError as error:
            raise WrongValueError(str(error), error.hint) from None
    return value


@dataclass(frozen=True)
class LabTable:
    """Table [lab]: the lab to build; see LabSpec in `jostle_lab.cluster`."""

    name: Annotated[str, named("lab")] = "lab"
    nodes: Annotated[int, between(1, MOST_LAB_NODES)] = 4
    storage_rate: Annotated[str, _rates(MOST_LAB_SERVERS)] = "400mbit"
    object_servers: Annotated[int, between(0, MOST_LAB_SERVERS - 1)] = 0
    device_rate: Annotated[str, _rates(1)] = ""
    uplink_rate: Annotated[str, _rates(1)] = "100mbit"
    queue: Annotated[str, one_of(("fair", "fifo"))] = "fair"
    fs: Annotated[str, one_of(("sshfs", "gluster", "cephfs", "loop", "plain"))] = "sshfs"
    store: Annotated[str, one_of(("ram", "disk", "both"))] = "ram"
    topology: Annotated[str, Kind(_topology, "a text", '"tree:4x2"')] = ""
    storage_at: Text = ""
    __pydantic_config__ = TABLE


_SRUN_MPI = {"openmpi": "pmix", "mpich": "pmi2"}


def _spool(value: object) -> str | None:
    if isinstance(value, str) and not value.startswith("/"):
        raise WrongValueError("it must be an absolute path.", 'spool = "/tmp"')
    return value if isinstance(value, str) else None


def _srun_mpi(value: object) -> tuple[tuple[str, str], ...] | None:
    found = texts(value)
    for key in found or ():
        if key not in MPIS:
            raise WrongValueError(f"there is no MPI `{key}`.", near(key, MPIS[1:]))
    return None if found is None else tuple((_SRUN_MPI | found).items())


@dataclass(frozen=True)
class SlurmTable:
    """Table [slurm]: the allocation of nodes.

    Attributes:
        nodes: Number of nodes of the allocation; None: as many as the largest pair needs.
        options: Further options for salloc, e.g. "--exclusive".
        spool: Node-local folder for profiles and logs.
        mpi: Value of srun's --mpi for each MPI library: pairs.
        time: Time limit of the allocation.
    """

    partition: Text = ""
    account: Text = ""
    qos: Text = ""
    constraint: Text = ""
    reservation: Text = ""
    time: Text = ""
    nodes: Annotated[int, between(1, 100_000)] | None = None
    options: Words = ()
    spool: Annotated[str, Kind(_spool, "a text", '"/tmp"')] = "/tmp"
    mpi: Annotated[
        tuple[tuple[str, str], ...], Kind(_srun_mpi, "a table of texts", '{ openmpi = "pmix" }')
    ] = tuple(_SRUN_MPI.items())
    __pydantic_config__ = TABLE


def _lead(value: object) -> float | None:
    found = span(value)
    if found is not None and found < 0.5:
        raise WrongValueError("programs need half a second to start.", 'lead = "0.5s" or more')
    return found


@dataclass(frozen=True)
class Where:
    """Table [where]: where the study runs.

    Attributes:
        place: Type of the place, the environment in which the programs run: "lab", "local" (this
            machine) or "slurm".
        dir: Folder on the file system under study; empty: the place's default.
        placement: Nodes of the second program of a pair: "disjoint" (the next nodes), "interleaved"
            (every other node, between those of the first program) or "shared" (the same nodes).
        lead_s: Time before its begin at which a run is prepared, s; None: chosen by the place.
        settle_s: Pause between runs, in seconds.
    """

    place: Annotated[str, one_of(PLACES)] = "lab"
    dir: Text = ""
    placement: Annotated[str, one_of(PLACEMENTS)] = "disjoint"
    lead_s: Annotated[float, Kind(_lead, "a span", '"10s"')] | None = None
    settle_s: Span = 0.3
    __pydantic_config__ = TABLE


@dataclass(frozen=True)
class Study:
    """A study, after [quick] and the command line's options.

    Attributes:
        name: Name of the study in the repository.
        description: One-line description for users.
        repetitions: Number of repetitions of each run.
        slice_ns: Length of a time slice, in ns.
        seed: Seed of the random order of the runs.
        mode: "race" (both programs of a pair do a fixed amount of work) or "probe" (the signal runs
            until its probe ends).
        where, lab, slurm: Settings of the place.
        programs: Programs, in the order of the file.
        axes: Values of each axis; a value is one for all programs, or a tuple for the two of a
            pair.
        pairs: Pairs, in the order of the file.
        left_out: Programs that are not installed here, with the reasons.
        text: Text of the study's file.
        file: Name of the study's file.
    """

    name: str
    description: str
    repetitions: int
    slice_ns: int
    seed: int
    mode: str
    where: Where
    lab: LabTable
    slurm: SlurmTable
    programs: tuple[Program, ...]
    axes: tuple[tuple[str, tuple[Any, ...]], ...]
    pairs: tuple[Pair, ...]
    left_out: tuple[tuple[str, str], ...] = ()
    text: str = field(default="", repr=False)
    file: str = "study.toml"

    def program(self, name: str) -> Program:
        """Return a program by its name."""
        return next(program for program in self.programs if program.name == name)

    def to_json(self) -> dict[str, Any]:
        """Return everything but the text; empty fields of programs are left out."""
        content = dataclasses.asdict(self)
        del content["text"], content["file"]
        content["programs"] = [compact(program) for program in self.programs]
        return content

    def fingerprint(self) -> str:
        """Return a hash of all that affects the measurement, without repetitions or texts."""
        content = self.to_json()
        for key in ("description", "repetitions", "left_out"):
            del content[key]
        # Fields that were added later and are not used must not change the hash of an old study.
        content["lab"] = {key: value for key, value in content["lab"].items() if value}
        text = json.dumps(content, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def compact(program: Program) -> dict[str, Any]:
    """Return the fields of a program that have a value, by name."""
    return {
        key: value
        for key, value in dataclasses.asdict(program).items()
        if value is not None and value != ()
    }
