"""Reads and checks a study's TOML file; docs/reference/study.md has the grammar."""

from __future__ import annotations

import dataclasses
import re
import shutil
import tomllib
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, cast

from jostle.errors import UsageError
from jostle.files.regular_files import read_regular
from jostle_lab.study.errors import ConfigError
from jostle_lab.study.grammar import NAME, Source, Table, near
from jostle_lab.study.model import (
    AXES,
    FLUSHES,
    MOST_LAB_NODES,
    MOST_LAB_SERVERS,
    MPIS,
    PATTERNS,
    PLACEMENTS,
    PLACES,
    PROGRESS,
    ROLES,
    LabTable,
    Program,
    SlurmTable,
    Study,
    Where,
)
from jostle_lab.study.pairs_config import axes_of, pairs_of, store_name
from jostle_lab.study.units import rate, size

_RESERVED = re.compile(r"JOSTLE.*|LD_PRELOAD")
_FILE_NAME = re.compile(r"(?!/)(?!.*(?:^|/)\.\.?(?:/|$))[\w./+-]{1,200}")
_ONLY_PATTERN = (
    "piece",
    "shared",
    "api",
    "flush",
    "reuse",
    "direct",
    "split",
    "volume",
    "iterations",
    "time",
    "period",
    "duty",
    "phase",
    "options",
)
_NODES = re.compile(r"\d{1,6}(-\d{1,6})?(,\d{1,6}(-\d{1,6})?)*")
_LAST_NODE = 100_000
_ONLY_COMMAND = ("sources", "files", "prepare")
_LARGEST_SOURCE = 1 << 20


@dataclass(frozen=True)
class StudyOptions:
    """What the command line changes about a study.

    Attributes:
        name: Another name for it, or None.
        place: Another place.
        repetitions: Another number of repetitions.
        mpi: Another MPI for all programs that have one or could have one.
        quick: Apply [quick]: a few minutes become less than two.
    """

    name: str | None = None
    place: str | None = None
    repetitions: int | None = None
    mpi: str | None = None
    quick: bool = False


def shipped() -> dict[str, Path]:
    """Return the studies that come with jostle: name -> file."""
    return {path.stem: path for path in sorted(_shipped_folder().glob("*.toml"))}


def _shipped_folder() -> Path:
    return Path(str(resources.files("jostle_lab.study"))) / "shipped"


def find(name: str) -> Path:
    """Find a study's file: a path, or the name of a shipped study.

    Raises:
        ConfigError: There is neither.
    """
    path = Path(name)
    known = shipped()
    if path.is_file():
        return path
    if name in known:
        return known[name]
    if name.endswith(".toml") or "/" in name:
        raise ConfigError(
            f"There is no file {name}.",
            hint=f"{near(path.stem, known)} `jostle study list` shows the shipped studies.",
        )
    raise ConfigError(
        f"There is no study `{name}`: neither a file nor a shipped one.", hint=near(name, known)
    )


def load(path: Path, options: StudyOptions | None = None) -> Study:
    """Read a study from a file.

    Raises:
        ConfigError: The file cannot be read, or is wrong; says where, why and how to mend it.
    """
    try:
        text = read_regular(path).decode()
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be read: {error.strerror}.", hint="Check its name and its rights."
        ) from error
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"{path} is not text: byte {error.start} is not UTF-8.", hint="A study is a TOML file."
        ) from error
    return parse(text, str(path), options or StudyOptions())


def parse(text: str, file: str, options: StudyOptions) -> Study:
    """Read a study from its text; see `load`."""
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        where = re.search(r"\(at line (\d+), column \d+\)", str(error))
        place = f"{file}:{where[1]}" if where else file
        reason = re.sub(r" \(at .*\)", "", str(error))
        raise ConfigError(
            f"{place}: this is not valid TOML: {reason}.",
            hint="Texts stand in quotes, lists in [ ]; see docs/reference/study.md.",
        ) from error
    return _study(Table(Source(file, text), (), data), text, options)


def _study(top: Table, text: str, options: StudyOptions) -> Study:
    head = top.table("study")
    name = head.name("name", "my-study")
    if name is None:
        raise top.source.error(("study",), "the study has no name.", 'Write [study], name = "..."')
    description = head.text("description")
    repetitions = head.whole("repetitions", 1, 1000) or 5
    slice_s = head.span("slice", 0.25) or 0.25
    if not 0.1 <= slice_s <= 60:
        raise head.error("slice", "a slice lasts 100 ms to 60 s.", 'For example: slice = "250ms"')
    seed = head.whole("seed", 0, 1 << 62)
    basis = _keys(head, ("progress", "limit"))
    head.finish()

    where, lab, slurm = (
        _where(top.table("where")),
        _lab(top.table("lab")),
        _slurm(top.table("slurm")),
    )
    defaults = basis | _any_keys(top.table("defaults"))
    axes = axes_of(top.table("axes"))
    quick = top.table("quick")
    forced: dict[str, Any] = {}
    quick_repetitions = quick.whole("repetitions", 1, 1000) or 1
    quick_defaults, quick_axes = _any_keys(quick.table("defaults")), axes_of(quick.table("axes"))
    quick_pairs = quick.items("pairs")
    quick.finish()
    if options.quick:
        repetitions, forced, axes = quick_repetitions, quick_defaults, axes | quick_axes
    programs = _programs(top, defaults, forced, options)
    mode, pairs = pairs_of(top, programs, quick_pairs if options.quick else None)
    top.finish()
    present, left_out = _installed(programs)
    kept = {program.name for program in present}
    return Study(
        name=_name(options, name),
        description=description,
        repetitions=options.repetitions or repetitions,
        slice_ns=round(slice_s * 1e9),
        seed=1 if seed is None else seed,
        mode=mode,
        where=dataclasses.replace(where, place=options.place or where.place),
        lab=lab,
        slurm=slurm,
        programs=present,
        axes=tuple(axes.items()),
        pairs=tuple(pair for pair in pairs if {pair.first, pair.second} <= kept),
        left_out=left_out,
        text=text,
        file=top.source.file,
    )


def _name(options: StudyOptions, name: str) -> str:
    """Return the name that the study gets: --quick has a name of its own."""
    if options.name is None:
        return f"{name[:18]}-quick" if options.quick else name
    if not NAME.fullmatch(options.name):
        raise ConfigError(
            f"`{options.name}` cannot name a study: at most 24 letters, digits, `_`, `.` and `-`.",
            hint=f"For example --name {name[:20]}-2",
        )
    return options.name


def _where(table: Table) -> Where:
    where = Where(
        place=table.word("place", PLACES) or "lab",
        dir=table.text("dir"),
        placement=table.word("placement", PLACEMENTS) or "disjoint",
        lead_s=table.span("lead"),
        settle_s=table.span("settle", 0.3) or 0.0,
    )
    if where.lead_s is not None and where.lead_s < 0.5:
        raise table.error("lead", "programs need half a second to start.", 'lead = "0.5s" or more')
    table.finish()
    return where


def check_where(study: Study) -> None:
    """Check that the study's place has all the settings that it needs.

    This is not part of `load`: the command line may add what the file leaves open.

    Raises:
        ConfigError: The place is Slurm, and no folder that its nodes share is given.
    """
    if study.where.place == "slurm" and not study.where.dir:
        raise Source(study.file, study.text).error(
            ("where", "dir"),
            "nodes of Slurm need a folder on the file system to load, and none is named.",
            "--dir /path/on/the/shared/fs, or dir in [where]",
        )


def _lab(table: Table) -> LabTable:
    default = LabTable()

    def speed(key: str, other: str, most: int = 1) -> str:
        def valid(value: Any) -> Any:
            several = value.split(",") if isinstance(value, str) else []
            return value if 1 <= len(several) <= most and all(map(rate, several)) else None

        what = "a rate" if most == 1 else f"1 to {most} rates"
        return table.take(key, valid, what, '"400mbit"') or other

    lab_table = LabTable(
        name=table.name("name", "lab") or default.name,
        nodes=table.whole("nodes", 1, MOST_LAB_NODES) or default.nodes,
        storage_rate=speed("storage_rate", default.storage_rate, MOST_LAB_SERVERS),
        uplink_rate=speed("uplink_rate", default.uplink_rate),
        queue=table.word("queue", ("fair", "fifo")) or default.queue,
        fs=table.word("fs", ("sshfs", "gluster", "loop", "plain")) or default.fs,
        store=table.word("store", ("ram", "disk", "both")) or default.store,
        topology=_topology(table),
        storage_at=table.text("storage_at"),
    )
    table.finish()
    return lab_table


def _topology(table: Table) -> str:
    text = table.text("topology")
    if text:
        from jostle_lab.cluster.spec import parse_topology

        try:
            parse_topology(text)
        except UsageError as error:
            raise table.error("topology", str(error), error.hint) from None
    return text


def _slurm(table: Table) -> SlurmTable:
    default = SlurmTable()
    keys = ("partition", "account", "qos", "constraint", "reservation", "time")
    texts = {key: table.text(key) for key in keys}
    spool = table.text("spool", default.spool)
    if not spool.startswith("/"):
        raise table.error("spool", "it must be an absolute path.", 'spool = "/tmp"')
    nodes, options = table.whole("nodes", 1, 100_000), table.words("options") or ()
    mpi = dict(default.mpi) | table.texts("mpi")
    if unknown := [key for key in mpi if key not in MPIS]:
        raise table.error("mpi", f"there is no MPI `{unknown[0]}`.", near(unknown[0], MPIS[1:]))
    table.finish()
    return SlurmTable(**texts, nodes=nodes, options=options, spool=spool, mpi=tuple(mpi.items()))


# Programs


def _readers(table: Table) -> dict[str, tuple[str, Any]]:
    """Return key -> (field of Program, how to take it)."""
    return {
        "role": ("role", lambda: table.word("role", ROLES)),
        "processes": ("processes", lambda: table.whole("processes", 1, 1_000_000)),
        "nodes": ("nodes", lambda: table.whole("nodes", 1, 100_000)),
        "per_node": ("per_node", lambda: table.whole("per_node", 1, 100_000)),
        "at": ("at", lambda: _at(table)),
        "mpi": ("mpi", lambda: table.word("mpi", MPIS)),
        "chunk": ("chunk", lambda: table.size("chunk")),
        "piece": ("piece", lambda: table.size("piece")),
        "shared": ("shared", lambda: table.flag("shared")),
        "api": ("api", lambda: table.word("api", ("posix", "mpiio"))),
        "store": (
            "store",
            lambda: table.take("store", store_name, "the name of a folder", '"disk"'),
        ),
        "flush": ("flush", lambda: table.word("flush", FLUSHES)),
        "reuse": ("reuse", lambda: table.flag("reuse")),
        "direct": ("direct", lambda: table.flag("direct")),
        "split": ("split", lambda: table.flag("split")),
        "volume": ("volume", lambda: _volume(table)),
        "iterations": ("iterations", lambda: table.whole("iterations", 1, 1 << 62)),
        "time": ("time_s", lambda: table.span("time")),
        "period": ("period_s", lambda: table.span("period")),
        "duty": ("duty", lambda: table.share("duty")),
        "phase": ("phase_s", lambda: table.span("phase")),
        "options": ("options", lambda: table.words("options")),
        "progress": ("progress", lambda: table.word("progress", PROGRESS)),
        "limit": ("limit_s", lambda: table.span("limit")),
        "expect": ("expect_s", lambda: table.span("expect")),
        "alone": ("alone", lambda: table.flag("alone")),
        "env": ("env", lambda: _environment(table)),
        "sources": ("sources", lambda: _sources(table)),
        "files": ("files", lambda: _files(table)),
        "prepare": ("prepare", lambda: table.words("prepare")),
        "needs": ("needs", lambda: table.words("needs")),
    }


def _keys(table: Table, names: tuple[str, ...]) -> dict[str, Any]:
    """Return those of some keys of a program that are present, by field."""
    readers = _readers(table)
    found = {readers[name][0]: readers[name][1]() for name in names}
    if isinstance(found.get("volume"), tuple):
        found["volumes"] = found.pop("volume")
    return {key: value for key, value in found.items() if value not in (None, ())}


def _any_keys(table: Table) -> dict[str, Any]:
    """Return [defaults]: every key of a program but those that identify it."""
    own = ("role", "sources", "files", "at")
    found = _keys(table, tuple(name for name in _readers(table) if name not in own))
    table.finish()
    return found


def _volume(table: Table) -> int | tuple[tuple[int, int], ...] | None:
    """Take a volume: a size, or a table chunk -> size."""

    def read(value: object) -> int | tuple[tuple[int, int], ...] | None:
        if not isinstance(value, dict):
            return size(value)
        pairs = [(size(chunk), size(volume)) for chunk, volume in value.items()]
        right = tuple((c, v) for c, v in pairs if c is not None and v is not None)
        return right if right and len(right) == len(pairs) else None

    found: Any = table.take(
        "volume",
        read,
        "a size, nor a table of chunk sizes and sizes",
        '"64MiB", or { "64KiB" = "8MiB", "1MiB" = "64MiB" }',
    )
    return cast("int | tuple[tuple[int, int], ...] | None", found)


def _at(table: Table) -> tuple[int, ...] | None:
    """Take the numbers of nodes, such as `1,5-8`; each once."""

    def read(value: object) -> tuple[int, ...] | None:
        if not isinstance(value, str) or not _NODES.fullmatch(value):
            return None
        spans = [[int(end) for end in part.split("-")] for part in value.split(",")]
        if any(not 0 < span[0] <= span[-1] <= _LAST_NODE for span in spans):
            return None
        numbers = [n for span in spans for n in range(span[0], span[-1] + 1)]
        return tuple(numbers) if len(set(numbers)) == len(numbers) else None

    return table.take("at", read, "numbers of nodes, each once", '"1,5" or "1-32,65-96"')


def _environment(table: Table) -> tuple[tuple[str, str], ...]:
    found = table.texts("env")
    for name in found:
        if not re.fullmatch(r"[A-Za-z_]\w*", name):
            raise table.error("env", f"`{name}` cannot name a variable.", 'env = { NAME = "1" }')
        if _RESERVED.fullmatch(name):
            raise table.error("env", f"{name} is set by the study itself.", "Leave it out.")
    return tuple(sorted(found.items()))


def _files(table: Table) -> tuple[tuple[str, str], ...]:
    found = table.texts("files")
    for name in found:
        if not _FILE_NAME.fullmatch(name):
            raise table.error(
                "files",
                f"`{name}` would lie outside the program's folder, or is no file name.",
                'files = { "in.melt" = "..." }, or "system/controlDict" for one in a folder.',
            )
    return tuple(found.items())


def _sources(table: Table) -> tuple[tuple[str, str], ...]:
    """Read the files that lie beside the study's own file, or come with jostle."""
    found = []
    for name in table.words("sources") or ():
        folders = (Path(table.source.file).parent, _shipped_folder())
        path = next((path for folder in folders if (path := folder / name).is_file()), None)
        if "/" in name or path is None:
            raise table.error(
                "sources",
                f"there is no file `{name}` beside the study, nor does one come with jostle.",
                "Put it beside the study's file, and name it without a folder.",
            )
        try:
            found.append((name, read_regular(path, _LARGEST_SOURCE).decode()))
        except (OSError, UnicodeDecodeError) as error:
            raise table.error(
                "sources",
                f"{path} cannot be read as text: {error}.",
                "Name files of text, of 1 MiB at most.",
            ) from error
    return tuple(found)


def _programs(
    top: Table, defaults: dict[str, Any], forced: dict[str, Any], options: StudyOptions
) -> tuple[Program, ...]:
    raw = top.raw("program")
    if not isinstance(raw, list) or not raw:
        raise top.source.error(
            ("program",),
            "the study names no program.",
            'Write [[program]] with name = "..." and pattern = "..." or command = [...].',
        )
    programs: dict[str, Program] = {}
    for number, data in enumerate(raw):
        table = Table(top.source, ("program", number), data)
        program = _program(table, defaults, forced)
        if program.name in programs:
            raise table.error("name", f"there are two programs `{program.name}`.", "Rename one.")
        if options.mpi is not None:
            program = _with_mpi(program, options.mpi)
        programs[program.name] = program
        _consistent(table, program)
    return tuple(programs.values())


def _with_mpi(program: Program, mpi: str) -> Program:
    """Return the program under another MPI, unchanged where it cannot run under it."""
    if program.pattern is None and not program.mpi:
        return program
    if mpi == "none" and (PATTERNS.get(program.pattern or "") == "network" or program.split):
        return program
    return dataclasses.replace(program, mpi=mpi)


def _program(table: Table, defaults: dict[str, Any], forced: dict[str, Any]) -> Program:
    pattern, command = table.word("pattern", PATTERNS), table.words("command") or ()
    name = table.name("name", "writer") or pattern
    if name is None:
        raise table.error("name", "a command needs a name.", 'name = "lammps"')
    if (pattern is None) == (not command):
        raise table.error(
            "pattern",
            f"program `{name}` must have either a pattern or a command.",
            f'pattern = "open-write-close" (one of {", ".join(PATTERNS)}), or command = ["..."]',
        )
    wrong = [key for key in (_ONLY_PATTERN if command else _ONLY_COMMAND) if table.has(key)]
    if wrong:
        kind = "a command" if command else "a pattern"
        raise table.error(
            wrong[0],
            f"`{name}` is {kind}, which has no such key.",
            "Leave it out; a command takes what it needs as words.",
        )
    own = _keys(table, tuple(_readers(table)))
    table.finish()
    if sources := own.pop("sources", ()):
        own["files"] = (*sources, *own.get("files", ()))
    if "at" in own:
        if said := [key for key in ("nodes", "per_node") if key in own]:
            raise table.error(said[0], "`at` says it already.", "Leave one of the two out.")
        own["nodes"] = len(own["at"])
    # NOTE: volume and volumes are two forms of one key; the nearer form hides the other.
    merged: dict[str, Any] = {}
    for layer in (defaults, own, forced):
        if "volume" in layer or "volumes" in layer:
            merged.pop("volume", None), merged.pop("volumes", None)
        merged |= layer
    if command:
        fields = {_readers(table)[key][0] for key in _ONLY_PATTERN} | {"volumes"}
        merged = {key: value for key, value in merged.items() if key not in fields}
    # What [defaults] says is overruled by an axis: see plan.py.
    weak = tuple(key for key in AXES if key in merged and key not in own and key not in forced)
    program = Program(name=name, pattern=pattern, command=command, **merged)
    return dataclasses.replace(program, weak=weak)


def _consistent(table: Table, program: Program) -> None:
    """Raise an error for keys that contradict each other."""
    network = PATTERNS.get(program.pattern or "") == "network"
    if network and program.mpi in (None, "none"):
        raise table.error("mpi", f"`{program.pattern}` needs MPI.", 'mpi = "openmpi" or "mpich"')
    if program.api == "mpiio" and program.mpi in (None, "none"):
        raise table.error("api", "MPI-IO needs MPI.", 'mpi = "openmpi" or "mpich"')
    if program.nodes and program.per_node:
        raise table.error("per_node", "`nodes` says it already.", "Leave one of the two out.")
    if program.split and not network:
        raise table.error("split", "only network patterns can be split.", "Leave it out.")
    if program.reuse and program.pattern != "open-write-close":
        raise table.error("reuse", "only open-write-close re-uses its file.", "Leave it out.")
    if (program.duty is not None or program.phase_s) and not program.period_s:
        raise table.error("period", "duty and phase belong to a period.", 'period = "24s"')
    if program.period_s == 0:
        raise table.error("period", "a period lasts longer than nothing.", 'period = "24s"')
    if program.piece and program.chunk and program.piece > program.chunk:
        raise table.error("piece", "a piece is not larger than its chunk.", "Make it smaller.")


def _installed(
    programs: tuple[Program, ...],
) -> tuple[tuple[Program, ...], tuple[tuple[str, str], ...]]:
    """Split programs into those that can run here and (name, reason) of the others."""
    present, absent = [], []
    for program in programs:
        missing = [word for word in program.needs if shutil.which(word) is None]
        if missing:
            absent.append((program.name, f"{', '.join(missing)} not installed"))
        else:
            present.append(program)
    return tuple(present), tuple(absent)
