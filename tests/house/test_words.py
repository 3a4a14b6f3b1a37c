"""Words of the project's former dialect do not come back, and cited works are in the bibliography.

Neither text nor names contain the words of `INSTEAD`: not in pages, messages, docstrings or code.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
#: Names that are in no file of the repository.
GONE = ("Purse", "Familiar", "Desk", "Eyes", "Dent", "Lit", "ask again and again")
#: Word -> what to write in its place.
INSTEAD = {
    "accuse": "test, score, attribute",
    "accused": "tested, scored, attributed",
    "acquit": "rule out",
    "acquitted": "ruled out",
    "beside": "concurrently with, alongside, compared with, next to",
    "blamed": "named, attributed",
    "canary": "core-speed probe",
    "crowded": "oversubscribed",
    "door": "Python API",
    "grain": "resolution, uncertainty",
    "guilty": "with interference",
    "judge": "assess, evaluate",
    "judged": "assessed, evaluated",
    "lastingly": "persistently",
    "mend": "fix, repair, remedy",
    "mended": "fixed, repaired",
    "planted": "synthetic, injected",
    "tells": "reports, shows, says",
    "told": "reported, shown",
    "wish": "request, option",
    "wishes": "requests, options",
}
#: Files that keep words: recorded profiles, and this one.
KEPT = ("tests/data", "tests/house/test_words.py")
#: Pages that programs write.
WRITTEN = ("now.md", "papers.md", "who-hurts-whom.md")
PAGES = [
    ROOT / "CHANGELOG.md",
    *(
        page
        for folder in ("docs", "lab/docs")
        for page in sorted((ROOT / folder).rglob("*.md"))
        if page.name not in WRITTEN
    ),
]


def found(words: tuple[str, ...], *options: str) -> str:
    """Return the lines of the repository with one of the words, each with its file."""
    done = subprocess.run(
        [
            *("git", "grep", "-nwIF", *options),
            *(part for word in words for part in ("-e", word)),
            *("--", ".", *(f":!{path}" for path in KEPT)),
        ],
        cwd=ROOT,
        check=False,
        capture_output=True,
        text=True,
    )
    return done.stdout


def test_names_that_are_gone_stay_gone() -> None:
    assert found(GONE) == ""


def test_text_and_names_use_the_terms_of_the_field() -> None:
    lines = found(tuple(INSTEAD), "-i")
    assert lines == "", f"use other words: {INSTEAD}"


@pytest.mark.parametrize(
    "page", sorted((ROOT / "docs/adr").glob("[0-9]*.md")), ids=lambda page: page.stem
)
def test_decisions_have_one_page(page: Path) -> None:
    lines = page.read_text().splitlines()
    if page.stem == "0007-dependencies":  # whose table has a row for each package
        lines = [line for line in lines if not line.startswith("|")]
    assert len(" ".join(lines).split()) <= 400


def test_cited_works_are_in_the_bibliography() -> None:
    text = (ROOT / "docs/bibliography.md").read_text()
    listed = re.findall(r"^\| ([^|*]+?)(?: \*)? \|", text, re.MULTILINE)
    name = r"[A-Z][\w-]+"
    citation = re.compile(rf"\b({name}(?: et al\.| and {name})?)(?:, | \()((?:19|20)\d\d)\b(?!-)")
    pages = [page for page in PAGES if page.name not in ("bibliography.md", "CHANGELOG.md")]
    cited = {
        f"{author}, {year}" for page in pages for author, year in citation.findall(page.read_text())
    }
    assert len(cited) > 15
    for each in cited:  # of a name of several words the last one
        assert any(work.endswith(each) for work in listed), each
