"""Pages without data, without a user, without a server, or with a file that cannot be read."""

from __future__ import annotations

import shutil

import pytest
from web_fixtures import serving

from jostle.repository import Repository

EMPTY = {
    "/jobs": "No jobs yet",
    "/system": "No jobs yet",
    "/losses?span=all": "No jobs yet",
    "/network": "No network is known yet",
    "/matrix": "",
    "/studies": "",
    "/compare": "",
    "/jobs/nobody": "There is no such job",
    "/studies/nobody": "",
    "/nowhere": "There is no such page",
}


@pytest.fixture(scope="module")
def barren(tmp_path_factory):
    """A repository in which nothing has happened yet."""
    path = tmp_path_factory.mktemp("barren") / "repository"
    Repository(path, create=True)
    with serving(path) as made:
        yield made


@pytest.mark.parametrize("path", EMPTY)
def test_an_empty_repository_says_what_to_do(page, barren, idle, violations, path):
    page.expected.append("404")
    page.goto(barren.enter(path))
    idle(page)
    page.wait_for_selector(".nothing")
    assert EMPTY[path] in page.locator(".nothing h1").inner_text()
    if "no" in path:  # an error leads on
        assert page.locator(".nothing .ways a").count() >= 1
    assert len(page.locator(".nothing").inner_text()) > 20
    assert violations(page) == []


@pytest.mark.parametrize("path", ["/jobs", "/jobs/replay-0003", "/system", "/matrix", "/studies"])
def test_nobody_who_is_not_logged_in_sees_anything(page, served, idle, violations, path):
    page.expected.append("401")
    page.goto(f"{served.url}{path}")
    page.wait_for_selector("main h1")
    idle(page)
    text = page.locator("main").inner_text()
    assert "replay" not in text
    assert "jostle serve" in text or "Log in" in text
    assert page.locator("main canvas").count() == 0
    assert path != "/jobs" or violations(page) == []  # all say it alike


def test_a_server_that_is_away_comes_back(page, served, idle, violations):
    page.expected.append("ERR_")
    page.goto(served.enter("/jobs"))
    idle(page)
    page.route("**/api/**", lambda route: route.abort())
    page.get_by_label("Search jobs").fill("replay")
    page.wait_for_selector("text=Connection lost, trying again")
    # What was there stays there.
    assert page.locator(".jobs .row a").count() == 8
    assert violations(page) == []
    page.unroute("**/api/**")
    page.wait_for_selector("text=Connection lost", state="detached")
    idle(page)
    assert page.locator(".jobs .row a").all_inner_texts() == ["replay-0003"]


def test_a_page_that_waits_shows_its_bones(page, served, idle, violations):
    held = []
    page.route("**/api/v1/jobs?*", lambda route: held.append(route))
    page.goto(served.enter("/jobs"))
    page.wait_for_selector(".bone")
    assert page.evaluate("document.documentElement.dataset.idle") is None
    assert violations(page) == []
    for route in held:
        route.continue_()
    page.wait_for_selector(".jobs .row a")


@pytest.mark.in_turn
def test_a_broken_file_breaks_only_what_needs_it(page, served, idle, tmp_path):
    """Processes by time come from the table of slices, nothing else on the page does."""
    copy = tmp_path / "repository"
    shutil.copytree(served.repository, copy)
    shutil.copytree(served.repository.parent / "cache", tmp_path / "cache")  # verdicts are there
    for path in (copy / "slices").rglob("*.parquet"):
        data = bytearray(path.read_bytes())
        data[4:-8] = bytes(len(data) - 12)
        path.write_bytes(data)
    page.expected += ["500", "404", "CHUNKED"]  # the last: the server ends before the page
    with serving(copy) as broken:
        page.goto(broken.enter("/jobs"))
        idle(page)
        assert page.locator(".jobs .row a").count() == 8
        page.locator(".jobs .row a", has_text="replay").click()
        page.wait_for_selector(".stack canvas")
        idle(page)
        notice = page.locator("[role=status] p", has_text="cannot be read").first.inner_text()
        assert "slices/" in notice and "its rows of the table slices" in notice
        assert page.locator(".verdict").is_visible()
