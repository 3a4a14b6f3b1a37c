#!/usr/bin/env python3
"""quick.py: runs the linters and tests that concern the files of a change, within a minute.

    tools/quick.py [--since COMMIT] [--seconds N] [--list]

A change is what differs from COMMIT, files that git does not know yet included. By default COMMIT
is where the branch left its upstream, or the last commit where nothing else differs. Tests come in
the order of their distance from the change: changed tests, tests that import a changed module, the
folder of its room, then tests of the modules that import it, one import after the other, and the
folders of rooms that may import its room. When the time is over, the remaining tests are left out,
and their files are named.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TESTS = (ROOT / "tests", ROOT / "lab/tests")
sys.path.insert(0, str(TESTS[0] / "house"))

from test_rooms import HOUSES, LAB, imports  # noqa: E402

BIN = ROOT / ".venv/bin"
SEEN = ROOT / "build/quick.json"
#: Folder of the change -> tests, where no import connects them; the first that fits.
FOLDERS = {
    "runtime/decoder": "reader",
    "runtime/mpi": "mpi/test_mpi_classes.py mpi/test_mpi_corners.py",
    "runtime": "runtime/test_counts.py runtime/test_transparent.py runtime/test_life.py runtime",
    "agent": "agent/test_sampler.py agent",
    "lab/signals": "../lab/tests/signals",
    "lab/inject": "../lab/tests/inject",
    "schema": "house/test_generate.py house/test_generate_mpi.py",
    "tools": "house",
    "docs": "docs/test_architecture.py docs/test_docs.py",
    "ui/src": "web",
    "lab/bench/papers": "house/test_papers_cells.py house/test_reproduce.py",
    "lab/bench": "house/test_bench.py house/test_budget.py",
    "packaging": "house/test_packages.py",
}
#: Time for an interrupted test to end, and for the type checker after it, s.
_TO_END_S = 6
NATIVE = (".c", ".h", ".S", ".def", ".cmake", "CMakeLists.txt")


def git(*words: str) -> list[str]:
    """Return the lines that git prints; none where it fails."""
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.splitlines() if done.returncode == 0 else []


def changed(since: str | None) -> list[str]:
    """Return the files that differ, from the top folder."""
    new = git("ls-files", "--others", "--exclude-standard")
    for base in [since] if since else [*git("merge-base", "HEAD", "@{upstream}"), "HEAD", "HEAD~1"]:
        files = git("diff", "--name-only", "--diff-filter=d", base)
        if files or new:
            return sorted({*files, *new})
    return []


def modules() -> dict[str, Path]:
    """Return every module of both packages: dotted name -> file."""
    found = {}
    for house in HOUSES:
        for path in house.rglob("*.py"):
            name = ".".join(path.relative_to(house.parent).with_suffix("").parts)
            found[name.removesuffix(".__init__")] = path
    return found


def used(path: Path, known: Iterable[str]) -> set[str]:
    """Return the modules that a file imports."""
    names = imports(path)
    return {name for each in names for name in (each, each.rpartition(".")[0]) if name in known}


def by_distance(files: list[str]) -> Iterator[list[str]]:
    """Yield the tests of changed files, step by step, the nearest first, some of them again."""
    known = modules()
    tests = {
        path: used(path, known)
        for tests in TESTS
        for path in sorted(tests.rglob("test_*.py"))
        if path.parent.name != "zoo"
    }
    yield [name for name in files if Path(name).name.startswith("test_")]
    nearest = {name for name, path in known.items() if str(path.relative_to(ROOT)) in files}
    users: dict[str, set[str]] = {name: set() for name in known}
    for name, path in known.items():
        for other in used(path, known) - {name}:
            users[other].add(name)
    yield [str(path) for path, uses in tests.items() if uses & nearest]
    yield list(folders(files))
    reached = set(nearest)
    while nearest := {user for name in nearest for user in users[name]} - reached:
        reached |= nearest
        yield [str(path) for path, uses in tests.items() if uses & nearest]
    yield list(users_of_rooms(files))


def users_of_rooms(files: list[str]) -> Iterator[str]:
    """Yield the folders of tests of rooms that may import the rooms of changed files."""
    for house, (rooms, _) in HOUSES.items():
        top = f"{house.relative_to(ROOT)}/"
        own = {name.removeprefix(top).partition("/")[0] for name in files if name.startswith(top)}
        yield from (
            f"{tests_of(house)}/{room}" for room, may in rooms.items() if own & set(may.split())
        )


def tests_of(house: Path) -> str:
    """Return the folder of a package's tests."""
    return "lab/tests" if house == LAB else "tests"


def folders(files: list[str]) -> Iterator[str]:
    """Yield the folders of tests that belong to changed files."""
    for name in files:
        for house in HOUSES:
            path = (ROOT / name).parent
            if path.is_relative_to(house) and path != house:
                room = path.relative_to(house).parts[0]
                yield f"{tests_of(house)}/{room}"
        fitting = (tests for folder, tests in FOLDERS.items() if name.startswith(f"{folder}/"))
        yield from (f"tests/{each}" for each in next(fitting, "").split())


def chosen(files: list[str]) -> list[list[str]]:
    """Return the test files to run, each once, in groups of one folder: the nearest first."""
    found: set[Path] = set()
    groups: list[list[str]] = []
    for names in by_distance(files):
        folder_files: dict[Path, list[str]] = {}
        for path in ((ROOT / name).resolve() for name in names):
            for each in sorted(path.rglob("test_*.py")) if path.is_dir() else [path]:
                if each.is_file() and each not in found:
                    found.add(each)
                    own = folder_files.setdefault(each.parent, [])
                    own.append(str(each.relative_to(ROOT)))
        groups += folder_files.values()
    return groups


def linters(files: list[str]) -> list[list[str]]:
    """Return the commands that check changed files."""
    python = [name for name in files if name.endswith(".py")]
    c = [name for name in files if name.endswith((".c", ".h")) and "/generated/" not in name]
    found = (
        [
            [f"{BIN}/ruff", "check", "-q", *python],
            [f"{BIN}/ruff", "format", "-q", "--check", *python],
        ]
        if python
        else []
    )
    if c:
        found.append(["clang-format", "--dry-run", "-Werror", *c])
    if any(name.startswith(("schema/", "tools/", "runtime/", "docs/")) for name in files):
        found.append(["tools/generate.py", "--check"])
    if any(name.startswith(("src/", "lab/src/")) for name in files):
        found.append([f"{BIN}/python", "tools/generate_readmes.py", "--check"])
    if any(name.endswith(NATIVE) for name in files):
        found.append(["cmake", "--build", "build", "-j", "2"])
    return found


def say(words: list[str], begin: float, problem: str) -> bool:
    """Print the output of a step; return whether it failed."""
    name = " ".join(Path(word).name for word in words[:2])
    print(f"{name:24} {'FAILED' if problem else 'ok':8} {time.monotonic() - begin:3.0f} s")
    if problem:
        print(problem)
    return bool(problem)


def run(words: list[str]) -> bool:
    """Run a linter or the build; return whether it failed."""
    begin = time.monotonic()
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    return say(words, begin, done.stdout + done.stderr if done.returncode else "")


def run_tests(groups: list[list[str]], end: float) -> bool:
    """Run test files until the time is over; return whether a test failed.

    Folders have modules of one name, so each group has a pytest of its own.
    """
    SEEN.parent.mkdir(exist_ok=True)
    environment = os.environ | {
        "PYTHONPATH": str(ROOT / "tools"),
        "QUICK_SEEN": str(SEEN),
        "OMP_NUM_THREADS": "1",
        "QUICK_END": str(time.time() + end - time.monotonic()),
    }
    words = [f"{BIN}/python", "-m", "pytest", "-q", "-p", "quick_tests", "-p", "no:cacheprovider"]
    failed = False
    for number, group in enumerate(groups):
        if end - time.monotonic() < 2:
            left = [name for names in groups[number:] for name in names]
            print(f"Left out, since the time is over: {len(left)} files, {left[0]} to {left[-1]}")
            break
        process = subprocess.Popen([*words, *group], cwd=ROOT, env=environment)
        try:
            code = process.wait(max(end - time.monotonic() + 3, 3))
        except subprocess.TimeoutExpired:  # a test that is longer than the time left
            process.send_signal(signal.SIGINT)
            code = process.wait()
        failed |= code not in (0, 2, 5)  # 2: interrupted, 5: nothing to run
    return failed


def types(files: list[str]) -> subprocess.Popen[str] | None:
    """Start the type checker, which runs while tests wait."""
    if not any(name.startswith(("src/", "lab/src/")) and name.endswith(".py") for name in files):
        return None
    return subprocess.Popen([f"{BIN}/mypy"], cwd=ROOT, stdout=subprocess.PIPE, text=True)


def main() -> int:
    """Check a change; exit status 1 when something failed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--since", metavar="COMMIT", help="commit with which the files are compared"
    )
    parser.add_argument(
        "--seconds", metavar="N", type=float, default=60, help="time limit for all tests, s [60]"
    )
    parser.add_argument("--list", action="store_true", help="print the tests in order, run none")
    given = parser.parse_args()
    begin = time.monotonic()
    files = changed(given.since)
    tests = chosen(files)
    if given.list:
        print("\n".join(" ".join(group) for group in tests))
        return 0
    if not files:
        print("Nothing differs: no change to check.")
        return 0
    print(f"{len(files)} changed files; tests that they reach: {sum(map(len, tests))} files")
    checker = types(files)
    failed = False
    for words in linters(files):
        failed |= run(words)
    failed |= bool(tests) and run_tests(tests, begin + given.seconds - _TO_END_S)
    if checker is not None:
        try:
            said, _ = checker.communicate(timeout=max(begin + given.seconds - time.monotonic(), 1))
            failed |= say(["mypy"], begin, said if checker.returncode else "")
        except subprocess.TimeoutExpired:
            checker.kill()
            print("mypy                     left out: the time is over (its second run is quick)")
    print(f"make quick: {time.monotonic() - begin:.0f} s; the whole: make check")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
