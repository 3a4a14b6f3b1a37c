"""Generates C code of large-count functions for MPI libraries that lack them.

Each checks that its numbers fit, turns arrays into arrays of int, and calls the wrapper of the
plain form, so that such a call is counted as the plain one.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from generate_mpi import Call, Param

WIDTH = 100

# Entries of the arrays on the sending and on the receiving side; 0 where they are not read.
SIDES = {
    "allgatherv": ("0", "jst_ranks(comm)"),
    "alltoallv": ("jst_in_place(sendbuf) ? 0 : jst_ranks(comm)", "jst_ranks(comm)"),
    "alltoallw": ("jst_in_place(sendbuf) ? 0 : jst_ranks(comm)", "jst_ranks(comm)"),
    "gatherv": ("0", "jst_is_root(root, comm) ? jst_ranks(comm) : 0"),
    "scatterv": ("jst_is_root(root, comm) ? jst_ranks(comm) : 0", "0"),
    "reduce_scatter": ("0", "jst_members(comm)"),
    "neighbor_allgatherv": ("0", "jst_in(comm)"),
    "neighbor_alltoallv": ("jst_out(comm)", "jst_in(comm)"),
    "neighbor_alltoallw": ("jst_out(comm)", "jst_in(comm)"),
}


def sides(call: Call) -> tuple[str, str]:
    """The lengths of a call's arrays, sending and receiving."""
    name = call.plain.removesuffix("_init").lower()
    return SIDES.get(name) or SIDES[name.removeprefix("i")]


def length(call: Call, param: Param) -> str:
    """The length of one array of a call."""
    send, receive = sides(call)
    if param.name == "displs":
        return send if "scatterv" in call.base.lower() else receive
    return send if param.name.startswith("s") else receive


def pairs(call: Call, plain: Call) -> list[tuple[Param, Param]]:
    """The parameters of the large and of the plain form, side by side."""
    return list(zip(call.params, plain.params, strict=True))


def body(call: Call, plain: Call) -> Iterator[str]:
    """The statements of a fallback."""
    both = pairs(call, plain)
    changed = [a for a, b in both if a.c_type != b.c_type]
    arrays = [p for p in changed if p.array]
    scalars = [p.name for p in changed if not p.array]
    values = [f"(int){a.name}" if a.name in scalars else a.name for a, b in both]
    call_text = f"plain({', '.join(values)})"
    types = ", ".join(p.c_type for p in plain.params)
    yield f"    int (*const plain)({types}) = JST_PLAIN({plain.base});"
    if scalars:
        yield f"    if ({' || '.join(f'{n} != (int){n}' for n in scalars)}) {{"
        yield "        return JST_TOO_LARGE;"
        yield "    }"
    if not arrays:
        yield f"    return {call_text};"
        return
    yield "    jst_narrowed made = {0};"
    for param in arrays:
        yield f"    int *const n_{param.name} ="
        yield f"        jst_narrow(&made, {param.name}, 8, {length(call, param)});"
        call_text = call_text.replace(f"{param.name},", f"n_{param.name},")
    later = any(p.name == "request" for p in call.params)
    yield "    int r = JST_TOO_LARGE;"
    yield "    if (!made.bad) {"
    yield f"        r = {call_text};"
    yield "    }"
    if later:
        persistent = "true" if call.starts else "false"
        yield "    if (r == MPI_SUCCESS && made.chain) {"
        yield f"        jst_keep(*request, made.chain, {persistent});"
        yield "        return r;"
        yield "    }"
    yield "    jst_narrow_free(made.chain);"
    yield "    return r;"


def fallback(call: Call, plain: Call) -> Iterator[str]:
    """One fallback, for MPI_ and PMPI_ alike."""
    params = [f"{p.c_type}{'' if p.c_type.endswith('*') else ' '}{p.name}" for p in call.params]
    head = f"static int JST_W({call.base})("
    lines = textwrap.wrap(", ".join(params) + ")", WIDTH - len(head))
    yield ""
    yield from ((head if i == 0 else " " * len(head)) + line for i, line in enumerate(lines))
    yield "{"
    yield from body(call, plain)
    yield "}"


def files(calls: list[Call], made_by: str, unformatted: str) -> dict[str, str]:
    """The text of all fallbacks, and the file that compiles it twice."""
    plain = {c.base: c for c in calls}
    large = [c for c in calls if c.large]
    text = [f"/* {made_by}", " * Included twice by fallback.c. */", unformatted]
    for call in large:
        text += fallback(call, plain[call.plain])
    source = [f"/* {made_by} */", unformatted, '#include "jst_wrappers.h"', ""]
    source += [
        "#ifdef MPI_ERR_VALUE_TOO_LARGE",
        "#define JST_TOO_LARGE MPI_ERR_VALUE_TOO_LARGE",
        "#else",
        "#define JST_TOO_LARGE MPI_ERR_COUNT",
        "#endif",
        "",
    ]
    for form in ("C", "PC"):
        source += [
            f"#define JST_W(name) fallback_{form.lower()}_##name",
            f"#define JST_PLAIN(name) jst_functions[JST_{form}_##name]",
            '#include "fallback.inc"',
            "#undef JST_W",
            "#undef JST_PLAIN",
            "",
        ]
    source.append("const jst_function jst_fallback_functions[] = {")
    source += [
        f"    {{JST_{form}_{c.base}, (void *)fallback_{form.lower()}_{c.base}}},"
        for form in ("C", "PC")
        for c in large
    ]
    source += ["};", f"const size_t jst_fallback_count = {2 * len(large)};"]
    return {"fallback.inc": "\n".join(text) + "\n", "fallback.c": "\n".join(source) + "\n"}
