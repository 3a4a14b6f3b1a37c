#!/usr/bin/env python3
"""tidy.py: runs clang-tidy on the C sources that have changed since they last passed.

    tools/tidy.py [--all]

A source that has passed leaves a stamp in build/tidy/passed, whose name is made of the
preprocessed source, of .clang-tidy and of the version of clang-tidy: it is checked again when one
of them differs. In a fresh clone there are no stamps, but two hundred sources. So of those without
a stamp only some are checked: sources that were changed in the last day or are not committed yet,
with all sources that include them, and one seventh of the others, by date. --all: all without a
stamp.

build/clang must be configured: clang does not know all flags of gcc.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COMMANDS = ROOT / "build/clang/compile_commands.json"
PLACE = ROOT / "build/tidy"
PASSED = PLACE / "passed"
FOLDERS = (
    *("integrations/slurm", "runtime/src", "runtime/decoder", "runtime/launcher", "runtime/mpi"),
    *("lab/inject", "runtime/gpu", "lab/signals/src", "runtime/probe", "agent/src", "agent/ship"),
)
LEFT_OUT = re.compile(r"/mpi/generated/|/fuzz/|/test/|/jst_metrics\.c$")
TURNS = 7
WORKERS = 2


@dataclass(frozen=True)
class Source:
    """A source file, its parts, and its stamp.

    Attributes:
        path: Path of the source.
        parts: Paths of the source and of all files that it includes.
        stamp: Path of a file that exists when this content has passed.
    """

    path: Path
    parts: frozenset[Path]
    stamp: Path


def entries() -> dict[Path, dict[str, str]]:
    """Return one compile command for each source: many are compiled for several programs."""
    found: dict[Path, dict[str, str]] = {}
    for entry in json.loads(COMMANDS.read_text()):
        path = Path(entry["file"])
        name = str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else ""
        ours = name.startswith(tuple(f"{folder}/" for folder in FOLDERS))
        if ours and path.suffix == ".c" and not LEFT_OUT.search(f"/{name}"):
            found.setdefault(path, entry)
    return dict(sorted(found.items()))


def preprocessed(entry: dict[str, str]) -> bytes:
    """Return a source after the preprocessor, with its comments: some are for clang-tidy."""
    words = shlex.split(entry["command"])
    at = words.index("-o")
    words = [word for word in words[:at] + words[at + 2 :] if word != "-c"]
    done = subprocess.run([*words, "-E", "-C"], cwd=entry["directory"], capture_output=True)
    return done.stdout if done.returncode == 0 else os.urandom(16)  # clang-tidy will report why


def source_of(path: Path, entry: dict[str, str], rules: bytes) -> Source:
    """Read a source."""
    text = preprocessed(entry)
    names = set(re.findall(rb'^# \d+ "([^"<]+)"', text, re.MULTILINE))
    parts = frozenset(Path(entry["directory"], os.fsdecode(name)).resolve() for name in names)
    return Source(path, parts, PASSED / hashlib.sha256(rules + text).hexdigest())


def changed() -> set[Path]:
    """Return the files with uncommitted changes, and those changed in the last day."""
    found: set[Path] = set()
    for words in (
        "diff --name-only HEAD",
        "ls-files --others --exclude-standard",
        # Without added files: in a clone with one commit, all files are added.
        "log --since=1.day --diff-filter=M --name-only --format=",
    ):
        done = subprocess.run(["git", *words.split()], cwd=ROOT, capture_output=True, text=True)
        found |= {ROOT / name for name in done.stdout.splitlines()}
    return found


def due(sources: list[Source], turn: int | None) -> Iterator[Source]:
    """Yield the sources to check: all without a stamp, if there is no turn."""
    touched = changed()
    for number, source in enumerate(sources):
        mine = turn is None or number % TURNS == turn or touched & source.parts
        if mine and not source.stamp.exists():
            yield source


def check(source: Source) -> str:
    """Run clang-tidy; return its output for a source that does not pass."""
    done = subprocess.run(
        ["clang-tidy", "-p", str(PLACE), "--quiet", str(source.path)],
        capture_output=True,
        text=True,
    )
    if done.returncode == 0:
        source.stamp.touch()
        return ""
    return done.stdout + done.stderr


def main() -> int:
    """Check the sources that are due; return exit status 1 if a source does not pass."""
    turn = None if "--all" in sys.argv[1:] else datetime.now(UTC).timetuple().tm_yday % TURNS
    PASSED.mkdir(parents=True, exist_ok=True)
    found = entries()
    (PLACE / "compile_commands.json").write_text(json.dumps(list(found.values())))
    version = subprocess.run(["clang-tidy", "--version"], capture_output=True, check=True).stdout
    rules = version + (ROOT / ".clang-tidy").read_bytes()
    with ThreadPoolExecutor(WORKERS) as pool:
        sources = list(pool.map(lambda item: source_of(*item, rules), found.items()))
        now = list(due(sources, turn))
        faults = [said for said in pool.map(check, now) if said]
    stamps = {source.stamp for source in sources}
    for stamp in PASSED.iterdir():
        if stamp not in stamps:
            stamp.unlink()
    print("\n".join(faults))
    passed = sum(source.stamp.exists() for source in sources) - len(now) + len(faults)
    left = len(sources) - passed - len(now)
    print(f"{len(now)} checked, {passed} passed before, {left} of another day; all: --all")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
