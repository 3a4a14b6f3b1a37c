"""Local accounts: log-in, the file that only its owner reads, and what is never written."""

from __future__ import annotations

import json
import logging
import os

import pytest
from click.testing import CliRunner
from server_fixtures import ROLES, URL
from starlette.testclient import TestClient

from jostle.cli.main import cli
from jostle.server import Access, create_app
from jostle.server.access.accounts import Accounts, add_account
from jostle.server.access.audit import Audit
from jostle.server.access.files import AccessError

PASSWORD = "correct horse battery"


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "accounts"
    assert add_account(path, "anne", PASSWORD)
    return path


@pytest.fixture
def access(file, users, tmp_path):
    return Access(Accounts(file, ROLES), url=URL, audit=Audit(tmp_path / "audit.jsonl"))


@pytest.fixture
def client(injected, access):
    return TestClient(create_app(injected, access), URL, follow_redirects=False)


def enter(client: TestClient, name: str = "anne", password: str = PASSWORD, csrf: str = ""):
    return client.post(
        "/api/v1/login", json={"name": name, "password": password}, headers={"X-CSRF-Token": csrf}
    )


def test_log_in_and_out(client, access):
    assert client.get("/api/v1/login").json() == {"way": "accounts"}
    answer = enter(client)
    assert answer.status_code == 200
    kept = answer.headers["set-cookie"]
    for word in ("__Host-jostle=", "HttpOnly", "Secure", "SameSite=strict", "Path=/"):
        assert word in kept
    me = client.get("/api/v1/me").json()
    assert me == answer.json()
    assert (me["name"], me["uid"], me["role"]) == ("anne", 60000, "manager")
    assert [one["uid"] for one in me["accounts"]] == [60001]
    stolen = client.cookies["__Host-jostle"]
    assert client.post("/api/v1/logout", headers={"X-CSRF-Token": me["csrf"]}).status_code == 204
    client.cookies.set("__Host-jostle", stolen)
    assert client.get("/api/v1/me").status_code == 401


def test_wrong_words_say_nothing_of_which(client):
    wrong = [enter(client, "anne", "no").json(), enter(client, "nobody", "no").json()]
    assert wrong[0] == wrong[1]
    assert wrong[0]["status"] == 401


def test_tries_are_held_back(client):
    assert [enter(client, "anne", "no").status_code for _ in range(6)] == [401] * 5 + [429]
    held = enter(client)  # the right password does not help now
    assert held.status_code == 429 and 0 < int(held.headers["retry-after"]) <= 60


def test_forms_of_other_pages_cannot_log_one_in(client):
    entry = {"name": "anne", "password": PASSWORD}
    assert client.post("/api/v1/login", data=entry).status_code == 403
    assert (
        client.post(
            "/api/v1/login", json=entry, headers={"Origin": "https://evil.example"}
        ).status_code
        == 403
    )
    text = json.dumps(entry)
    plain = {"Content-Type": "text/plain"}
    assert client.post("/api/v1/login", content=text, headers=plain).status_code == 403


def test_a_new_password_ends_sessions_and_so_does_removal(client, file):
    enter(client)
    assert not add_account(file, "anne", "another password")
    assert client.get("/api/v1/me").status_code == 401
    assert enter(client).status_code == 401
    assert enter(client, password="another password").status_code == 200
    os.truncate(file, 0)
    assert client.get("/api/v1/me").status_code == 401


def test_scripts_get_a_token(client, injected, access):
    me = enter(client).json()
    made = client.post("/api/v1/token", headers={"X-CSRF-Token": me["csrf"]}).json()
    assert made["seconds"] == 7 * 86400
    bears = {"Authorization": f"Bearer {made['token']}"}
    script = TestClient(create_app(injected, access), URL, headers=bears)
    assert script.get("/api/v1/me").json()["name"] == "anne"
    assert script.post("/api/v1/logout").status_code == 204
    assert script.get("/api/v1/me").status_code == 401
    assert client.get("/api/v1/me").status_code == 200


def token(client: TestClient, me: dict) -> dict[str, str]:
    made = client.post("/api/v1/token", headers={"X-CSRF-Token": me["csrf"]}).json()["token"]
    return {"Authorization": f"Bearer {made}"}


def test_a_script_makes_no_token_and_ends_none_but_its_own(client, injected, access):
    me = enter(client).json()
    one, other = token(client, me), token(client, me)
    script = TestClient(create_app(injected, access), URL)
    assert script.post("/api/v1/token", headers=one).status_code == 403
    assert script.post("/api/v1/logout?everywhere=true", headers=one).status_code == 403
    # Whatever else it sends along.
    script.cookies = client.cookies
    assert (
        script.post("/api/v1/token", headers=one | {"X-CSRF-Token": me["csrf"]}).status_code == 403
    )
    assert script.post("/api/v1/logout", headers=one).status_code == 204
    script.cookies.clear()
    assert script.get("/api/v1/me", headers=one).status_code == 401
    assert script.get("/api/v1/me", headers=other).status_code == 200
    assert client.get("/api/v1/me").status_code == 200


def test_log_out_everywhere(client, file, injected, access):
    add_account(file, "bert", PASSWORD)
    app = create_app(injected, access)
    stolen, bert = (TestClient(app, URL) for _ in range(2))
    bears = token(stolen, enter(stolen).json())
    enter(bert, "bert")
    csrf = {"X-CSRF-Token": enter(client).json()["csrf"]}
    assert stolen.get("/api/v1/me").status_code == 200
    assert client.post("/api/v1/logout?everywhere=true", headers=csrf).status_code == 204
    assert not client.cookies
    assert stolen.get("/api/v1/me").status_code == 401
    assert TestClient(app, URL, headers=bears).get("/api/v1/me").status_code == 401
    assert bert.get("/api/v1/me").status_code == 200


def test_a_browser_that_logs_in_again_leaves_no_session_behind(client):
    csrf = enter(client).json()["csrf"]
    before = client.cookies["__Host-jostle"]
    assert enter(client, csrf=csrf).status_code == 200
    assert client.get("/api/v1/me").status_code == 200
    client.cookies.set("__Host-jostle", before)
    assert client.get("/api/v1/me").status_code == 401


def test_no_secret_is_logged(client, caplog, capfd):
    with caplog.at_level(logging.DEBUG):
        enter(client, PASSWORD, "typed a password as a name")
        enter(client)
        secret = client.cookies["__Host-jostle"]
        client.get("/api/v1/me")
        client.post("/api/v1/login", json={"name": "anne", "password": [PASSWORD]})
        client.get(f"/?token={secret}")
    written = capfd.readouterr()
    ours = [one.getMessage() for one in caplog.records if not one.name.startswith("httpx")]
    reported = "\n".join(ours) + written.out + written.err
    assert "log-in refused" in reported
    for word in (PASSWORD, "typed a password", secret, "argon2"):
        assert word not in reported


# ---- the file ----


def test_only_the_owner_may_read_it(file):
    assert file.stat().st_mode & 0o777 == 0o600
    assert PASSWORD not in file.read_text() and "$argon2id$" in file.read_text()
    for mode in (0o640, 0o604, 0o620):
        file.chmod(mode)
        with pytest.raises(AccessError, match="mode") as error:
            Accounts(file, ROLES)
        assert "chmod 0600" in error.value.hint


def test_a_file_that_opens_while_the_server_runs_lets_nobody_in(client, file):
    enter(client)
    file.chmod(0o644)
    for answer in (client.get("/api/v1/me"), enter(client)):
        assert answer.status_code == 500
        assert str(file) not in answer.text


@pytest.mark.parametrize("line", ["anne", "anne:x", ":$argon2id$x", "a b:$argon2id$x"])
def test_lines_that_mean_nothing(file, line):
    file.write_text(line + "\n")
    with pytest.raises(AccessError, match="accounts:1"):
        Accounts(file, ROLES)


@pytest.mark.parametrize(("name", "password"), [("a:b", PASSWORD), ("", PASSWORD), ("bert", "x")])
def test_what_will_not_do(file, name, password):
    before = file.read_text()
    with pytest.raises(AccessError):
        add_account(file, name, password)
    assert file.read_text() == before


def test_add_user_asks_for_the_password(tmp_path, monkeypatch):
    config = tmp_path / "serve.toml"
    config.write_text(f'[accounts]\nfile = "{tmp_path}/accounts"\n')
    words = ["serve", "--add-user", "dora", "--config", str(config)]
    done = CliRunner().invoke(cli, words, input=f"{PASSWORD}\n")  # as a script gives it
    assert done.exit_code == 0, done.output
    assert "is added" in done.output and PASSWORD not in done.output
    assert "this system knows no user dora" in done.output
    assert Accounts(tmp_path / "accounts", ROLES).enter("dora", PASSWORD)
    monkeypatch.setattr("jostle.cli.commands.look.serve._is_interactive", lambda: True)
    twice = "other password\nother password\n"
    again = CliRunner().invoke(cli, words, input=twice)
    assert "has a new password" in again.output and "Repeat the password" in again.output
