"""Generates from schema/calls.def the wrappers of libc, the export list and a page of the docs."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from generators.common import ROOT, SchemaError, made_by

CALLS_DEF = ROOT / "schema" / "calls.def"
MPI_NAMES = ROOT / "runtime" / "include" / "jst_mpi_names.def"  # made by generate_mpi.py
WRAPPERS = "runtime/src/wrappers/generated"

# What libjostle.so exports for GPUs (runtime/src/wrappers/cupti.c, rocprofiler.c).
GPU_NAMES = (
    "jst_gpu_join",
    "cuptiSubscribe",
    "cuptiSubscribe_v2",
    "cuptiActivityRegisterCallbacks",
    "cuptiActivityRegisterCallbacks_v2",
    "rocprofiler_register_library_api_table",
)
# Symbols of gloo's collectives (runtime/src/ccl/gloo.c).
GLOO_NAMES = (
    "_ZN4gloo9allreduceERKNS_16AllreduceOptionsE",
    "_ZN4gloo9allgatherERNS_16AllgatherOptionsE",
    "_ZN4gloo10allgathervERNS_17AllgathervOptionsE",
    "_ZN4gloo8alltoallERNS_15AlltoallOptionsE",
    "_ZN4gloo9alltoallvERNS_16AlltoallvOptionsE",
    "_ZN4gloo7barrierERNS_14BarrierOptionsE",
    "_ZN4gloo9broadcastERNS_16BroadcastOptionsE",
    "_ZN4gloo7scatterERNS_14ScatterOptionsE",
    "_ZN4gloo6reduceERNS_13ReduceOptionsE",
    "_ZN4gloo6gatherERNS_13GatherOptionsE",
    "_ZN4gloo7gathervERNS_14GathervOptionsE",
)
# NCCL's collectives, which RCCL also has (runtime/src/ccl/nccl.c).
NCCL_NAMES = tuple(
    "nccl" + name
    for name in (
        "AllReduce AllGather ReduceScatter AlltoAll AllToAll Broadcast Bcast Scatter Reduce Gather "
        "Send Recv GroupStart GroupEnd CommDestroy CommAbort CommFinalize"
    ).split()
)
# Classes of which the page says what they mean.
CLASSES = {
    "copy": "counts as a read, as a write, or as both",
    "dup": "another descriptor of a known file",
    "forget": "a descriptor that is no file: not counted",
    "cwd, namespace, sandbox, credentials": "changes what a path means, or what the process may do",
    "fork, exec, thread, end": "a step in the life of the process",
    "jump": "leaves calls in progress",
}


@dataclass(frozen=True)
class Call:
    """One entry of calls.def."""

    module: str
    name: str
    returns: str
    params: str
    group: str
    optional: bool
    file: str = ""  # of runtime/src/wrappers, without .c
    steps: tuple[str, ...] = ()  # before the real call, and last the one after it; none: by hand


# ---- reading -------------------------------------------------------------------------------


def load_calls(path: Path) -> list[Call]:
    """Read calls.def, whose header explains the fields of an entry."""
    text = re.sub(r"/\*.*?\*/", " ", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    text = re.sub(r"^// ---- (\w+)\.c:[^\n]*", r"@\1", text, flags=re.MULTILINE)
    text = re.sub(r"//[^\n]*|^[ \t]*#[^\n]*", " ", text, flags=re.MULTILINE)
    calls: dict[str, Call] = {}
    at, file = 0, ""
    entry = re.compile(r"\s*(?:@(\w+)|(JST_CALL(?:_OPT)?)\s*\()")
    while (match := entry.match(text, at)) is not None:
        at = match.end()
        if match.group(1):
            file = match.group(1)
            continue
        fields, at = split_arguments(text, at)
        if len(fields) < 5:
            raise SchemaError(f"calls.def: {len(fields)} fields, fewer than 5, in {fields}")
        module, name, returns, params, group, *steps = fields
        if name in calls:
            raise SchemaError(f"calls.def: listed twice: {name}")
        call = Call(
            module,
            name,
            returns,
            params[1:-1].strip(),
            group.strip('"'),
            match.group(2).endswith("_OPT"),
            file,
        )
        calls[name] = replace(call, steps=taken_over(call, steps, calls))
    if text[at:].strip():
        raise SchemaError(f"calls.def: cannot read {text[at:].strip()[:60]!r}")
    return list(calls.values())


def taken_over(call: Call, steps: list[str], above: dict[str, Call]) -> tuple[str, ...]:
    """The steps of an entry: its own, or for `as NAME` those of a call above it."""
    if steps and not call.file:
        raise SchemaError(f"calls.def: {call.name}: is below no heading that names its file")
    if len(steps) != 1 or not steps[0].startswith("as "):
        return tuple(steps)
    like = above.get(steps[0].removeprefix("as "))
    if like is None or not like.steps or like.file != call.file:
        raise SchemaError(f"calls.def: {call.name}: {steps[0]!r}: no such call above in its file")
    return like.steps


def split_arguments(text: str, at: int) -> tuple[list[str], int]:
    """Splits at the commas outside parentheses, up to the one that closes the entry."""
    fields, depth, begin = [], 0, at
    for here in range(at, len(text)):
        char = text[here]
        if char == "(":
            depth += 1
        elif char == ")" and depth > 0:
            depth -= 1
        elif char == "," and depth == 0:
            fields.append(" ".join(text[begin:here].split()))
            begin = here + 1
        elif char == ")":
            fields.append(" ".join(text[begin:here].split()))
            return fields, here + 1
    raise SchemaError(f"calls.def: no closing parenthesis after {text[at : at + 40]!r}")


# ---- wrappers ------------------------------------------------------------------------------

# The meaning of "...", by the parameter before it: how a wrapper reads it, and what it passes on.
REST = {
    "flags": (
        """\
        mode_t mode = 0;
        if (has_mode(flags)) {
            va_list ap;
            va_start(ap, flags);
            mode = va_arg(ap, mode_t);
            va_end(ap);
        }
        """,
        "mode",
    ),
    "cmd": (
        """\
        va_list ap;
        va_start(ap, cmd);
        void *arg = va_arg(ap, void *);
        va_end(ap);
        """,
        "arg",
    ),
    "format": (
        """\
        va_list args;
        va_start(args, format);
        """,
        "args",
    ),
}


def spaced(ctype: str) -> str:
    """A type, and the space between it and a name."""
    return ctype if ctype.endswith("*") else ctype + " "


def names_of(params: str) -> list[str]:
    """The names of parameters, `...` among them."""
    if params == "void":
        return []
    return [re.sub(r"\[.*?\]", "", p).split()[-1].lstrip("*") for p in params.split(",")]


def has(text: str, word: str) -> bool:
    """Whether C text names a word: a variable, not a part of a name, of a member or of a string."""
    return re.search(rf"(?<![\w.>]){word}\b", re.sub(r'"[^"]*"', "", text)) is not None


def body(call: Call) -> Iterator[str]:
    """The lines of a wrapper's body."""
    *first, end = call.steps
    value = end.removeprefix("return ") if end.startswith("return ") else ""
    names = names_of(call.params)
    rest = ""
    if "..." in names:
        rest = names[-2]
        if rest not in REST:
            raise SchemaError(f"calls.def: {call.name}: what does ... stand for after {rest}?")
        yield from textwrap.dedent(REST[rest][0]).splitlines()
        names[-1] = REST[rest][1]
    if value and not has(value, "r"):  # it makes the real call itself
        if rest != "format":
            yield f"return {value};"
            return
        yield from (f"{spaced(call.returns)}r = {value};", "va_end(args);", "return r;")
        return
    yield from before(first, end)
    real = f"JST_REAL({call.name})({', '.join(names)})"
    yield f"{real};" if call.returns == "void" else f"{spaced(call.returns)}r = {real};"
    if value:
        yield f"return b ? {value} : r;" if has(value, "b") else f"return {value};"
        return
    if has(end, "b"):
        yield "if (b)"
        yield f"    {end};"
    else:
        yield f"{end};"
    if call.returns != "void":
        yield "return r;"


def before(first: list[str], end: str) -> Iterator[str]:
    """The lines before the real call: the counters, the time, and the steps of the entry."""
    everything = " ".join((*first, end))
    made = {step[0]: step for step in first if re.match(r"[bt] = ", step)}
    if has(everything, "b"):
        yield f"jst_block *{made.get('b', 'b = jst_enter()')};"
    for step in first:
        if step[0:4] == "t = ":
            yield f"uint64_t {step};"
        elif step[0:4] != "b = ":
            yield f"{step};"
    if has(end, "t") and "t" not in made:
        yield "uint64_t t = jst_begin(b);"


def broken(line: str, indent: int) -> Iterator[str]:
    """A line, broken after commas into lines of at most 100 columns."""
    text = " " * indent
    for part in re.findall(r".+?(?:, |$)", line):
        if len(text + part.rstrip()) > 100:
            yield text.rstrip()
            text = " " * (indent + 8)
        text += part
    yield text


def wrapper(call: Call) -> str:
    """Return the text of a wrapper."""
    signature = f"{spaced(call.returns)}{call.name}({call.params})"
    lines = [*broken(f"JST_EXPORT {signature}", 0), "{"]
    for line in body(call):
        text = line.lstrip()
        lines += broken(text, 4 + len(line) - len(text))
    return "\n".join([*lines, "}"]) + "\n"


def wrappers(calls: list[Call]) -> dict[str, str]:
    """The generated wrappers: path from the root -> content."""
    files: dict[str, list[str]] = {}
    for call in calls:
        if call.steps:
            files.setdefault(call.file, []).append(wrapper(call))
    return {
        f"{WRAPPERS}/{file}.inc": "\n".join([f"/* {made_by(CALLS_DEF)} */\n", *texts])
        for file, texts in files.items()
    }


# ---- documentation, export list ------------------------------------------------------------


def calls_page(calls: list[Call]) -> str:
    """docs/reference/calls.md."""
    parts = [
        "# Wrapped functions\n\n",
        f"<!-- {made_by(CALLS_DEF)} -->\n\n",
        f"The {len(calls)} functions of the C library that `libjostle.so` wraps, by class; those "
        "marked * only where the C library has them. A name stands also for its wrapped variants: "
        "with `64`, `_unlocked`, `_chk`, `_2`, `__isoc99_` and `__isoc23_`, or with `_`, `__` or "
        "`_IO_` before it. The classes open, close, read, write, seek, sync and meta are counted "
        "under these names ([metrics](metrics.md)).\n\n"
        "| class | meaning |\n|---|---|\n",
        *(f"| {name} | {meaning} |\n" for name, meaning in CLASSES.items()),
    ]
    for module in dict.fromkeys(c.module for c in calls):
        parts.append(f"\n## {module}\n\n| class | functions |\n|---|---|\n")
        inside = [c for c in calls if c.module == module]
        for group in dict.fromkeys(c.group for c in inside):
            first = {_plain(c.name): c for c in reversed(inside) if c.group == group}
            names = [f"`{c.name}`{' *' * c.optional}" for c in reversed(first.values())]
            parts.append(f"| {group} | {', '.join(names)} |\n")
    parts += [
        "\n## Others\n\n| for | functions |\n|---|---|\n",
        "| MPI | [MPI calls](mpi-calls.md) |\n",
        f"| GPUs | {', '.join(f'`{name}`' for name in GPU_NAMES)} |\n",
        f"| NCCL, RCCL | {', '.join(f'`{name}`' for name in NCCL_NAMES)} |\n",
        f"| gloo | its {len(GLOO_NAMES)} collectives |\n",
    ]
    return "".join(parts)


def _plain(name: str) -> str:
    """The name of a function without the marks of its variants."""
    name = re.sub(r"^(_IO_|__isoc\d+_|_+)", "", name)
    return re.sub(r"64|_chk$|_2$|_unlocked", "", name)


def load_mpi_names(path: Path) -> list[str]:
    """The MPI names that have a trampoline, in the order of their index."""
    if not path.exists():
        return []
    text = path.read_text(encoding="utf-8")
    return re.findall(r"^JST_MPI_(?:NAME|FORTRAN)\((\w+)", text, flags=re.MULTILINE)


def version_script(calls: list[Call], mpi: list[str]) -> str:
    """runtime/jostle.map: what the linker exports; everything else is local."""
    exported = [*(c.name for c in calls), *GPU_NAMES, *GLOO_NAMES, *NCCL_NAMES, *mpi]
    names = "".join(f"    {name};\n" for name in exported)
    source = made_by(CALLS_DEF).replace(";", " and jst_mpi_names.def;")
    return f"/* {source} */\n{{\n  global:\n{names}  local:\n    *;\n}};\n"


def outputs() -> dict[str, str]:
    """Every file that is generated from calls.def: path from the root -> content."""
    calls = load_calls(CALLS_DEF)
    return {
        "docs/reference/calls.md": calls_page(calls),
        "runtime/jostle.map": version_script(calls, load_mpi_names(MPI_NAMES)),
        **wrappers(calls),
    }
