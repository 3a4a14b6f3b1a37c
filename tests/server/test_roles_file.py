"""The operator changes the table of roles: it takes effect at once, for the users concerned."""

from __future__ import annotations

import os
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from jostle.server.access import Viewer
from jostle.server.access.access import Access
from jostle.server.access.accounts import add_account
from jostle.server.access.settings import read_settings

FILE = """
url = "https://jostle.example"
audit = "{audit}"
[accounts]
file = "{accounts}"
[roles]
{roles}
"""


def test_a_changed_role_ends_the_sessions_of_who_has_it(tmp_path: Path) -> None:
    path, accounts = tmp_path / "serve.toml", tmp_path / "accounts"
    times = iter(range(1_000, 2_000))

    def write(roles: str) -> None:
        path.write_text(FILE.format(audit=tmp_path / "audit", accounts=accounts, roles=roles))
        os.utime(path, (next(times),) * 2)

    for name in ("sue", "adam"):
        add_account(accounts, name, "correct horse battery")
    write('support = ["sue"]\nadministrator = ["adam"]')
    access = read_settings(path).access(behind_proxy=False)

    def logged_in(name: str) -> tuple[Viewer, Request]:
        viewer = access.way.enter(name, "correct horse battery")  # type: ignore[union-attr]
        assert viewer is not None
        kept = access.begin(viewer, Request({"type": "http", "headers": []}), Response())
        cookie = (b"cookie", f"{access.cookie}={kept}".encode())
        return viewer, Request({"type": "http", "headers": [cookie], "client": ("10.0.0.1", 1)})

    (sue, hers), (_, his) = logged_in("sue"), logged_in("adam")
    assert sue.role == "support"
    write('support = "sue"')  # no list: a mistake locks nobody out, and lets nobody in
    assert _role(access, hers) == "support"
    write('administrator = ["adam"]')
    assert not access.is_still(sue, hers)
    assert _role(access, hers) is None
    assert _role(access, his) == "administrator"
    assert logged_in("sue")[0].role == "user"


def _role(access: Access, request: Request) -> str | None:
    known = access.who(request)
    return known.viewer.role if known else None
