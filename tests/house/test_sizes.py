"""No file, function or folder of code exceeds its size limit."""

import ast
import functools
import itertools
import subprocess
from collections import Counter
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[2]
LINES, FUNCTION_LINES, PARAMETERS, FILES = 600, 80, 8, 25
CODE = {".py", ".c", ".h", ".cpp", ".S", ".ts", ".svelte", ".sh"}
#: Functions that are longer, each with its reason.
LONGER = {
    "catalogue": "a table of programs, one call for each",
    "add": "the routes of a page, which share what was opened for them",
    "_head": "the bytes of a header, field by field, independent of the code under test",
    "heads": "a table of made-up results",
}
#: Functions with more parameters, each with its reason.
MORE_PARAMETERS = {
    "rank_rows": "columns of made-up rows, all with a default",
    "rows": "columns of made-up rows, all with a default",
    "test_a_page_looks_as_it_should": "fixtures of pytest",
}
#: Folders with more files, each with its reason.
LARGER = {
    "tests/repository": "not divided yet",
    "tests/runtime": "not divided yet",
    "tests/server": "not divided yet",
    "tests/web": "not divided yet",
}


@functools.cache
def tracked() -> list[PurePosixPath]:
    """Return the hand-written files of code."""
    done = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    paths = [PurePosixPath(name) for name in done.stdout.split("\0") if name]
    return [
        path
        for path in paths
        if path.suffix in CODE
        and "generated" not in path.parts
        and path.name != "api-types.ts"
        and (ROOT / path).is_file()
        and not is_made(path)
    ]


def is_made(path: PurePosixPath) -> bool:
    with (ROOT / path).open(encoding="utf-8") as file:
        return any("Made by tools/" in line for line in itertools.islice(file, 5))


@functools.cache
def functions() -> list[tuple[PurePosixPath, ast.FunctionDef | ast.AsyncFunctionDef]]:
    return [
        (path, node)
        for path in tracked()
        if path.suffix == ".py"
        for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8")))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]


def test_files_are_short() -> None:
    long = {str(path): (ROOT / path).read_bytes().count(b"\n") for path in tracked()}
    assert {path: lines for path, lines in long.items() if lines > LINES} == {}


def test_functions_are_short() -> None:
    long = {
        f"{path}: {node.name}"
        for path, node in functions()
        if (node.end_lineno or 0) - node.lineno + 1 > FUNCTION_LINES and node.name not in LONGER
    }
    assert long == set()


def test_functions_have_few_parameters() -> None:
    """Those of a verb or a route are its options: they are counted by the page that lists them."""
    many = set()
    for path, node in functions():
        names = [each.arg for each in (*node.args.posonlyargs, *node.args.args)]
        number = len(names) + len(node.args.kwonlyargs) - (names[:1] in (["self"], ["cls"]))
        if number > PARAMETERS and not any(isinstance(d, ast.Call) for d in node.decorator_list):
            many.add((str(path), node.name))
    assert {name for _, name in many} - set(MORE_PARAMETERS) == set(), many


def test_folders_have_few_files() -> None:
    files = Counter(str(path.parent) for path in tracked() if path.name != "__init__.py")
    large = {folder: number for folder, number in files.items() if number > FILES}
    wrong = {folder: number for folder, number in large.items() if folder not in LARGER}
    assert not wrong, (
        f"more than {FILES} files side by side; put those that belong together into a folder of "
        f"this folder, and describe it in the README: {wrong}"
    )
    assert set(LARGER) - set(large) == set(), "no longer large: take them out of LARGER"
