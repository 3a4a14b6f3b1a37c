"""Finds the name of the program of processes and jobs: a script or module, not its interpreter.

A wrapper or launcher (`timeout`, `mpirun`) is named after the program that it starts. The runtime
has the same rules for command lines (runtime/src/profile/script.c); tests/data/scripts.txt tests
both.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from jostle.schema.profile import MpiAdapter

#: What starts MPI programs.
LAUNCHERS = frozenset(
    "mpirun mpiexec orterun prterun prun orted prted srun slurmstepd aprun jsrun palsrun".split()
)
#: Beginnings of launchers' names with an ending, such as mpiexec.hydra, and their helpers.
LAUNCHER_BEGINNINGS = ("mpirun.", "mpirun-", "mpiexec.", "mpiexec-", "hydra_")
#: What starts another program and waits for it, or becomes it.
WRAPPERS = LAUNCHERS | frozenset(
    "env timeout nice ionice chrt time nohup setsid stdbuf taskset numactl strace jostle "
    "jostle-run torchrun torch.distributed.run torch.distributed.launch accelerate "
    "accelerate.commands.launch deepspeed deepspeed.launcher.launch".split()
)
SHELLS = frozenset("sh bash dash ash ksh mksh zsh csh tcsh fish".split())
#: A shell without a script, and the names that batch systems give to their users' scripts.
_UNNAMED = SHELLS | {"slurm_script"}


def identity(script: str | None, program: str | None) -> str:
    """Return the program of a process: the interpreter's script, or the executable's base name."""
    return script or PurePath(program or "").name or "?"


def is_wrapper(name: str) -> bool:
    """Return whether a process of this identity is a wrapper or launcher of the job's program."""
    return name in WRAPPERS or name.startswith(LAUNCHER_BEGINNINGS)


def _listed(names: Sequence[str] | frozenset[str]) -> str:
    return ", ".join(f"'{name}'" for name in sorted(names))


#: SQL: `identity` of a row of processes.
IDENTITY_SQL = "coalesce(nullif(script, ''), nullif(split_part(program, '/', -1), ''), '?')"
#: SQL: whether a row of processes is a rank of an MPI program.
IS_RANK_SQL = (
    "(coalesce(world_size, 0) > 0 OR coalesce(mpi_state, 0) > 0 "
    f"OR coalesce(mpi_adapter, 0) >= {MpiAdapter.LACKING.value})"
)
_LEADS_SQL = (
    f"CASE WHEN identity IN ({_listed(WRAPPERS)})"
    + "".join(f" OR starts_with(identity, '{text}')" for text in LAUNCHER_BEGINNINGS)
    + f" THEN 0 WHEN identity IN ({_listed(_UNNAMED)}) THEN 1 ELSE 2 END"
)
#: SQL: an aggregate of rows of a job: the program of the job. Each row is about all its `processes`
#: of one `identity` and `is_rank`; `longest` is how long the longest of them took, ns, after
#: whether it is not short. The program is that of its MPI ranks (the two most frequent, if they run
#: several); else of its longest process, without short ones, wrappers, and shells without a script,
#: where there are others.
JOB_PROGRAM_SQL = f"""CASE WHEN bool_or(is_rank) THEN
    array_to_string([ranks.name for ranks in list_sort(
        list(struct_pack(less := -processes, name := identity)) FILTER (is_rank))[1:2]], ', ')
    || CASE WHEN count(*) FILTER (is_rank) > 2 THEN ', ...' ELSE '' END
    ELSE arg_max(identity, (longest.is_long, {_LEADS_SQL}, longest.ns, identity)) END"""


def named_sql(processes: str) -> str:
    """Return a SELECT of rows of processes, with their `identity` and `is_rank`.

    Args:
        processes: SQL of a table or subquery with the columns of table processes.
    """
    return f"SELECT *, {IDENTITY_SQL} AS identity, {IS_RANK_SQL} AS is_rank FROM {processes}"


def program_of_command(command: Sequence[str]) -> str:
    """Return the program that a command will run, as `identity` names it, before it has started."""
    name = PurePath(command[0]).name or command[0]
    if is_wrapper(name):
        for at, word in enumerate(command[1:], 1):
            is_other = word.startswith("-") or "=" in word or word.isdigit()
            if not is_other and shutil.which(word):
                return program_of_command(command[at:])
        return name
    found = shutil.which(command[0])
    target = Path(found).resolve().name if found else name
    return script_of(name, command) or script_of(target, command) or name


@dataclass(frozen=True)
class _Interpreter:
    """How the options of an interpreter are read.

    Attributes:
        programs: Base names of its executables, without a version.
        value: Options whose next argument is their value, not a script.
        name: Options whose next argument is what the interpreter runs.
        code: Options with code as their value: there is no script.
        letters: One-letter options with a value: the rest of the argument, else the next argument.
        rest: One-letter options whose value is the rest of the argument.
        stop: One-letter options after which code follows or standard input is read: no script.
        module: The one-letter option whose value is a module.
        is_shell: Whether options may begin with "+", and values of one-letter options are arguments
            of their own.
        plain: Whether an argument that is no option is a script.
        statements: Whether the value of `name` is code, and the first word of it names the program.
    """

    programs: str
    value: str = ""
    name: str = ""
    code: str = ""
    letters: str = ""
    rest: str = ""
    stop: str = ""
    module: str = ""
    is_shell: bool = False
    plain: bool = True
    statements: bool = False


_KNOWN = (
    _Interpreter(
        "python pypy", value="--check-hash-based-pycs", letters="WXQ", stop="c", module="m"
    ),
    _Interpreter(
        " ".join(SHELLS), value="--rcfile --init-file", letters="oO", stop="cs", is_shell=True
    ),
    _Interpreter("Rscript", code="-e"),
    _Interpreter(
        "R",
        value="-d -g --debugger --gui --encoding",
        name="-f --file",
        code="-e --args",
        plain=False,
    ),
    _Interpreter(
        "julia",
        value="--load --threads --procs --sysimage --cpu-target --home --machine-file",
        code="--eval --print",
        letters="LtpJCH",
        stop="eE",
    ),
    _Interpreter("perl", letters="I", rest="MmixFDdV", stop="eE"),
    _Interpreter("ruby", letters="IrCE", rest="ixFK", stop="e"),
    _Interpreter(
        "node nodejs",
        value="--require --import --loader --experimental-loader --conditions --env-file",
        code="--eval --print",
        letters="rC",
        stop="ep",
    ),
    _Interpreter(
        "java",
        value="-cp -classpath --class-path -p --module-path --add-modules "
        "--add-exports --add-opens --add-reads --upgrade-module-path --limit-modules "
        "--patch-module --source",
        name="-jar -m --module",
    ),
    _Interpreter(
        "MATLAB matlab", value="-sd -logfile", name="-batch -r", plain=False, statements=True
    ),
    _Interpreter(
        "octave octave-cli octave-gui", value="-p --path --image-path --exec-path", code="--eval"
    ),
)
#: Names of scripts; an argument of an unknown option may be code instead.
_NAME = re.compile(r"[A-Za-z0-9_.+@%,:~$#\u0080-\U0010ffff-]*")
#: Python modules that run the script among their arguments within their own process.
_IN_PROCESS = "mpi4py mpi4py.run mpi4py.futures cProfile profile trace coverage".split()


def script_of(program: str, command: Sequence[str]) -> str:
    """Return the script, module or class that an interpreter's command line runs; "" for none.

    Args:
        program: Path or name of the executable.
        command: The words of the command line, the first one included.
    """
    base = PurePath(program or command[0]).name
    for name in (base, re.sub(r"[0-9.-]+$", "", base)):
        for one in _KNOWN:
            if name and name in one.programs.split():
                return _script(one, command[1:])
    return ""


def _script(of: _Interpreter, words: Sequence[str]) -> str:
    at = 0
    while at < len(words):
        word = words[at]
        if not word.startswith("-") and not (of.is_shell and word.startswith("+")):
            if of.plain and not word.startswith("@"):  # java reads more options from @FILE
                return _base(word)
            at += 1
            continue
        option, joined, value = word.partition("=")
        following = words[at + 1 : at + 2]
        if option in of.code.split():
            return ""
        if option in of.name.split():
            value = value if joined else "".join(following)
            return _first_word(value) if of.statements else _base(value)
        if option in of.value.split():
            at += 0 if joined else 1
        elif word == "-" and not of.is_shell:
            return ""
        elif not word.startswith("--") and of.stop:
            for place, letter in enumerate(word[1:], 2):
                if letter in of.stop:
                    return ""
                if letter == of.module:
                    rest = [word[place:]] if word[place:] else []
                    return _module([*rest, *words[at + 1 :]])
                if letter in of.letters:
                    at += 0 if word[place:] and not of.is_shell else 1
                    break
                if letter in of.rest:
                    break
        at += 1
    return ""


def _base(path: str) -> str:
    name = path.rpartition("/")[2]
    return "" if name in (".", "..") or not _NAME.fullmatch(name) else name


def _first_word(statements: str) -> str:
    found = re.match(r"([A-Za-z0-9_.]+)(?:[ ;,(]|$)", statements)
    return found[1] if found else ""


def _module(words: Sequence[str]) -> str:
    if not words:
        return ""
    scripts = [word for word in words[1:] if word.endswith(".py") and len(word) > len(".py")]
    return _base(scripts[0] if words[0] in _IN_PROCESS and scripts else words[0])
