"""Navigation between pages, and the text of each page where there are no data."""

from __future__ import annotations


def test_from_the_list_to_the_verdict(page, served, violations):
    page.goto(served.enter("/"))
    page.wait_for_selector(".jobs .row a")
    assert "token" not in page.url
    assert page.locator(".jobs .row a").count() == 8
    assert violations(page) == []
    first = page.locator(".jobs .row a", has_text="replay")
    job = first.inner_text()
    first.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".stack canvas")
    assert page.url == f"{served.url}/jobs/{job}"
    assert page.locator(".verdict h1").is_visible()
    # Without scrolling: the verdict, and all of its facts.
    box = page.locator(".verdict").bounding_box()
    assert box["y"] + box["height"] < 800
    assert violations(page) == []
