"""The system's page in a browser: through time, to a job, by mouse, wheel, touch and keys."""

from __future__ import annotations

import pytest


@pytest.fixture
def system(page, served, idle):
    page.goto(served.enter("/system"))
    page.wait_for_selector(".grid canvas")
    idle(page)
    return page


def first_rectangle(page) -> tuple[float, float, str]:
    """A point in a job's rectangle, and the job."""
    box = page.locator(".grid canvas").bounding_box()
    for part in (0.3, 0.5, 0.2, 0.7):
        for row in range(4, int(box["height"]), 12):
            x, y = box["x"] + box["width"] * part, box["y"] + row
            page.mouse.move(x, y)
            job = page.locator("details tr.marked a")
            if job.count():
                return x, y, job.text_content()
    raise AssertionError("there is no rectangle")


def test_a_rectangle_shows_its_values_and_leads_to_its_job(system, served):
    assert system.locator(".legend").is_visible()
    x, y, job = first_rectangle(system)
    said = system.locator(".under .said").inner_text()
    assert "node" in said
    assert "cores busy" in said
    system.mouse.click(x, y)
    system.wait_for_url(f"{served.url}/jobs/{job}")


def test_a_band_of_a_mount_leads_to_its_job(system, served):
    link = system.locator(".mount .jobs a").first
    href = link.get_attribute("href")
    link.hover()
    assert system.locator(".mount path.marked").count() >= 1
    band = system.locator(".mount path.marked").first
    box = band.bounding_box()
    assert box["height"] > 0
    link.click()
    system.wait_for_url(f"{served.url}{href}")


def test_by_keys_alone(system, served):
    system.locator(".time").focus()
    whole = system.locator("[role=slider]").get_attribute("aria-valuetext")
    system.keyboard.press("+")
    system.wait_for_url("**from=**")
    assert system.locator("[role=slider]").get_attribute("aria-valuetext") != whole
    zoomed = system.url
    system.keyboard.press("ArrowRight")
    system.wait_for_url(lambda url: url != zoomed)
    system.keyboard.press("0")
    system.wait_for_url(lambda url: "from=" not in url)
    for _ in range(20):  # row by row, until one has a job
        system.keyboard.press("ArrowDown")
        if system.locator("details tr.marked a").count():
            break
    job = system.locator("details tr.marked a").text_content()
    system.keyboard.press("Enter")
    system.wait_for_url(f"{served.url}/jobs/{job}")


def test_the_load_on_a_mount_by_keys_alone(system, served):
    mounts = system.locator(".mount").count()
    said = system.locator(".mount .said").first
    system.locator(".mount .plot").first.focus()
    system.keyboard.press("ArrowUp")  # the lowest band, in the middle
    job = system.locator(".mount .jobs a.marked").first.get_attribute("href").rsplit("/", 1)[1]
    assert said.inner_text().startswith(job)
    assert "all " in said.inner_text()
    assert said.get_attribute("aria-live") == "polite"
    assert system.locator(".time .line").count() == 1 + mounts  # one cursor through all charts
    before = system.locator(".grid .line").get_attribute("style")
    system.keyboard.press(".")
    assert system.locator(".grid .line").get_attribute("style") != before
    system.keyboard.press("Enter")
    system.wait_for_url(f"{served.url}/jobs/{job}")


def test_a_wall_is_filled_and_pointed_at_rightly(new_page, served, idle):
    page = new_page()
    page.set_viewport_size({"width": 3840, "height": 2160})
    page.goto(served.enter("/system"))
    page.wait_for_selector(".grid canvas")
    idle(page)
    assert page.locator(".card.page").bounding_box()["width"] > 0.9 * 3840
    x, y, _ = first_rectangle(page)
    assert abs(page.locator(".grid .line").bounding_box()["x"] - x) < 2
    row = page.locator(".grid .row").bounding_box()
    assert row["y"] - 2 <= y <= row["y"] + row["height"] + 2


def test_the_wheel_zooms_and_the_address_keeps_it(system, idle):
    box = system.locator(".grid canvas").bounding_box()
    system.mouse.move(box["x"] + box["width"] / 2, box["y"] + 20)
    system.keyboard.down("Control")
    system.mouse.wheel(0, -400)
    system.keyboard.up("Control")
    system.wait_for_url("**from=**")
    idle(system)
    shown = system.locator("[role=slider]").get_attribute("aria-valuenow")
    system.reload()
    system.wait_for_selector(".grid canvas")
    idle(system)
    assert system.locator("[role=slider]").get_attribute("aria-valuenow") == shown


def test_the_scrubber_moves_what_is_shown(system):
    system.locator(".time").focus()
    for _ in range(2):
        system.keyboard.press("+")
    system.wait_for_url("**from=**")
    slider = system.locator("[role=slider]")
    before = int(slider.get_attribute("aria-valuenow"))
    bar = system.locator(".scrubber .bar").bounding_box()
    system.mouse.click(bar["x"] + bar["width"] * 0.95, bar["y"] + 20)
    now = "Number(document.querySelector('[role=slider]').ariaValueNow)"
    system.wait_for_function(f"before => {now} > before", arg=before)
    after = int(slider.get_attribute("aria-valuenow"))
    slider.focus()
    system.keyboard.press("Home")
    system.wait_for_function(f"after => {now} < after", arg=after)


def test_any_metric_and_part_of_the_nodes(system, idle):
    system.get_by_role("button", name="Files").click()
    system.wait_for_url("**metric=bytes**")
    idle(system)
    assert "iB/s" in system.locator(".legend").inner_text()
    system.locator("input[type=search]").fill("no such node")
    system.wait_for_selector(".empty")
    system.locator("input[type=search]").fill("")
    system.wait_for_selector(".grid canvas")


def test_a_tap_shows_values_and_a_second_one_opens(new_page, served, idle):
    page = new_page("light", 390, has_touch=True)
    page.goto(served.enter("/system"))
    page.wait_for_selector(".grid canvas")
    idle(page)
    x, y, job = first_rectangle(page)
    page.mouse.move(2, 2)
    page.touchscreen.tap(x, y)
    assert job in page.locator(".under .said").inner_text()
    page.touchscreen.tap(x, y)
    page.wait_for_url(f"{served.url}/jobs/{job}")
    page.wait_for_selector(".stack .uplot")
    idle(page)
    page.locator(".stack .panel").first.scroll_into_view_if_needed()
    box = page.locator(".stack").bounding_box()
    page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + 60)
    assert page.locator(".stack .read time").inner_text()


def test_two_fingers_bring_it_closer(new_page, served, idle):
    page = new_page("light", 390, has_touch=True)
    page.goto(served.enter("/system"))
    page.wait_for_selector(".grid canvas")
    idle(page)
    box = page.locator(".grid canvas").bounding_box()
    session = page.context.new_cdp_session(page)
    middle, y = box["x"] + box["width"] / 2, box["y"] + 40
    for apart, kind in ((20, "touchStart"), (60, "touchMove"), (100, "touchMove")):
        points = [{"x": middle - apart, "y": y, "id": 1}, {"x": middle + apart, "y": y, "id": 2}]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_url("**from=**")
