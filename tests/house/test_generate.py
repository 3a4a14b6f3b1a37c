"""The generator: its parsers, its rules, and that committed files are up to date."""

from __future__ import annotations

import subprocess
import sys
import zlib
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="module")
def generate(root: Path) -> ModuleType:
    sys.path.insert(0, str(root / "tools"))
    import generate

    return generate


def test_outputs_are_fresh(root: Path) -> None:
    done = subprocess.run(
        [sys.executable, root / "tools" / "generate.py", "--check"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_calls_may_span_lines(generate: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "calls.def"
    path.write_text(
        "// JST_CALL(in, a, comment, (void), x)\n"
        'JST_CALL(posix, open, int, (const char *path, int flags, ...), "open")\n'
        "JST_CALL_OPT(stdio, visit, void,\n"
        '             (int n, void (*each)(int, char **), char *name),\n             "other")\n'
    )
    first, second = generate.generators.calls.load_calls(path)
    assert first.params == "const char *path, int flags, ..."
    assert (first.returns, first.group, first.optional) == ("int", "open", False)
    assert second.params == "int n, void (*each)(int, char **), char *name"
    assert second.optional


HEADING = "// ---- some_file.c: some calls\n"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("JST_CALL(posix, open, int, (void)", "no closing parenthesis"),
        ("JST_CALL(posix, open, int)", "3 fields"),
        ("JST_CALLS(posix)", "cannot read"),
        ('JST_CALL(a, f, int, (void), "x")\n' * 2, "listed twice: f"),
        ('JST_CALL(a, f, int, (void), "x", f_done(b, r))', "f: is below no heading"),
        (HEADING + 'JST_CALL(a, f, int, (void), "x", as g)', "f: 'as g': no such call"),
    ],
)
def test_faults_in_calls(generate: ModuleType, tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "calls.def"
    path.write_text(text)
    with pytest.raises(generate.SchemaError, match=complaint):
        generate.generators.calls.load_calls(path)


@pytest.mark.parametrize(
    ("fields", "body"),
    [
        (
            "int, (int fd, const char *to[]), 'x', f_done(b, fd, r, t)",
            "jst_block *b = jst_enter();|uint64_t t = jst_begin(b);|int r = JST_REAL(f)(fd, to);|"
            "if (b)|    f_done(b, fd, r, t);|return r;",
        ),
        (
            "void, (FILE *fp), 'x', int n = 1, t = begin(b), f_done(b, fp->r, n, t)",
            "jst_block *b = jst_enter();|int n = 1;|uint64_t t = begin(b);|JST_REAL(f)(fp);|if (b)|"
            "    f_done(b, fp->r, n, t);",
        ),
        (
            "char *, (void), 'x', b = enter_late(), return f_done(b, r)",
            "jst_block *b = enter_late();|char *r = JST_REAL(f)();|return b ? f_done(b, r) : r;",
        ),
        ("int, (int fd), 'x', f_done(fd, r)", "int r = JST_REAL(f)(fd);|f_done(fd, r);|return r;"),
        ("int, (int fd), 'x', return g(r, 1)", "int r = JST_REAL(f)(fd);|return g(r, 1);"),
        ("int, (int c), 'x', return put(JST_I_f, c)", "return put(JST_I_f, c);"),
        (
            "int, (const char *format, ...), 'x', return g(format, args)",
            "va_list args;|va_start(args, format);|int r = g(format, args);|"
            "va_end(args);|return r;",
        ),
    ],
)
def test_body_of_a_wrapper(generate: ModuleType, tmp_path: Path, fields: str, body: str) -> None:
    """The function that an entry of calls.def stands for."""
    path = tmp_path / "calls.def"
    path.write_text(HEADING + f"JST_CALL(posix, f, {fields})\n".replace("'", '"'))
    made = generate.generators.calls.wrappers(generate.generators.calls.load_calls(path))
    [text] = made.values()
    assert list(made) == ["runtime/src/wrappers/generated/some_file.inc"]
    lines = text.splitlines()
    assert "|".join(line.removeprefix("    ") for line in lines[4:-1]) == body


def test_calls_without_an_end_are_written_by_hand(generate: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "calls.def"
    path.write_text('JST_CALL(posix, f, int, (void), "x")\n')
    assert not generate.generators.calls.wrappers(generate.generators.calls.load_calls(path))


def test_a_rest_that_nobody_knows(generate: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "calls.def"
    path.write_text(HEADING + 'JST_CALL(a, f, int, (int n, ...), "x", f_done(r))\n')
    with pytest.raises(generate.SchemaError, match="stand for after n"):
        generate.generators.calls.wrappers(generate.generators.calls.load_calls(path))


METRIC = """
[[metric]]
id = "{id}"
module = "posix"
kind = "{kind}"
unit = "{unit}"
scope = "{scope}"
merge = "sum"
since = "0.1"
doc = "A thing."
"""
GOOD = {"id": "posix_x", "kind": "counter", "unit": "ops", "scope": "mount"}


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"id": "PosixX"}, "snake case"),
        ({"id": "stdio_x"}, "begin with its module"),
        ({"kind": "rate"}, "kind must be"),
        ({"scope": "host"}, "scope must be"),
        ({"kind": "timer"}, "unit is ns"),
        ({"kind": "histogram"}, "per process"),
    ],
)
def test_rules_of_metrics(
    generate: ModuleType, tmp_path: Path, change: dict[str, str], complaint: str
) -> None:
    path = tmp_path / "metrics.toml"
    path.write_text(METRIC.format(**{**GOOD, **change}))
    with pytest.raises(generate.SchemaError, match=complaint):
        generate.load_metrics(path)


def test_metrics_are_listed_once(generate: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "metrics.toml"
    path.write_text(METRIC.format(**GOOD) * 2)
    with pytest.raises(generate.SchemaError, match="twice"):
        generate.load_metrics(path)


@pytest.mark.parametrize("modules", ["", 'posix = "Calls"', 'posix = "Calls."\nother = "More."'])
def test_each_module_has_one_sentence(generate: ModuleType, tmp_path: Path, modules: str) -> None:
    path = tmp_path / "metrics.toml"
    path.write_text(f"[modules]\n{modules}\n{METRIC.format(**GOOD)}")
    metrics = generate.load_metrics(path)
    with pytest.raises(generate.SchemaError, match="one sentence for each module"):
        generate.load_modules(path, metrics)


def test_cells_do_not_overlap(generate: ModuleType) -> None:
    """Each cell has one owner, and the table text says the same as the codes."""
    metrics = generate.load_metrics(generate.METRICS_TOML)
    layout = generate.lay_out(metrics)
    text = generate.table_text(metrics, layout)
    owner: dict[int, str] = {}
    for line in text.splitlines():
        name, _kind, _unit, scope, cell, count = line.split()
        slots = generate.MOUNT_SLOTS if scope == "mount" else 1
        for slot in range(slots):
            for at in range(int(cell), int(cell) + int(count)):
                place = slot * layout.stride + at
                assert place not in owner, f"{name} and {owner[place]} share cell {place}"
                owner[place] = name
    codes = generate.cell_codes(metrics, layout)
    assert {at for at, code in enumerate(codes) if code} == set(owner)
    assert f"0x{zlib.crc32(text.encode()):08x}u" in generate.c_source(metrics, layout)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (('at = 16, type = "u32", name = "cell_count"', 'at = 14, type = "u32", name = "x"'), "x"),
        (('letter = "M"', 'letter = "S"'), "two things"),
        (('type = "mount_slot[8]"', 'type = "mount_slot[7]"'), "8 slots"),
        (('reader = "machine"', 'reader = "machines"'), "reader is one of"),
        (('as = "name", doc = ""', 'as = "names", doc = ""'), "end_reason: it cannot be as"),
        (('as = "newest"', 'as = "number"'), "bindings: it cannot be as"),
        (('as = "uuid", doc', "doc"), "boot_id: say what Python makes"),
        (('name = "appnum", doc = "MPI_APPNUM"', 'name = "appnum", doc = ""'), "appnum.*meaning"),
    ],
)
def test_rules_of_profile(
    generate: ModuleType, tmp_path: Path, change: tuple[str, str], complaint: str
) -> None:
    profile = generate.generators.profile
    text = profile.PROFILE_TOML.read_text()
    assert change[0] in text
    path = tmp_path / "profile.toml"
    path.write_text(text.replace(*change))
    with pytest.raises(generate.SchemaError, match=complaint):
        generate.generators.reader.module(profile.load_profile(path, 8))
