"""Advice on the pages of a job, of losses and of the system, and that its text can be copied."""

from __future__ import annotations

import httpx
import pytest
from web_fixtures import PASSWORD, jobs_of


@pytest.fixture(scope="module")
def client(assessed):
    with httpx.Client(
        base_url=f"{assessed.url}/api/v1",
        headers={"Authorization": f"Bearer {assessed.access.token}"},
        timeout=90,
    ) as made:
        yield made


def made(client, path: str) -> dict:
    while (answer := client.get(path)).status_code == 202:
        pass
    assert answer.status_code == 200, answer.text
    return answer.json()


def advised(client, assessed) -> tuple[str, dict]:
    """A job with advice that has a text, and the advice."""
    for job in jobs_of(assessed.repository):
        given = made(client, f"jobs/{job}/advice")
        if given["found"] and given["found"][0]["texts"]:
            return job, given
    pytest.skip("no synthetic job can do anything")


def test_a_job_says_what_to_change_and_its_text_can_be_copied(client, assessed, page, idle):
    job, given = advised(client, assessed)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(assessed.enter(f"/jobs/{job}"))
    section = page.locator("section[aria-label='Advice']")
    section.locator("article").first.wait_for()
    idle(page)
    assert section.locator("article").count() == len(given["found"])
    first = section.locator("article").first
    said = first.inner_text()
    for words in (given["found"][0]["pays"], given["found"][0]["unless"]):
        assert words in said
    first.get_by_role("button", name="Copy the text").click()
    first.get_by_text("Copied").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == "\n".join(given["found"][0]["texts"])


def test_losses_and_system_say_what_a_site_can_change(client, assessed, page, idle):
    given = made(client, "advice?days=366")["advice"]
    page.goto(assessed.enter("/losses?span=all"))
    section = page.locator("section[aria-label='Advice']")
    section.get_by_text("to others.").wait_for()
    idle(page)
    assert section.locator("article").count() == len(given["found"])
    page.goto(assessed.enter("/system"))
    section.get_by_text("to others.").wait_for()
    assert section.locator("article").count() <= 3


def test_a_user_sees_sums_and_no_advice_on_the_site(closed, page, idle):
    page.expected += ["401"]
    page.goto(closed.url + "/losses?span=all")
    page.wait_for_selector("main form")
    page.get_by_label("Name").fill("anne")
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    section = page.locator("section[aria-label='Advice']")
    section.get_by_text("The page of a job says what you can change.").wait_for()
    idle(page)
    assert section.locator("article").count() == 0


def test_a_job_can_be_moved_in_time_and_its_loss_is_predicted(client, assessed, page, idle):
    for job in jobs_of(assessed.repository):
        given = made(client, f"jobs/{job}/advice")
        if given["own_neighbours"]:
            break
    else:
        pytest.skip("no synthetic job is slowed by another one of its user")
    page.goto(assessed.enter(f"/jobs/{job}"))
    panel = page.locator(".what-if")
    panel.get_by_text("As it ran, others cost it").wait_for()
    idle(page)
    panel.get_by_role("slider").press("End")
    panel.get_by_text("later, it would lose").wait_for()
