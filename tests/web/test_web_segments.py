"""Segments on a job's page: texts, clusters by mouse and keys, and a span shared with slices."""

from __future__ import annotations

import re

import pytest
from web_fixtures import SEGMENTS, jobs_of

CARD = "section[aria-label=Segments]"
LOOKS = [("light", 1280), ("dark", 390)]


def opened(page, served, query=""):
    page.goto(served.enter(f"/jobs/{SEGMENTS}{query}"))
    page.wait_for_selector(f"{CARD} tbody tr")
    card = page.locator(CARD)
    card.scroll_into_view_if_needed()
    return card


@pytest.mark.parametrize("look", LOOKS, indirect=True)
def test_timeline_boxes_and_sizes(page, served, idle, violations):
    card = opened(page, served)
    idle(page)
    answer = page.request.get(f"{served.url}/api/v1/jobs/{SEGMENTS}/segments").json()
    text = card.inner_text()
    assert f"{answer['hit']:,} of {answer['total']:,} segments took longer" in text
    rows = card.locator("tbody tr")
    assert rows.count() == len(answer["clusters"])
    first = max(answer["clusters"], key=lambda one: one["excess_s"])
    assert rows.first.locator("button").inner_text().split() == [
        str(first["number"]),
        first["name"],
    ]
    assert f"{first['members']:,}" in rows.first.inner_text()
    assert rows.first.locator("svg rect").count() == 1
    # Something is drawn: disturbed ones in the colour of others.
    assert painted(page, "others") > 20
    assert painted(page, "own") > 20
    assert [one for one in violations(page) if "Segments" in one or "cluster" in one] == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def painted(page, token: str) -> int:
    """Pixels of the timeline that have nearly a token's colour."""
    return page.evaluate(
        """token => {
          const probe = document.createElement('i');
          document.querySelector('.timeline').append(probe);
          probe.style.color = `var(--${token})`;
          const [r, g, b] = getComputedStyle(probe).color.match(/[\\d.]+/g).map(Number);
          probe.remove();
          const canvas = document.querySelector('.timeline canvas');
          const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
          let found = 0;
          for (let at = 0; at < data.length; at += 4) {
            const away = Math.hypot(data[at] - r, data[at + 1] - g, data[at + 2] - b);
            if (data[at + 3] > 200 && away < 40) found += 1;
          }
          return found;
        }""",
        token,
    )


def test_a_cluster_is_chosen_by_keys_and_is_in_the_address(page, served, idle):
    card = opened(page, served)
    button = card.locator("tbody button").first
    number = button.inner_text().split()[0]
    button.focus()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(rf"cluster={number}"))
    card.get_by_text(f"of cluster {number}, ended by").wait_for()
    idle(page)
    assert button.get_attribute("aria-pressed") == "true"
    # Down leads to the next cluster, Escape back to all.
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.innerText").split()[0] != number
    page.keyboard.press("Escape")
    page.wait_for_url(lambda url: "cluster=" not in url)
    card.get_by_text("took longer than similar ones").wait_for()


def test_a_link_to_a_cluster_opens_it_and_a_wrong_one_says_so(page, served):
    card = opened(page, served)
    number = card.locator("tbody button").nth(1).inner_text().split()[0]
    card = opened(page, served, f"?cluster={number}")
    card.get_by_text(f"of cluster {number}, ended by").wait_for()
    page.expected.append("404")
    page.goto(served.enter(f"/jobs/{SEGMENTS}?cluster=99999"))
    page.get_by_text("This run has no cluster 99999.").wait_for()
    page.locator(CARD).get_by_role("button", name="All clusters").click()
    page.wait_for_selector(f"{CARD} tbody tr")


def test_losses_are_shown_by_pointer_and_by_keys(page, served, idle):
    card = opened(page, served)
    idle(page)
    timeline = card.locator(".timeline")
    timeline.focus()
    page.keyboard.press("ArrowDown")
    said = card.locator(".said")
    assert re.search(r"lost · cluster \d+, disturbed beyond", said.inner_text())
    first = said.inner_text()
    page.keyboard.press("ArrowDown")
    assert said.inner_text() != first
    box = timeline.bounding_box()
    for height in range(15, 160, 7):  # somewhere there is a segment
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + height)
        if "cluster" in said.inner_text():
            break
    assert "cluster" in said.inner_text()
    assert card.locator(".cursor").count() == 1
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] - 60)
    assert said.inner_text() == ""


def test_its_span_is_that_of_the_slices(page, served, idle):
    card = opened(page, served)
    idle(page)
    card.locator(".timeline").focus()
    page.keyboard.press("+")
    page.wait_for_url(re.compile("from=.*to="))
    idle(page)
    zoomed = page.evaluate("document.querySelector('.timeline canvas').toDataURL()")
    # The slices zoom in further, and the segments follow.
    page.locator(".stack").focus()
    page.keyboard.press("+")
    page.wait_for_function(
        "before => document.querySelector('.timeline canvas').toDataURL() !== before", arg=zoomed
    )
    page.locator(CARD).locator(".timeline").focus()
    page.keyboard.press("0")
    page.wait_for_url(lambda url: "from=" not in url)


def test_the_numbers_can_be_saved(page, served, idle):
    card = opened(page, served)
    idle(page)
    card.get_by_role("button", name="Export").click()
    with page.expect_download() as saved:
        page.get_by_role("button", name="CSV").click()
    lines = saved.value.path().read_text().splitlines()
    assert lines[0] == "start_s,duration_s,work,cluster,threshold_s,lost_s,interfered"
    assert len(lines) > 1000


def test_a_job_without_mpi_says_why_it_has_none(page, served):
    plain = next(job for job in jobs_of(served.repository) if not job.startswith("relax"))
    page.goto(served.enter(f"/jobs/{plain}"))
    page.get_by_text("This job has no segments.").wait_for()
    assert "This job has none" in page.locator(CARD).inner_text()
