"""The list of jobs: search, filters, order, thousands of rows, and its state in the address."""

from __future__ import annotations

import json
from urllib.parse import parse_qs, urlsplit

import pytest


def names(page):
    return page.locator(".jobs .row a").all_inner_texts()


def test_filters_count_and_combine(page, served, idle, violations):
    page.goto(served.enter("/jobs"))
    idle(page)
    page.get_by_role("button", name="Program").click()
    assert violations(page) == []
    page.locator(".panel label", has_text="burster").click()
    page.wait_for_url("**program=burster")
    idle(page)
    assert sorted(names(page)) == ["burster-0001", "burster-0004"]
    assert page.locator(".head p").inner_text().startswith("2 jobs")
    # The other values of a filter stay, with what they would add.
    page.locator(".panel label", has_text="relax").click()
    idle(page)
    assert len(names(page)) == 4
    page.keyboard.press("Escape")
    page.get_by_role("button", name="State").click()
    page.locator(".panel label", has_text="live").click()
    page.wait_for_url("**state=live")
    idle(page)
    assert names(page) == ["relax-0007"]
    address = page.url
    page.reload()
    idle(page)
    assert page.url == address
    assert names(page) == ["relax-0007"]
    page.get_by_role("button", name="show all").click()
    idle(page)
    assert len(names(page)) == 8
    assert "=" not in page.url


def test_time_and_search_narrow_the_list(page, served, idle):
    page.goto(served.enter("/jobs?from=2025-06-15T15:02"))
    idle(page)
    late = names(page)
    assert 0 < len(late) < 8
    assert "burster-0001" not in late
    page.get_by_label("Search jobs").fill("no such thing")
    page.wait_for_selector(".nothing")
    page.get_by_label("Search jobs").fill("SOLVER")
    idle(page)
    assert names(page) == ["solver-0002"]


def test_a_link_means_the_same_to_a_colleague_elsewhere(new_page, served, idle):
    seen = []
    for zone in ("UTC", "America/New_York"):
        page = new_page(timezone_id=zone)
        page.goto(served.enter("/jobs?from=2025-06-15T15:02"))
        idle(page)
        seen.append(page.locator(".jobs").inner_text())
    assert seen[0] == seen[1]
    assert "2025-06-15 15:0" in seen[0]


def test_the_list_as_a_file(page, served, idle):
    page.goto(served.enter("/jobs?program=burster"))
    idle(page)
    page.get_by_role("button", name="Export: Jobs").click()
    with page.expect_download() as waited:
        page.get_by_role("button", name="CSV").click()
    rows = waited.value.path().read_text().splitlines()
    assert [row.split(",")[0] for row in rows] == ["job", "burster-0004", "burster-0001"]


@pytest.mark.parametrize("column", ["Job", "Ran", "Processes", "Started"])
def test_columns_sort_both_ways(page, served, idle, column):
    page.goto(served.enter("/jobs?state=over"))
    idle(page)
    head = page.get_by_role("button", name=column, exact=False).and_(
        page.locator(".jobs .head button")
    )
    seen = []
    for _ in range(2):
        head.click()
        idle(page)
        seen.append(names(page))
        assert page.locator("[aria-sort]").count() == 1
    if column in ("Job", "Started"):
        assert seen[0] == seen[1][::-1]
    assert sorted(seen[0]) == sorted(seen[1])


def test_thousands_of_rows_are_only_there_when_looked_at(page, served, idle):
    """The server's answer is synthetic: ten thousand jobs, as its API would list them."""
    asked = []

    def answer(route):
        query = parse_qs(urlsplit(route.request.url).query)
        offset, limit = int(query["offset"][0]), int(query["limit"][0])
        asked.append(offset)
        rows = [
            {
                "job": f"job-{n:05d}",
                "program": "p",
                "uid": 1,
                "user": "u",
                "start_ns": 0,
                "end_ns": 10**9,
                "running": False,
                "processes": 1,
                "nodes": 1,
                "verdict": None,
                "spark": [],
                "spark_of": None,
                "batch": None,
                "part": f"job-{n:05}",
            }
            for n in range(offset, min(offset + limit, 10_000))
        ]
        facets = {name: {} for name in ("light", "cause", "user", "program", "state")}
        body = {"total": 10_000, "jobs": rows, "facets": facets}
        route.fulfill(status=200, content_type="application/json", body=json.dumps(body))

    page.route("**/api/v1/jobs?*", answer)
    page.goto(served.enter("/jobs"))
    page.wait_for_selector(".jobs .row a")
    assert len(names(page)) < 40
    page.evaluate("scrollTo(0, 250_000)")
    page.wait_for_selector("text=job-05000")
    assert len(names(page)) < 60
    assert len(asked) < 6
    page.evaluate("scrollTo(0, 1e9)")
    page.wait_for_selector("text=job-09999")
    assert page.locator("[role=table]").get_attribute("aria-rowcount") == "10001"


def test_a_phone_has_what_matters(new_page, served, idle):
    page = new_page("light", 390, has_touch=True, is_mobile=True)
    page.goto(served.enter("/jobs"))
    idle(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    row = page.locator(".jobs .row").nth(1)
    assert row.locator(".light").first.is_visible()
    assert not row.locator(".user").is_visible()
    row.tap()  # all of it is the link
    page.wait_for_url("**/jobs/relax-0007")
