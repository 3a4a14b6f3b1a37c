"""Generates the C code of the MPI wrappers in runtime/mpi/generated/, for generate_mpi.py.

C functions are written once, as text that is compiled twice: as MPI_x and as PMPI_x. Fortran
subroutines have one body for all their names, and a small entry for each name.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

from generators import mpi_fallbacks
from generators.mpi_words import (
    GLOBAL,
    TRACKED,
    VARYING,
    WIDTH,
    Language,
    amount,
    block,
    described,
    flags,
    peer,
    request_of,
    root,
    set_bytes,
    source_ranks,
    wrap,
)

if TYPE_CHECKING:
    from generate_mpi import Call, Wrapper

UNFORMATTED = "/* clang-format off */"
RECEIVES = ("RECV", "SENDRECV")
# Functions whose Fortran bodies are copied into every entry, for speed.
HOT = "Send Recv Isend Irecv Sendrecv Wait Waitall Test Iprobe Allreduce Barrier Bcast".split()

GROUPS = {
    "p2p": "SEND RECV SENDRECV ISEND IRECV PROBE WAIT TEST".split(),
    "collective": "ONE_TO_ALL ALL_TO_ONE ALL_TO_ALL BARRIER SCAN NEIGHBOR".split(),
    "icollective": "IONE_TO_ALL IALL_TO_ONE IALL_TO_ALL IBARRIER ISCAN INEIGHBOR".split(),
    "request": ["REQUEST"],
    "onesided": "PUT GET ACCUMULATE RMA_SYNC WINDOW".split(),
    "io": [],  # all IO_ classes
    "other": "COMM SPAWN INIT FINALIZE ABORT NONE".split(),
}


def group_of(call: Call) -> str:
    """The file for a call's wrappers."""
    if call.klass.startswith("IO_"):
        return "io"
    return next(name for name, classes in GROUPS.items() if call.klass in classes)


# ---- what a wrapper does around the call ---------------------------------------------------


def first_flags(call: Call) -> str:
    """The flags that are known before a call is made."""
    poll = call.klass == "TEST" or call.base in ("Iprobe", "Improbe")
    return "JST_MPI_POLL" if poll else "0"


def track(call: Call, language: Language) -> list[str]:
    """The text that remembers a non-blocking collective on all ranks until it is waited for."""
    if call.klass not in TRACKED:
        return []
    varying = " | JST_MPI_VARYING" if VARYING.search(call.base) else ""
    return [
        f"if ({language.fast('jst_global')}({language.value('comm')})) {{",
        f"    jst_remember({request_of(language)}, &(const jst_request){{",
        f'        .func = "MPI_{call.base}", .bytes = JST_BYTES,',
        f"        .flags = JST_MPI_GLOBAL{varying}, .active = true}});",
        "}",
    ]


def later(call: Call, language: Language, record: str) -> list[str]:
    """The text that remembers a receive until it ends."""
    source = call.peer  # none: it is of a message that a probe matched
    ranks = source_ranks(call, language, source) if source else "matched"
    partner = f"{record}peer"
    return [
        f"{record}later = jst_receive({request_of(language)}, {record}bytes, {partner},",
        f"    {ranks});",
    ]


def persist(call: Call, language: Language) -> list[str]:
    """The text that remembers a persistent request with the counts of each start."""
    lines = set_bytes("const uint64_t bytes", amount(call, language))
    partner, ranks, kept = peer(call, language), "", ""
    flag = flags(call, language, call.starts) or "0"
    if call.starts == "IRECV":
        ranks = source_ranks(call, language, call.peer)
    elif call.collective:
        ranks = (
            f"jst_host.peers ? {language.fast('jst_roster_of')}({language.value('comm')}) : NULL"
        )
        lines.append(f"jst_roster *const ranks = {ranks};")
        ranks = f'jst_pass(ranks), .collective = "MPI_{call.collective}"'
        partner = f"jst_world_rank(ranks, {root(call, language)})"
    elif call.to:
        to, from_ = (amount(call, language, text) for text in (call.to, call.from_))
        lines += [
            "void *chain = NULL;",
            "jst_messages *passed = jst_host.peers",
            f"    ? jst_messages_of({language.comm()}, &chain) : NULL;",
            "for (uint32_t i = 0; passed && i < passed->out; i++) {",
            f"    passed->each[i].bytes = {to};",
            "}",
            "for (uint32_t i = 0; passed && i < passed->in; i++) {",
            f"    passed->each[passed->out + i].bytes = {from_};",
            "}",
        ]
        kept, flag = "chain", f"({flag}) | (passed ? JST_PASSES : 0)"
    lines += [
        f"jst_remember({request_of(language)}, &(const jst_request){{",
        f'    .func = "MPI_{call.base}", .bytes = bytes, .persistent = true,',
        f"    .klass = JST_MPI_{call.starts}, .peer = {partner},",
        *([f"    .ranks = {ranks},"] if ranks else []),
        *([f"    .kept = {kept},"] if kept else []),
        f"    .flags = (uint8_t)({flag})}});",
    ]
    return lines


def collective(call: Call, language: Language) -> list[str]:
    """The text for the collective and communicator of a call, or its messages to neighbours."""
    comm = language.value("comm")
    ranks = f"{language.fast('jst_roster_of')}({comm})"
    if call.collective:
        return [
            "if (jst_host.peers) {",
            f'    jst_set_collective({language.record}, "MPI_{call.collective}", {ranks},',
            f"        {root(call, language)});",
            "}",
        ]
    to, from_ = (amount(call, language, text) for text in (call.to, call.from_))
    return [
        f"const jst_neighbours *around = jst_host.peers ? jst_neighbours_of({language.comm()})",
        "    : NULL;",
        "for (uint32_t i = 0; around && i < around->out; i++) {",
        f"    jst_pass_sent(around->ranks[around->in + i], {to});",
        "}",
        "for (uint32_t i = 0; around && i < around->in; i++) {",
        f"    jst_pass_received(around->ranks[i], {from_});",
        "}",
    ]


def receive(call: Call, language: Language, record: str) -> list[str]:
    """The text that reads a blocking receive's status."""
    status = "seen" if language.fortran else "status"
    if call.base.startswith("Mrecv"):
        ranks, place = "matched", "peer"
    else:
        name = call.source or call.peer
        ranks, place = source_ranks(call, language, name), "source" if call.source else "peer"
    return [f"jst_set_arrived({language.record}, {status}, &{record}{place},", f"    {ranks});"]


def on_success(call: Call, language: Language, record: str) -> list[str]:
    """The text after a call that succeeded; record is the expression of the call record."""
    if call.starts:
        return persist(call, language)
    pointer = language.record
    if call.does == "starts":
        count = language.value("count") if "count" in language.params else "1"
        array = "array_of_requests" if "count" in language.params else "request"
        return [f"jst_started({pointer}, {count}, {array}, {str(language.fortran).lower()});"]
    lines = []
    if call.bytes:
        lines += set_bytes(f"{record}bytes", amount(call, language))
    if call.peer:
        lines.append(f"{record}peer = {peer(call, language)};")
    if call.target:
        lines.append(
            f"{record}peer = jst_target({language.value(call.target)}, {language.window()});"
        )
    if call.fetched:
        lines += set_bytes(f"{record}arrived", amount(call, language, call.fetched))
        lines.append(f"{record}sized = true;")
    if call.room:
        lines += set_bytes(f"{record}room", amount(call, language, call.room))
        lines.append(f"{record}source = {peer(call, language, call.source)};")
    if call.klass in RECEIVES:
        lines += receive(call, language, record)
    if call.klass == "IRECV":
        lines += later(call, language, record)
    if call.klass in GLOBAL:
        lines.append(f"{record}flags = (uint8_t)({flags(call, language, call.klass)});")
    elif VARYING.search(call.base):
        lines.append(f"{record}flags = JST_MPI_VARYING;")
    if call.also:
        klass, text, partner = (part.strip() for part in call.also.split(":"))
        # MPICH's status of such a request does not have what arrived.
        lines += [
            f"jst_host.count({pointer}, JST_MPI_{klass}, 0, JST_MPI_NO_PEER);",
            f"jst_host.arrived({pointer}, {peer(call, language, partner)},",
            f"               {amount(call, language, text)}, true);",
        ]
    if call.collective or call.to:
        lines += collective(call, language)
    if call.does == "tracks":
        lines += [line.replace("JST_BYTES", f"{record}bytes") for line in track(call, language)]
    if call.does == "matches":
        flag = "*(const MPI_Fint *)flag && " if language.fortran else "*flag && "
        flag = flag if "flag" in language.params else ""
        lines += [
            f"if ({flag}jst_host.peers && {language.value('source')} != MPI_PROC_NULL) {{",
            f"    jst_matched({language.message()},",
            f"        {language.fast('jst_roster_of')}({language.value('comm')}));",
            "}",
        ]
    return lines


def statuses(call: Call) -> str:
    """The parameter with statuses, "" where there is none that is read."""
    if call.klass not in RECEIVES and call.does != "completes":
        return ""
    return next(p.name for p in call.params if p.name in ("status", "array_of_statuses"))


def own(call: Call, language: Language) -> list[str]:
    """Variables that a wrapper needs before the call."""
    lines = []
    if call.does == "completes":
        lines += ["jst_pending pending;", "pending.count = 0;"]
    if call.klass in RECEIVES:
        lines.append("MPI_Status own_status;")
        lines += ["void *seen = NULL;"] if language.fortran else []
    if call.base.startswith(("Mrecv", "Imrecv")):
        lines.append("jst_roster *matched = NULL;")
    return lines


def before(call: Call, language: Language) -> list[str]:
    """The text before a call that is counted."""
    lines = []
    if call.base.startswith(("Mrecv", "Imrecv")):
        lines += [
            "if (jst_host.peers) {",
            f"    matched = jst_matched_ranks({language.message()});",
        ]
        lines.append("}")
    if call.klass in RECEIVES:
        if language.fortran:
            lines += ["seen = jst_status_f(status, &own_status);", "status = seen ? seen : status;"]
        else:
            lines.append("status = jst_status(status, &own_status);")
    if call.does == "completes":
        name = next((n for n in ("count", "incount") if n in language.params), None)
        count = language.value(name) if name else "1"
        array = "array_of_requests" if name else "request"
        given, fortran = statuses(call), str(language.fortran).lower()
        lines += [
            "if (jst_any_outstanding()) {",
            f"    {given} = jst_take(&pending, {count}, {array}, {given}, {fortran});",
            "}",
        ]
    lines += {
        "initialises": ["jst_before_init(false);"],
        "opens_session": ["jst_before_init(true);"],
        "finalises": ["jst_before_finalize(false);"],
        "closes_session": ["jst_before_finalize(true);"],
        # It does not return.
        "aborts": [f"jst_host.count({language.record}, JST_MPI_ABORT, 0, JST_MPI_NO_PEER);"],
    }.get(call.does, [])
    return lines


def always_before(call: Call, language: Language) -> list[str]:
    """The text before a call even if it is not counted: it forgets a handle."""
    if call.does == "frees_request":
        name, text = "request", f"jst_forget({request_of(language)});"
    elif call.does == "frees_comm":
        name, text = "comm", f"jst_drop_comm({language.comm() if language.fortran else '*comm'});"
    elif call.does == "frees_window":
        handle = language.window() if language.fortran else "*win"
        name, text = "win", f"jst_roster_drop(jst_key((uintptr_t){handle}));"
    else:
        return []
    return [f"if ({name}) {{", f"    {text}", "}"]


def settle(call: Call, language: Language, record: str) -> list[str]:
    """The text after a wait or test call: which of its requests ended."""
    flag = language.value("flag") if "flag" in language.params else None
    if language.fortran and flag:
        flag = "*(const MPI_Fint *)flag"
    elif flag:
        flag = "*flag"
    integer = "MPI_Fint" if language.fortran else "int"
    base = "1" if language.fortran else "0"
    done, indices = "-1", "NULL"
    if "index" in language.params:
        done, indices = (f"{flag} ? 1 : 0" if flag else "1"), "index"
    elif "outcount" in language.params:
        done, indices = f"*(const {integer} *)outcount", "array_of_indices"
        done = f"{done} < 0 ? 0 : {done}"
    elif flag:
        done = f"{flag} ? -1 : 0"
    pointer = "call" if language.fortran else "&call"
    return [
        "if (pending.count) {",
        f"    const int done = r != MPI_SUCCESS && r != MPI_ERR_IN_STATUS ? -1 : {done};",
        "    if (done || pending.memory) {",
        f"        jst_settle({pointer}, &pending, r, done, {indices}, {base});",
        "    }",
        "}",
    ]


def after(call: Call, language: Language, record: str) -> list[str]:
    """The text after a counted call, up to its record's end."""
    lines = []
    if call.does == "completes":
        lines += settle(call, language, record)
    success = on_success(call, language, record)
    if call.does == "initialises":
        success.append("jst_after_init();")
    if call.does == "opens_session":
        success.append(f"jst_after_session(session, {str(language.fortran).lower()});")
    if success:
        lines += ["if (r == MPI_SUCCESS) {", *("    " + line for line in success), "}"]
    if call.does in ("silent", "aborts"):
        lines.append(f"{record}flags = JST_MPI_SILENT;")
    if call.does in ("finalises", "closes_session"):
        lines.append("jst_after_finalize();")
    pointer = "call" if language.fortran else "&call"
    return [*lines, f"jst_leave({pointer}, r);"]


# ---- C -------------------------------------------------------------------------------------


def c_wrapper(call: Call) -> Iterator[str]:
    """The text of a C function, for MPI_ and PMPI_ alike."""
    language = Language(call, False)
    params = [f"{p.c_type}{'' if p.c_type.endswith('*') else ' '}{p.name}" for p in call.params]
    types = ", ".join(p.c_type for p in call.params) or "void"
    names = ", ".join(p.name for p in call.params)
    yield ""
    yield from wrap(f"static int JST_W({call.base})(", params or ["void"], ")")
    yield "{"
    if call.does == "frees_type":
        yield f"    int (*const real)({types}) = JST_REAL({call.base});"
        yield "    if (datatype) {"
        yield "        jst_drop_type(*datatype);"
        yield "    }"
        yield f"    return real({names});"
        yield "}"
        return
    yield "    jst_mpi_call call;"
    yield from wrap("    int (*const real)(", [types], f") = JST_REAL({call.base});")
    yield from block(own(call, language), 4)
    yield "    JST_HERE(&call);"
    if not always_before(call, language):
        yield "    if (jst_is_inner(call.frame)) {"
        yield from wrap("        return real(", [names], ");")
        yield "    }"
    yield f'    jst_begin(&call, "MPI_{call.base}", JST_MPI_{call.klass}, {first_flags(call)});'
    yield from block(always_before(call, language), 4)
    yield "    const bool counted = jst_host.enter(&call);"
    first = before(call, language)
    if first:
        yield "    if (counted) {"
        yield from block(first, 8)
        yield "    }"
    yield from wrap("    const int r = real(", [names], ");")
    yield "    if (counted) {"
    yield from block(after(call, language, "call."), 8)
    yield "    }"
    yield "    return r;"
    yield "}"


def c_files(calls: list[Call], group: str, made_by: str) -> dict[str, str]:
    """The text of a group of C functions, and the file that compiles it twice."""
    chosen = [c for c in calls if group_of(c) == group]
    body = [f"/* {made_by}", f" * Included twice by c_{group}.c. */", UNFORMATTED]
    for call in chosen:
        body += c_wrapper(call)
    rows = [
        f"    {{JST_{form}_{c.base}, (void *)jst_{form.lower()}_{c.base}}},"
        for form in ("C", "PC")
        for c in chosen
    ]
    source = [f"/* {made_by} */", UNFORMATTED, '#include "jst_wrappers.h"', ""]
    for form in ("C", "PC"):
        source += [
            f"#define JST_W(name) jst_{form.lower()}_##name",
            f"#define JST_REAL(name) jst_real_of(JST_{form}_##name)",
            f'#include "c_{group}.inc"',
            "#undef JST_W",
            "#undef JST_REAL",
            "",
        ]
    source += [f"const jst_function jst_functions_c_{group}[] = {{", *rows, "};"]
    source.append(f"const size_t jst_count_c_{group} = {len(rows)};")
    return {f"c_{group}.inc": "\n".join(body) + "\n", f"c_{group}.c": "\n".join(source) + "\n"}


# ---- Fortran -------------------------------------------------------------------------------


def shape(call: Call) -> str:
    """Number of arguments and of hidden lengths, as in the names of the macros."""
    return f"{len(call.fortran_params) + 1}_{call.strings}"


def fortran_body(call: Call) -> Iterator[str]:
    """The body that all Fortran names of a call share."""
    language = Language(call, True)
    hidden = [f"length{i}" for i in range(call.strings)]
    pointers = [p.name for p in call.fortran_params] + ["ierror"]
    hot = "JST_INLINE " if call.base in HOT else ""
    params = ["unsigned id", "jst_mpi_call *call"]
    params += ["bool described"] if described(call) else []
    params += [f"void *{name}" for name in pointers] + [f"size_t {name}" for name in hidden]
    names = ", ".join(pointers + hidden)
    yield ""
    yield from wrap(f"static {hot}void jst_body_{call.base}(", params, ")")
    yield "{"
    yield f"    jst_sub_{shape(call)} *const real = jst_real_of(id);"
    if call.does == "frees_type":
        yield "    (void)call;"
        yield "    jst_drop_type(jst_c_type(*(const MPI_Fint *)datatype));"
        yield f"    real({names});"
        yield "}"
        return
    if not always_before(call, language):
        yield "    if (jst_is_inner(call->frame)) {"
        yield from wrap("        real(", [names], ");")
        yield "        return;"
        yield "    }"
    yield "    MPI_Fint own = MPI_SUCCESS;"
    yield "    ierror = ierror ? ierror : &own; /* mpi_f08 programs may leave it out */"
    yield f'    jst_begin(call, "MPI_{call.base}", JST_MPI_{call.klass}, {first_flags(call)});'
    yield from block(own(call, language), 4)
    yield from block(always_before(call, language), 4)
    yield "    const bool counted = jst_host.enter(call);"
    first = before(call, language)
    if first:
        yield "    if (counted) {"
        yield from block(first, 8)
        yield "    }"
    yield from wrap("    real(", [names], ");")
    yield "    if (counted) {"
    yield "        const int r = jst_result(ierror);"
    yield from block(after(call, language, "call->"), 8)
    yield "    }"
    yield "}"


def entry_name(wrapper: Wrapper) -> str:
    """The identifier of a wrapper in the list of wrappers."""
    return f"JST_{wrapper.form}_{wrapper.call.base}{wrapper.tag}"


def fortran_file(wrappers: list[Wrapper], group: str, made_by: str) -> str:
    """The bodies and entries of a group of Fortran subroutines."""
    chosen = [w for w in wrappers if w.fortran and group_of(w.call) == group]
    lines = [f"/* {made_by} */", UNFORMATTED, '#include "jst_wrappers.h"']
    last = None
    for wrapper in chosen:
        call = wrapper.call
        if call is not last:
            lines += fortran_body(call)
            last = call
        name = entry_name(wrapper)
        if described(call):
            ts = str(wrapper.form.endswith("TS")).lower()
            lines.append(f"JST_ENTRY_IN_PLACE_{shape(call)}({name}, jst_body_{call.base}, {ts})")
        else:
            lines.append(f"JST_ENTRY_{shape(call)}({name}, jst_body_{call.base})")
    lines += ["", f"const jst_function jst_functions_f_{group}[] = {{"]
    lines += [f"    {{{entry_name(w)}, (void *){entry_name(w)}_entry}}," for w in chosen]
    lines += ["};", f"const size_t jst_count_f_{group} = {len(chosen)};"]
    return "\n".join(lines) + "\n"


def entry_macros(calls: list[Call]) -> Iterator[str]:
    """For each shape of a Fortran subroutine: its type, and the macros that define an entry."""
    shapes = {(len(c.fortran_params) + 1, c.strings): False for c in calls}
    for call in calls:
        shapes[len(call.fortran_params) + 1, call.strings] |= described(call)
    for (pointers, lengths), in_place in sorted(shapes.items()):
        types = ["void *"] * pointers + ["size_t"] * lengths
        names = [f"a{i}" for i in range(pointers)] + [f"n{i}" for i in range(lengths)]
        params = [f"{t}{'' if t[-1] == '*' else ' '}{n}" for t, n in zip(types, names, strict=True)]
        yield ""
        yield f"typedef void jst_sub_{pointers}_{lengths}({', '.join(types)});"
        for kind, more in (("", ""), ("IN_PLACE_", "described, ")) if in_place else (("", ""),):
            extra = ", " + more.rstrip(", ") if more else ""
            yield f"#define JST_ENTRY_{kind}{pointers}_{lengths}(id, body{extra}) \\"
            yield f"    static void id##_entry({', '.join(params)}) \\"
            yield "    { \\"
            yield "        jst_mpi_call call; \\"
            yield "        JST_HERE(&call); \\"
            yield f"        body(id, &call, {more}{', '.join(names)}); \\"
            yield "    }"


# ---- tables --------------------------------------------------------------------------------


def header(calls: list[Call], wrappers: list[Wrapper], made_by: str) -> str:
    """jst_wrappers.h."""
    sets = [f"{language}_{group}" for language in "cf" for group in GROUPS]
    lines = [
        f"/* {made_by}",
        " * The wrappers' numbers, their tables, and how a Fortran entry is made. */",
        UNFORMATTED,
        "#ifndef JST_WRAPPERS_H",
        "#define JST_WRAPPERS_H",
        "",
        '#include "adapter.h"',
        "",
        "#pragma GCC visibility push(hidden)",
        "",
        "#define JST_INLINE inline __attribute__((always_inline))",
        "",
        "enum {",
        *(f"    {entry_name(w)}," for w in wrappers),
        "    JST_WRAPPERS",
        "};",
        f"#define JST_C_WRAPPERS {sum(not w.fortran for w in wrappers)}u",
        "",
        "/** The wrapper that an exported name leads to, by the name's index. */",
        "unsigned jst_wrapper_of(unsigned index);",
        "/** The index of the first name that leads to a wrapper. */",
        "unsigned jst_first_name(unsigned id);",
        "/** The plain form's wrapper of a large-count C wrapper, else JST_WRAPPERS. */",
        "unsigned jst_plain_of(unsigned id);",
        "",
        *(f"extern const jst_function jst_functions_{s}[];" for s in sets),
        *(f"extern const size_t jst_count_{s};" for s in sets),
        "extern const jst_function jst_fallback_functions[];",
        "extern const size_t jst_fallback_count;",
        "",
        "#define JST_FUNCTIONS(X) \\",
        *(f"    X(jst_functions_{s}, jst_count_{s}) \\" for s in sets[:-1]),
        f"    X(jst_functions_{sets[-1]}, jst_count_{sets[-1]})",
        *entry_macros([w.call for w in wrappers if w.fortran]),
        "",
        "#pragma GCC visibility pop",
        "",
        "#endif",
    ]
    return "\n".join(lines) + "\n"


def numbers(name: str, values: list[int]) -> list[str]:
    """A table of small numbers."""
    text = textwrap.wrap(", ".join(map(str, values)), WIDTH - 4)
    return [f"static const uint16_t {name}[] = {{", *("    " + line for line in text), "};"]


def tables(wrappers: list[Wrapper], made_by: str) -> str:
    """tables.c."""
    wrapper_of = [i for i, w in enumerate(wrappers) for _ in w.symbols]
    first = [wrapper_of.index(i) for i in range(len(wrappers))]
    places = {(w.form, w.call.base): i for i, w in enumerate(wrappers) if not w.fortran}
    plain = [
        places[w.form, w.call.plain] if w.call.large else len(wrappers)
        for w in wrappers
        if not w.fortran
    ]
    lines = [f"/* {made_by} */", UNFORMATTED, '#include "jst_wrappers.h"', ""]
    for name, values in (("wrapper_of", wrapper_of), ("first_name", first), ("plain_of", plain)):
        lines += [*numbers(name, values), ""]
        lines += [f"unsigned jst_{name}(unsigned {'index' if name == 'wrapper_of' else 'id'})", "{"]
        if name == "plain_of":
            lines += ["    return id < JST_C_WRAPPERS ? plain_of[id] : JST_WRAPPERS;", "}", ""]
        else:
            lines += [f"    return {name}[{'index' if name == 'wrapper_of' else 'id'}];", "}", ""]
    return "\n".join(lines[:-1]) + "\n"


def files(calls: list[Call], wrappers: list[Wrapper], made_by: str) -> dict[str, str]:
    """All generated files of an adapter, by name."""
    made = {
        "jst_wrappers.h": header(calls, wrappers, made_by),
        "tables.c": tables(wrappers, made_by),
    }
    for group in GROUPS:
        made.update(c_files(calls, group, made_by))
        made[f"f_{group}.c"] = fortran_file(wrappers, group, made_by)
    made.update(mpi_fallbacks.files(calls, made_by, UNFORMATTED))
    return made
