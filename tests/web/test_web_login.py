"""The log-in page in a browser: with local accounts, and without any login service."""

from __future__ import annotations

from web_fixtures import PASSWORD


def focused(page) -> str:
    return page.evaluate("document.activeElement.id")


def enter(page, closed, password: str = PASSWORD) -> None:
    page.expected += ["401"]
    page.goto(closed.url + "/jobs?sort=job")
    page.get_by_label("Name").fill("anne")
    page.get_by_label("Password").fill(password)
    page.keyboard.press("Enter")


def test_log_in_see_jobs_and_log_out(closed, page, idle, violations):
    enter(page, closed, "wrong")
    page.get_by_role("alert").get_by_text("Name or password is wrong.").wait_for()
    assert violations(page) == []
    assert page.get_by_label("Password").input_value() == ""
    assert focused(page) == "password"  # one may go on at once
    page.keyboard.type(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.wait_for_selector("text=burster-0001")
    assert page.url.endswith("/jobs?sort=job")  # the page that was asked for
    idle(page)
    page.goto(closed.url + "/login")
    page.get_by_text("You see your own jobs, and those of uid 60001.").wait_for()
    assert violations(page) == []
    page.get_by_role("button", name="Token for scripts").click()
    made = page.get_by_role("textbox", name="Token for scripts").input_value()
    assert focused(page) == "token"
    assert (
        page.request.get(
            closed.url + "/api/v1/me", headers={"Authorization": f"Bearer {made}"}
        ).json()["name"]
        == "anne"
    )
    page.get_by_role("button", name="Log out", exact=True).click()
    page.get_by_text("You are logged out.").wait_for()
    assert focused(page) == "name"


def test_log_out_everywhere_ends_the_tokens_too(closed, page, idle, violations):
    enter(page, closed)
    page.wait_for_selector("text=burster-0001")
    idle(page)
    page.goto(closed.url + "/login")
    page.get_by_role("button", name="Token for scripts").click()
    made = page.get_by_role("textbox", name="Token for scripts").input_value()
    page.get_by_role("button", name="Log out everywhere").click()
    page.get_by_text("You are logged out everywhere").wait_for()
    assert violations(page) == []
    bears = {"Authorization": f"Bearer {made}"}
    assert page.request.get(closed.url + "/api/v1/me", headers=bears).status == 401


def test_a_session_that_ends_leads_to_the_form_and_back(closed, page, idle):
    enter(page, closed)
    page.wait_for_selector("text=burster-0001")
    idle(page)
    csrf = page.request.get(closed.url + "/api/v1/me").json()["csrf"]
    page.request.post(closed.url + "/api/v1/logout", headers={"X-CSRF-Token": csrf})
    page.get_by_text("Your session has ended.").wait_for()
    assert page.locator("text=burster-0001").count() == 0
    assert page.locator("nav a").count() == 0
    page.get_by_label("Name").fill("anne")
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_selector("text=burster-0001")
    assert page.url.endswith("/jobs?sort=job")


def test_too_many_tries_are_counted_down(closed, page):
    held = {"title": "Too many tries. Wait 20 s."}
    page.expected += ["429"]
    page.route(
        "**/api/v1/login",
        lambda route: (
            route.fulfill(status=429, json=held, headers={"Retry-After": "20"})
            if route.request.method == "POST"
            else route.continue_()
        ),
    )
    page.clock.install()
    enter(page, closed)
    page.get_by_role("button", name="Wait").wait_for()
    for _ in range(30):  # each second makes the next
        page.clock.run_for(1000)
    page.get_by_role("button", name="Log in").wait_for()
    assert page.get_by_role("alert").count() == 0


def test_what_came_of_a_log_in_elsewhere_is_said(closed, page):
    page.expected += ["401"]
    page.goto(closed.url + "/login?failed=late")
    page.get_by_text("took too long").wait_for()


def test_without_the_token_the_page_says_where_it_is(served, page, violations):
    page.expected += ["401"]
    page.goto(served.url + "/jobs/burster-0001")
    page.get_by_text("You are not logged in").wait_for()
    page.get_by_text("jostle serve").wait_for()
    assert violations(page) == []
