"""The page on architecture and the glossary agree with the code.

Every hop's file exists, defines the function, and uses the name that the number bears in it; every
name of the glossary occurs in the code.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ARCHITECTURE = ROOT / "docs/explanation/architecture.md"
GLOSSARY = ROOT / "docs/glossary.md"
#: How a function's definition begins in C, Python and TypeScript, at the start of a line.
DEFINED = {
    ".c": r"^(?:JST_\w+ |static |inline )*[a-z]\w*[\w \*]*[ \*]{name}\(",
    ".h": r"^(?:JST_\w+ |static |inline )*[a-z]\w*[\w \*]*[ \*]{name}\(",
    ".inc": r"^(?:JST_\w+ |static |inline )*[a-z]\w*[\w \*]*[ \*]{name}\(",
    ".py": r"^ *def {name}\(",
    ".ts": r"^(?:export )?(?:async )?(?:function|const) {name}\b",
}


def hops() -> list[tuple[str, str, str]]:
    """Return file, function and name of every hop."""
    row = re.compile(r"^\| [^|]+ \| `([^`|]+\.\w+)` \| `([^`|]+)` \| `([^`|]+)` \|$", re.MULTILINE)
    return row.findall(ARCHITECTURE.read_text())


def body(text: str, begin: int, suffix: str) -> str:
    """Return a function from its definition to where the next one begins."""
    if suffix in (".c", ".h", ".inc"):
        end = text.find("\n}", begin)
    else:
        following = re.compile(r"^(?:export |async )*(?:def|class|function|const) ", re.MULTILINE)
        line = text.index("\n", begin)
        match = following.search(text, line)
        end = match.start() if match else len(text)
    return text[begin : end if end > 0 else len(text)]


@pytest.mark.parametrize(("file", "function", "name"), hops())
def test_hops_are_in_the_code(file: str, function: str, name: str) -> None:
    path = ROOT / file
    text = path.read_text()
    defined = re.search(DEFINED[path.suffix].format(name=re.escape(function)), text, re.MULTILINE)
    assert defined, f"{file} does not define {function}"
    inside = body(text, defined.start(), path.suffix)
    assert re.search(rf"\b{re.escape(name)}\b", inside), f"{function} knows no {name}"


def test_both_ways_are_there() -> None:
    assert len(hops()) > 25


def test_the_glossary_has_each_term_once_and_names_that_are_in_the_code() -> None:
    rows = re.findall(r"^\| (\*\*.+?) \| .+ \| ([^|]+) \|$", GLOSSARY.read_text(), re.MULTILINE)
    assert len(rows) > 40
    terms = [term for cell, _ in rows for term in re.findall(r"\*\*([^*]+)\*\*", cell)]
    assert len(terms) == len(set(terms))
    for name in {name for _, names in rows for name in re.findall(r"`([^`]+)`", names)}:
        assert is_in_the_code(name), f"the code has no {name}"


def is_in_the_code(name: str) -> bool:
    """Return whether a word, or a file or folder of that name, is in what git holds."""
    word = ["git", "grep", "-qwF", "-e", name, "--", "src", "lab", "runtime", "ui/src", "schema"]
    files = ["git", "ls-files", f"*/{name}", f"*/{name}.*", f"*/{name}/*"]
    if subprocess.run(word, cwd=ROOT, check=False).returncode == 0:
        return True
    return bool(subprocess.run(files, cwd=ROOT, check=True, capture_output=True).stdout)
