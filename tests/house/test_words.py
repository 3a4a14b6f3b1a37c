"""Words of the project's former dialect do not come back, and cited works are in the bibliography.

`GONE` names no longer occur anywhere. `INSTEAD` are words that pages which were rewritten in plain
English do not use; names of the code and of files may still contain them.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
#: Words that are in no file of the repository.
GONE = ("Purse", "Familiar", "Desk", "Eyes", "Dent", "Lit", "told cells", "ask again and again")
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
    "floor": "lower bound, minimum, usual time",
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
#: Parts of the output that pages quote.
QUOTED = (
    "*Beside other programs*",
    "**Beside it, but not to blame**",
    "**Beside it, could not be tested**",
    "*Not judged*",
)
#: Pages that programs write, at least in part, and the reference of the command, which quotes it.
WRITTEN = ("papers.md", "who-hurts-whom.md", "api.md", "metrics.md", "command.md")
PAGES = [
    ROOT / "CHANGELOG.md",
    *(
        page
        for folder in ("docs", "lab/docs")
        for page in sorted((ROOT / folder).rglob("*.md"))
        if page.name not in WRITTEN
    ),
]


def prose(text: str) -> str:
    """Return the text of a page without code, targets of links and quoted headings."""
    for quoted in QUOTED:
        text = text.replace(quoted, "")
    text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`]*`|\]\([^)]*\)", "", text)


def test_words_that_are_gone_stay_gone() -> None:
    names = [word for name in GONE for word in ("-e", name)]
    found = subprocess.run(
        ["git", "grep", "-nwIF", *names, "--", ".", ":!tests/house/test_words.py"],
        cwd=ROOT,
        check=False,
        capture_output=True,
        text=True,
    )
    assert found.stdout == ""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_pages_use_the_terms_of_the_field(page: Path) -> None:
    words = re.compile(rf"\b({'|'.join(INSTEAD)})\b", re.IGNORECASE)
    for line in prose(page.read_text()).splitlines():
        found = words.search(line)
        assert not found, f"instead of `{found[0]}`: {INSTEAD[found[0].lower()]}\n{line}"


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
