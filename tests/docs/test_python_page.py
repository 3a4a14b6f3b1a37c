"""The examples of docs/reference/python.md give the results on the page."""

from __future__ import annotations

import doctest
import inspect
import re
from pathlib import Path

import pytest

import jostle

PAGE = Path(__file__).parents[2] / "docs/reference/python.md"
FENCE = re.compile(r"^```python *(.*?)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They run in order, as a reader would type them, in a folder of their own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    blocks = FENCE.findall(PAGE.read_text())
    assert len(blocks) > 8
    for note, _ in blocks:
        assert re.fullmatch(r"|no-run: \S.*", note), note
    text = "\n".join(body for note, body in blocks if not note)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    page = doctest.DocTestParser().get_doctest(text, {}, PAGE.name, str(PAGE), 0)
    reported: list[str] = []
    runner.run(page, out=reported.append)
    assert not runner.failures, "".join(reported)


def test_the_page_names_all_that_is_offered() -> None:
    """Every public method of Site, Job and Table, and every name of the package."""
    text = PAGE.read_text()
    for kind in (jostle.Site, jostle.Job, jostle.Table):
        for name, _ in inspect.getmembers(kind):
            if not name.startswith("_"):
                assert re.search(rf"`(?:\w+)?\.?{name}\b", text), f"{kind.__name__}.{name}"
    for name in jostle.__all__:
        assert re.search(rf"\b{name}\b", text), name
