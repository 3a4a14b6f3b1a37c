"""Reads and checks a study's TOML file; lab/docs/reference/study.md has the grammar."""

from __future__ import annotations

import dataclasses
import re
import shutil
import tomllib
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jostle.files.regular_files import read_regular
from jostle_lab.cluster.spec import OBJECT_SERVERS, parse_rate
from jostle_lab.study.errors import ConfigError
from jostle_lab.study.grammar import Source, checked
from jostle_lab.study.kinds import NAME, key_of, near
from jostle_lab.study.model import AXES, PATTERNS, LabTable, Program, Study
from jostle_lab.study.pairs_config import pairs_of

if TYPE_CHECKING:
    from jostle_lab.study.tables import File, ProgramTable

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
_ONLY_COMMAND = ("sources", "files", "prepare")
_LARGEST_SOURCE = 1 << 20
_LONGEST_NAME = 24
_QUICK = "-quick"


@dataclass(frozen=True)
class StudyOptions:
    """The options of the command line that change a study.

    Attributes:
        name: New name for the study; None: the name in the file.
        place: Place where the study runs; None: the place in the file.
        repetitions: Number of repetitions; None: the number in the file.
        mpi: MPI library for all programs that use or can use MPI; None: those in the file.
        quick: Whether to apply the table [quick], so that the study takes less than two minutes.
        fs: File system of the lab; None: the one in the file.
    """

    name: str | None = None
    place: str | None = None
    repetitions: int | None = None
    mpi: str | None = None
    quick: bool = False
    fs: str | None = None


def shipped() -> dict[str, Path]:
    """Return the studies that come with jostle, as a mapping from name to file."""
    return {path.stem: path for path in sorted(_shipped_folder().glob("*.toml"))}


def _shipped_folder() -> Path:
    return Path(str(resources.files("jostle_lab.study"))) / "shipped"


def find(name: str) -> Path:
    """Find a study's file: a path, or the name of a shipped study.

    Raises:
        ConfigError: There is neither a file nor a shipped study of this name.
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
        ConfigError: The file cannot be read, or has an error; the message names the line, the
            reason and the remedy.
    """
    try:
        text = read_regular(path).decode()
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be read: {error.strerror}.", hint="Check its name and its permissions."
        ) from error
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"{path} is not text: byte {error.start} is not UTF-8.", hint="A study is a TOML file."
        ) from error
    return parse(text, str(path), options or StudyOptions())


def parse(text: str, file: str, options: StudyOptions) -> Study:
    """Read a study from the text of its file; see `load`."""
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        where = re.search(r"\(at line (\d+), column \d+\)", str(error))
        place = f"{file}:{where[1]}" if where else file
        reason = re.sub(r" \(at .*\)", "", str(error))
        raise ConfigError(
            f"{place}: this is not valid TOML: {reason}.",
            hint="Write texts in quotes, lists in [ ]; see lab/docs/reference/study.md.",
        ) from error
    from jostle_lab.study.tables import File

    source = Source(file, text)
    return _study(source, checked(source, data, File), options)


def _study(source: Source, file: File, options: StudyOptions) -> Study:
    head, quick = file.study, file.quick
    repetitions, axes, forced = head.repetitions, file.axes.given(), {}
    if options.quick:
        repetitions, forced = quick.repetitions, quick.defaults.given()
        axes |= quick.axes.given()
    basis = {key: x for key, x in head.given().items() if key in ("progress", "limit_s")}
    programs = _programs(source, file, basis | file.defaults.given(), forced, options)
    pairs = pairs_of(source, file.pairs, programs, quick.pairs if options.quick else None)
    present, left_out = _installed(programs)
    kept = {program.name for program in present}
    return Study(
        name=_name(options, head.name),
        description=head.description,
        repetitions=options.repetitions or repetitions,
        slice_ns=round(head.slice_s * 1e9),
        seed=head.seed,
        mode=file.pairs.mode,
        where=dataclasses.replace(file.where, place=options.place or file.where.place),
        lab=file.lab if options.fs is None else _on(file.lab, options.fs),
        slurm=file.slurm,
        programs=present,
        axes=tuple((key, axes[key]) for key in AXES if key in axes),
        pairs=tuple(pair for pair in pairs if {pair.first, pair.second} <= kept),
        left_out=left_out,
        text=source.text,
        file=source.file,
    )


def _on(lab: LabTable, fs: str) -> LabTable:
    """Return a study's lab with another file system of the same total data rate.

    The rate of the link of one file server is divided among the object servers of CephFS.
    """
    rate = lab.storage_rate
    if fs == "cephfs" != lab.fs and "," not in rate:
        megabits = parse_rate(rate) // (lab.object_servers or OBJECT_SERVERS[0]) // 10**6
        rate = f"{megabits}mbit"
    return dataclasses.replace(lab, fs=fs, storage_rate=rate)


def default_name(name: str, fs: str | None, *, quick: bool) -> str:
    """Return the name of a study's runs, which another file system and the short form change.

    Args:
        name: Name in the study's file.
        fs: File system from `--fs`, or None.
        quick: Whether the study runs in its short form.
    """
    name = name if fs is None else f"{name[: _LONGEST_NAME - 1 - len(fs)]}-{fs}"
    return f"{name[: _LONGEST_NAME - len(_QUICK)]}{_QUICK}" if quick else name


def _name(options: StudyOptions, name: str) -> str:
    if options.name is None:
        return default_name(name, options.fs, quick=options.quick)
    if not NAME.fullmatch(options.name):
        raise ConfigError(
            f"`{options.name}` cannot name a study: at most {_LONGEST_NAME} letters, digits, `_`, "
            "`.` and `-`.",
            hint=f"Choose a name, for example with --name {name[:20]}-2",
        )
    return options.name


def check_where(study: Study) -> None:
    """Check that the study's place has all the settings that it needs.

    This is not part of `load`: the command line may add what the file leaves open.

    Raises:
        ConfigError: The place is Slurm, and no folder that its nodes share is given.
    """
    if study.where.place == "slurm" and not study.where.dir:
        raise Source(study.file, study.text).error(
            ("where", "dir"),
            "A study on nodes of Slurm needs a folder on the file system under study, and none "
            "is given.",
            "Give --dir /path/on/the/shared/fs, or set dir in [where].",
        )


# Programs


@dataclass(frozen=True)
class _Place:
    """The position of a program in the file, for errors."""

    source: Source
    number: int

    def error(self, key: str, reason: str, fix: str) -> ConfigError:
        """Return the error about one of the program's keys."""
        return self.source.error(("program", self.number, key), reason, fix)


def _sources(place: _Place, names: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Read the files of a program that are next to the study's file, or come with jostle."""
    found = []
    for name in names:
        folders = (Path(place.source.file).parent, _shipped_folder())
        path = next((path for folder in folders if (path := folder / name).is_file()), None)
        if "/" in name or path is None:
            raise place.error(
                "sources",
                f"there is no file `{name}` next to the study, nor does one come with jostle.",
                "Put it next to the study's file, and name it without a folder.",
            )
        try:
            found.append((name, read_regular(path, _LARGEST_SOURCE).decode()))
        except (OSError, UnicodeDecodeError) as error:
            raise place.error(
                "sources",
                f"{path} cannot be read as text: {error}.",
                "Name text files of at most 1 MiB.",
            ) from error
    return tuple(found)


def _programs(
    source: Source,
    file: File,
    defaults: dict[str, Any],
    forced: dict[str, Any],
    options: StudyOptions,
) -> tuple[Program, ...]:
    programs: dict[str, Program] = {}
    for number, table in enumerate(file.program):
        place = _Place(source, number)
        program = _program(place, table, defaults, forced)
        if program.name in programs:
            raise place.error("name", f"there are two programs `{program.name}`.", "Rename one.")
        if options.mpi is not None:
            program = _with_mpi(program, options.mpi)
        programs[program.name] = program
        _consistent(place, program)
    return tuple(programs.values())


def _with_mpi(program: Program, mpi: str) -> Program:
    """Return a program with another MPI library; unchanged if it cannot use that library."""
    if program.pattern is None and not program.mpi:
        return program
    if mpi == "none" and (PATTERNS.get(program.pattern or "") == "network" or program.split):
        return program
    return dataclasses.replace(program, mpi=mpi)


def _program(
    place: _Place, table: ProgramTable, defaults: dict[str, Any], forced: dict[str, Any]
) -> Program:
    own = table.given()
    pattern, command = own.pop("pattern", None), own.pop("command", ())
    name = own.pop("name", pattern)
    if name is None:
        raise place.error("name", "a command needs a name.", 'name = "lammps"')
    if (pattern is None) == (not command):
        raise place.error(
            "pattern",
            f"program `{name}` must have either a pattern or a command.",
            f'pattern = "open-write-close" (one of {", ".join(PATTERNS)}), or command = ["..."]',
        )
    keys = set(map(key_of, table.model_fields_set))
    wrong = [key for key in (_ONLY_PATTERN if command else _ONLY_COMMAND) if key in keys]
    if wrong:
        kind = "a command" if command else "a pattern"
        raise place.error(
            wrong[0],
            f"program `{name}` is {kind}, which has no such key.",
            "Leave the key out; give a command its arguments as words.",
        )
    if sources := _sources(place, own.pop("sources", ())):
        own["files"] = (*sources, *own.get("files", ()))
    if "at" in own:
        if said := [key for key in ("nodes", "per_node") if key in own]:
            raise place.error(said[0], "`at` sets it already.", "Leave one of the two out.")
        own["nodes"] = len(own["at"])
    # NOTE: volume and volumes are two forms of one key; the nearer form hides the other.
    merged: dict[str, Any] = {}
    for layer in (defaults, own, forced):
        if "volume" in layer or "volumes" in layer:
            merged.pop("volume", None), merged.pop("volumes", None)
        merged |= layer
    if command:
        merged = {k: v for k, v in merged.items() if key_of(k) not in (*_ONLY_PATTERN, "volumes")}
    # An axis takes precedence over [defaults]: see plan.py.
    weak = tuple(key for key in AXES if key in merged and key not in own and key not in forced)
    program = Program(name=name, pattern=pattern, command=command, **merged)
    return dataclasses.replace(program, weak=weak)


def _consistent(place: _Place, program: Program) -> None:
    """Raise an error for keys that contradict each other."""
    network = PATTERNS.get(program.pattern or "") == "network"
    if network and program.mpi in (None, "none"):
        raise place.error("mpi", f"`{program.pattern}` needs MPI.", 'mpi = "openmpi" or "mpich"')
    if program.api == "mpiio" and program.mpi in (None, "none"):
        raise place.error("api", "MPI-IO needs MPI.", 'mpi = "openmpi" or "mpich"')
    if program.nodes and program.per_node:
        raise place.error("per_node", "`nodes` sets it already.", "Leave one of the two out.")
    if program.split and not network:
        raise place.error("split", "only network patterns can be split.", "Leave it out.")
    if program.reuse and program.pattern != "open-write-close":
        raise place.error("reuse", "only open-write-close re-uses its file.", "Leave it out.")
    if (program.duty is not None or program.phase_s) and not program.period_s:
        raise place.error("period", "duty and phase belong to a period.", 'period = "24s"')
    if program.period_s == 0:
        raise place.error("period", "a period must be longer than 0.", 'period = "24s"')
    if program.piece and program.chunk and program.piece > program.chunk:
        raise place.error("piece", "a piece cannot be larger than its chunk.", "Make it smaller.")


def _installed(
    programs: tuple[Program, ...],
) -> tuple[tuple[Program, ...], tuple[tuple[str, str], ...]]:
    """Split programs into those that can run here, and (name, reason) for the others."""
    present, absent = [], []
    for program in programs:
        missing = [word for word in program.needs if shutil.which(word) is None]
        if missing:
            absent.append((program.name, f"{', '.join(missing)} not installed"))
        else:
            present.append(program)
    return tuple(present), tuple(absent)
