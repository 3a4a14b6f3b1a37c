"""A job's page: its texts, its linked views, and its downloads."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import httpx
import pytest
from web_fixtures import jobs_of

#: Somebody disturbs this one, and it is known who.
HURT = "replay"


def verdict_of(client, job):
    """Asks until it is made: a busy machine is no defect."""
    while (answer := client.get(f"jobs/{job}/verdict", params={"wait_s": 10})).status_code == 202:
        pass
    return answer.json()


@pytest.fixture(scope="module")
def hurt(served) -> str:
    return next(name for name in jobs_of(served.repository) if name.startswith(HURT))


@pytest.fixture(scope="module")
def client(served):
    with httpx.Client(
        base_url=f"{served.url}/api/v1",
        headers={"Authorization": f"Bearer {served.access.token}"},
        timeout=90,
    ) as made:
        yield made


@pytest.fixture
def open_job(page, served, idle):
    def go(job: str, query: str = ""):
        page.goto(served.enter(f"/jobs/{job}{query}"))
        page.wait_for_selector("section.verdict")
        page.wait_for_selector(".stack canvas")
        idle(page)
        return page

    return go


def span_of(page) -> tuple[float, float]:
    """The span that the address has: it follows when the view rests, and so does `data-idle`."""
    page.evaluate("new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
    page.wait_for_selector("html[data-idle]", state="attached")
    page.wait_for_url(re.compile(r"from=.*to=|to=.*from="))
    found = dict(re.findall(r"(from|to)=([\d.]+)", page.url))
    return float(found["from"]), float(found["to"])


def test_verdict_and_first_chart_need_no_scrolling(open_job, hurt):
    page = open_job(hurt)
    for what in (".verdict", ".stack .plot >> nth=0"):
        box = page.locator(what).bounding_box()
        assert box["y"] + box["height"] <= 800, what


def test_one_axis_for_all_views(open_job, hurt):
    page = open_job(hurt)
    stack, grid = page.locator(".stack"), page.locator(".grid canvas")
    box = stack.bounding_box()
    # A drag marks a span; charts and grid show it.
    page.mouse.move(box["x"] + 300, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + 600, box["y"] + 60, steps=4)
    page.mouse.up()
    begin, end = span_of(page)
    # The cursor of the grid is that of the charts.
    grid.scroll_into_view_if_needed()
    place = grid.bounding_box()
    page.mouse.move(place["x"] + place["width"] / 2, place["y"] + 4)
    assert re.search(r"process \d+ on ", page.locator(".said").first.inner_text())
    lines = [page.locator(f"{one} .line").bounding_box()["x"] for one in (".stack", ".grid")]
    assert abs(lines[0] - lines[1]) < 2
    # The wheel zooms with Ctrl about the cursor, pans with Shift; a double click shows all.
    page.keyboard.down("Control")
    page.mouse.wheel(0, -300)
    page.keyboard.up("Control")
    page.wait_for_url(lambda url: f"{begin:.3f}" not in url)
    near, far = span_of(page)
    assert begin < near < far < end
    page.keyboard.down("Shift")
    page.mouse.wheel(0, 200)
    page.keyboard.up("Shift")
    page.wait_for_url(lambda url: f"{near:.3f}" not in url)
    moved = span_of(page)
    assert moved[0] > near
    assert moved[1] - moved[0] == pytest.approx(far - near, abs=0.01)
    page.mouse.dblclick(place["x"] + place["width"] / 2, place["y"] + 4)
    page.wait_for_url(lambda url: "from=" not in url)


def test_keys_move_zoom_and_read(open_job, hurt):
    page = open_job(hurt)
    page.locator(".stack").focus()
    page.keyboard.press("+")
    first = span_of(page)
    page.keyboard.press("ArrowRight")
    page.wait_for_url(lambda url: f"{first[0]:.3f}" not in url)
    assert span_of(page)[0] > first[0]
    page.keyboard.press(".")
    assert page.locator(".stack .read time").is_visible()
    page.keyboard.press("0")
    page.wait_for_url(lambda url: "from=" not in url)
    page.locator(".grid").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press(".")
    assert page.locator(".said").first.inner_text().startswith("process 1 on ")


def test_fingers_pinch_and_pan(new_page, served, idle, hurt):
    page = new_page("light", 390, has_touch=True)
    page.goto(served.enter(f"/jobs/{hurt}"))
    page.wait_for_selector(".stack canvas")
    page.wait_for_selector("section.verdict")
    idle(page)
    page.locator(".stack").scroll_into_view_if_needed()
    box = page.locator(".stack").bounding_box()
    session = page.context.new_cdp_session(page)
    y = box["y"] + 40

    def touch(kind: str, *at: float) -> None:
        points = [{"x": box["x"] + x, "y": y, "id": n} for n, x in enumerate(at)]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", 200)
    touch("touchStart", 200, 240)
    for step in range(1, 6):
        touch("touchMove", 200 - 12 * step, 240 + 12 * step)
    touch("touchEnd")
    before = span_of(page)
    touch("touchStart", 200)
    touch("touchStart", 200, 260)
    for step in range(1, 6):
        touch("touchMove", 200 + 12 * step, 260 + 12 * step)
    touch("touchEnd")
    page.wait_for_url(lambda url: f"{before[0]:.3f}" not in url)
    after = span_of(page)
    assert after[0] < before[0]
    assert after[1] - after[0] == pytest.approx(before[1] - before[0], rel=0.1)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    # One finger up or down moves the page, though it begins on a chart.
    top = page.evaluate("scrollY")
    y = page.locator(".stack").bounding_box()["y"] + 60
    for kind, by in (("touchStart", 0), *(("touchMove", -20 * n) for n in range(1, 9))):
        point = {"x": box["x"] + 200, "y": y + by, "id": 0}
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [point]})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_timeout(300)
    assert page.evaluate("scrollY") > top + 60


def test_suspects_on_shared_resources(open_job, hurt, client):
    page = open_job(hurt)
    chip = page.locator(".suspects button").first
    name = chip.inner_text()
    chip.click()
    page.wait_for_selector(f".stack .title >> text={name}")
    assert "show=" in page.url
    page.reload()
    page.wait_for_selector(f".stack .title >> text={name}")
    shared = client.get(f"jobs/{hurt}/series", params={"of": name, "metric": "bytes"}).json()
    assert len(shared["lines"][0]["mean"]) > 0
    page.locator(".suspects button").first.click()
    page.wait_for_url(lambda url: "show=" not in url)


def test_the_grid_takes_any_metric_and_is_a_table_too(open_job, hurt, violations, client):
    page = open_job(hurt)
    card = page.locator("section[aria-label=Processes]")
    pick = card.locator("select")
    names = pick.locator("option").evaluate_all("all => all.map(one => one.value)")
    made = client.get(f"jobs/{hurt}").json()
    assert {name for name in names if "_" in name} == set(made["metrics"])
    chosen = next(name for name in names if name.endswith("_ops"))
    pick.select_option(chosen)
    page.wait_for_url(f"**bright={chosen}*")
    card.locator("text=As table").click()
    page.wait_for_selector("section[aria-label=Processes] tbody tr")
    assert card.locator("tbody tr").count() == made["processes"]
    assert violations(page) == []


def test_every_metric_can_be_drawn(client, hurt):
    known = client.get("metrics").json()
    made = client.get(f"jobs/{hurt}").json()
    assert len(known["metrics"]) > 150
    for metric in [one["id"] for one in known["views"]] + sorted(made["metrics"])[:3]:
        for what in ("series", "grid"):
            answer = client.get(f"jobs/{hurt}/{what}", params={"metric": metric})
            assert answer.status_code == 200, (metric, what, answer.text)


def test_each_view_as_a_file(open_job, served, hurt, tmp_path):
    page = open_job(hurt)
    # A table is the card's own; pictures of all cards are made in the same way.
    pictures = {"Time slices": ("SVG", "PNG"), "Digest": ("SVG",)}
    for card in ("Verdict", "Time slices", "Processes", "Digest", "Mounts"):
        section = page.locator(f"section[aria-label='{card}']")
        for kind in ("CSV", *pictures.get(card, ())):
            section.locator(".knob").click()
            command = section.locator("code").inner_text()
            assert re.fullmatch(rf"jostle .* --repository {served.repository}", command)
            with page.expect_download() as waited:
                section.locator(".kinds button", has_text=kind).click()
            path = tmp_path / waited.value.suggested_filename
            waited.value.save_as(path)
            assert hurt in path.name
            _check(kind, path)


def _check(kind: str, path: Path) -> None:
    body = path.read_bytes()
    if kind == "CSV":
        rows = list(csv.reader(io.StringIO(body.decode())))
        assert len(rows) > 1
        assert {len(row) for row in rows} == {len(rows[0])}
    elif kind == "SVG":
        from xml.etree import ElementTree

        root = ElementTree.fromstring(body)
        assert root.tag.endswith("svg")
        assert any(part.tag.endswith("text") for part in root.iter())
        assert b"javascript" not in body
    else:
        from PIL import Image

        picture = Image.open(path)
        assert picture.width > 600
        assert len(picture.convert("RGB").getcolors(1 << 24)) > 10


def test_figures_are_those_of_the_digest(client, hurt):
    made = client.get(f"jobs/{hurt}").json()["metrics"]
    found = {one["name"]: one for one in client.get(f"jobs/{hurt}/figures").json()["figures"]}
    for name, metric, scale in (
        ("Bytes read", "posix_read_bytes", 1),
        ("Read calls", "posix_read_ops", 1),
        ("Time in reads", "posix_read_ns", 1e-9),
    ):
        if metric.replace("posix", "stdio") in made:
            continue
        for mine, theirs in (("total", "total"), ("least", "min"), ("most", "max")):
            assert found[name][mine] == pytest.approx(made[metric][theirs] * scale), name


def test_a_verdict_that_is_not_there_yet_holds_up_nothing(page, served, hurt, violations):
    reported = httpx.get(
        f"{served.url}/api/v1/jobs/{hurt}/verdict?wait_s=10",
        headers={"Authorization": f"Bearer {served.access.token}"},
        timeout=90,
    ).json()
    far = {"step": 1, "steps": 4, "words": "comparing this and that"}
    asked, answers = [], [None, far]

    def answer(route) -> None:
        """The same until the test has seen it on the page."""
        asked.append(route)
        if answers:
            state = {"state": "assessing", "job": reported["job"], "progress": answers[0]}
            route.fulfill(status=202, json=state)
        else:
            route.fulfill(json=reported)

    page.route("**/verdict*", answer)
    page.goto(served.enter(f"/jobs/{hurt}"))
    page.wait_for_selector("text=Waiting: another run is estimated first")
    answers.pop(0)
    page.wait_for_selector("text=Comparing this and that")
    assert page.get_by_text("step 2 of 4").is_visible()
    assert page.get_by_role("progressbar").get_attribute("aria-valuenow") == "25"
    assert violations(page) == []
    page.wait_for_selector(".stack canvas")
    answers.pop(0)
    page.wait_for_selector("section.verdict")
    assert len(asked) >= 3


@pytest.mark.parametrize("look", [("light", 1280)], indirect=True)
def test_what_a_verdict_may_say(page, served, client, hurt, violations):
    reported = verdict_of(client, hurt)
    page.goto(served.enter("/jobs"))  # once: who enters again leaves requests behind unanswered

    def shown(**head) -> str:
        page.unroute_all()
        body = {**reported, "head": {**reported["head"], **head}}
        page.route("**/verdict*", lambda route: route.fulfill(json=body))
        page.goto(f"{served.url}/jobs/{hurt}")
        page.wait_for_selector("section.verdict")
        return page.locator("section.verdict").inner_text()

    none = {"value": 0.0, "low": 0.0, "high": 0.4}
    between = {"value": 7.0, "low": 3.0, "high": 11.0}
    text = shown(
        light=None,
        percent=between,
        advice="cannot be called fit",
        likely="green",
        undecided="green (60 %) or yellow (40 %)",
        decided_by="another run",
    )
    assert "Undecided" in text
    assert "cannot be called fit: green (60 %) or yellow (40 %)" in text
    assert "What would decide it another run" in " ".join(text.split())
    assert "7.0" in text and "3.0 to 11 %" in text
    assert page.locator("section.verdict .light svg .open").count() == 1  # a shape of its own
    assert violations(page) == []
    reported["interference"]["suspects"] = reported["interference"]["disturbed"] = []
    reported["attribution"] |= {"suspects": [], "unexplained_share": 1.0}
    assert "Undisturbed" in shown(light="green", percent=none, lost_s=none, cause=None)
    # From the percent on that the verdict names a cause, the page names the loss.
    little = {"value": 0.7, "low": 0.4, "high": 1.0}
    text = shown(light="green", percent=little, lost_s=little, cause="cpu", what="CPU")
    assert "Hardly disturbed" in text and "This run lost" in text
    assert "Nobody disturbed this run" not in text
    assert "Nobody disturbed this run" in shown(
        light="green", percent=none, lost_s=none, cause=None
    )
    reported["interference"] = None
    text = shown(light="green", percent=none, lost_s=none, cause=None)
    assert "had the machine to itself" in text
    assert "no other job alongside it" in text


@pytest.mark.parametrize("look", [("light", 1280)], indirect=True)
def test_a_suspect_is_named_for_no_more_than_he_explains(page, served, client, hurt, violations):
    reported = verdict_of(client, hurt)
    reported["head"] |= {"light": "red", "undecided": "", "decided_by": ""}
    lost = reported["head"]["lost_s"]["value"]
    (first, *_) = reported["attribution"]["suspects"]
    first |= {"share": 0.2, "seconds": {"value": 0.2 * lost, "low": 0.1 * lost, "high": 0.3 * lost}}
    reported["attribution"] |= {
        "suspects": [first],
        "explained_s": first["seconds"],
        "unexplained_share": 0.8,
        "unexplained_s": {"value": 0.8 * lost, "low": 0.7 * lost, "high": 0.9 * lost},
        "lost_slices": 41,
        "suspect_slices": 7,
    }
    page.route("**/verdict*", lambda route: route.fulfill(json=reported))
    page.goto(served.enter(f"/jobs/{hurt}"))
    page.wait_for_selector("section.verdict")
    text = page.locator("section.verdict").inner_text()
    assert "to others that were profiled" in text
    assert "20 % of the loss; 80 % explained by no profiled job" in text
    assert "suspects in 7 of 41 slices that lost time" in text
    assert page.locator("section.verdict .run .nobody").count() == 1
    assert violations(page) == []


def test_others_without_names(page, served, client, hurt):
    reported = verdict_of(client, hurt)
    reported["attribution"]["suspects"] = reported["attribution"]["suspects"][
        :1
    ]  # one stands for all of them
    for one in [*reported["interference"]["suspects"], *reported["attribution"]["suspects"]]:
        one["job"] = one["program"] = "other users' jobs"
    page.route("**/verdict*", lambda route: route.fulfill(json=reported))
    page.goto(served.enter(f"/jobs/{hurt}"))
    page.wait_for_selector("section.verdict")
    assert page.locator("section.verdict a").count() == 0
    assert page.locator(".suspects").is_visible()
    assert page.locator(".suspects button").count() == 0


def test_a_broken_part_breaks_its_card_alone(page, served, hurt):
    page.expected = ["500"]
    problem = {"title": "A file cannot be read.", "status": 500, "fix": "Ingest it again."}
    for part in ("figures", "grid"):
        page.route(
            re.compile(rf"/{part}(\?|$)"), lambda route: route.fulfill(status=500, json=problem)
        )
    page.goto(served.enter(f"/jobs/{hurt}"))
    page.wait_for_selector("section.verdict")
    page.wait_for_selector(".stack canvas")
    page.wait_for_selector("section[aria-label=Digest] [role=alert]")
    assert page.locator("[role=alert]").count() == 2
    assert page.locator("[role=alert]", has_text="Ingest it again.").count() == 2


@pytest.mark.parametrize("look", [("light", 1280), ("dark", 390)], indirect=True)
def test_sizes_of_calls_by_keys(page, client, open_job, hurt):
    made = client.get(f"jobs/{hurt}").json()
    for one in made["access"]:  # synthetic jobs have calls, but no sizes
        one["histogram"] = [0] * 10 + [7, 0, 1] + [0] * 19
    page.route(
        re.compile(rf"/jobs/{hurt}(\?|$)"),
        lambda route: (
            route.fulfill(json=made) if "/api/" in route.request.url else route.continue_()
        ),
    )
    page = open_job(hurt)
    plot = page.locator("section[aria-label='Access pattern'] figure .plot").first
    reported = page.locator(f"[id='{plot.get_attribute('aria-describedby')}']")
    bars = plot.locator("rect").count()
    words = plot.locator("svg").get_attribute("aria-label").partition("; ")[2]
    high = page.locator("section[aria-label='Access pattern']").bounding_box()["height"]
    plot.focus()
    heard = []
    for _ in range(bars):
        page.keyboard.press("ArrowRight")
        heard.append(reported.inner_text().removesuffix("s").removesuffix(" call"))
        assert plot.locator("rect.on").count() == 1
    assert ", ".join(heard) == words
    assert page.locator("section[aria-label='Access pattern']").bounding_box()["height"] == high
    page.keyboard.press("Tab")
    assert reported.inner_text() == ""


def test_the_runs_of_its_program_lead_to_their_pages(open_job, assessed, client):
    page = open_job("burster-0001")
    trend = page.locator("section[aria-label='Runs of this program']")
    runs = client.get("jobs/burster-0001/trend").json()["runs"]
    assert trend.locator("li").count() == len(runs) > 1
    assert "estimated so far" not in trend.inner_text()
    assert trend.locator(".said").inner_text().startswith("burster-0001")
    other = next(run for run in runs if run["job"] != "burster-0001")
    bar = trend.get_by_role("link", name=other["job"])
    bar.hover()
    assert f"{other['run_s']:.0f} s" in trend.locator(".said").inner_text()
    bar.click()
    page.wait_for_url(re.compile(f"/jobs/{other['job']}$"))


def test_a_job_is_taken_along_as_a_trace(open_job, hurt):
    page = open_job(hurt)
    with page.expect_download() as saved:
        page.get_by_role("link", name="Perfetto").click()
    assert saved.value.suggested_filename == f"{hurt}.perfetto.json"
    assert '"traceEvents"' in Path(saved.value.path()).read_text()
