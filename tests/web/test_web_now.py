"""The page of running jobs, and the current state on the page of a running job."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from web_fixtures import Served, serving

sys.path.insert(0, str(Path(__file__).parents[1] / "cli"))  # running
from running import running


@pytest.fixture(scope="module")
def busy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(running(tmp_path_factory.mktemp("busy"))) as made:
        yield made


def test_the_page_says_who_slows_whom(busy, page, idle, violations) -> None:
    page.goto(busy.enter("/now"))
    page.wait_for_selector("table .name a")
    idle(page)
    assert "2 jobs run, 1 loses time to others" in page.inner_text("h1")
    first = page.inner_text("tbody tr >> nth=0")
    assert "reader-1" in first and "file system /data" in first and "bully-1 (" in first
    assert "read calls on file system /data take" in page.inner_text("tr.change >> nth=0")
    assert page.locator("section[aria-label=Nodes] li").count() == 1
    assert page.get_attribute("nav a[aria-current]", "href") == "/now"
    assert violations(page) == []


def test_the_page_of_a_running_job_has_its_last_change(busy, page, idle, violations) -> None:
    page.goto(busy.enter("/jobs/reader-1"))
    page.wait_for_selector("section[aria-label=Now]")
    idle(page)
    text = page.inner_text("section[aria-label=Now]")
    assert "loses" in text and "Last change: read calls" in text and "bully-1" in text
    assert violations(page) == []
