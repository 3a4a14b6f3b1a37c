"""Fixtures of the tests of access: a synthetic repository of four users, clients of any role."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_network
from pathlib import Path

from fastapi import FastAPI
from starlette.testclient import TestClient

from jostle.server import Access, create_app
from jostle.server.access.audit import Audit
from jostle.server.access.proxy import ProxyHeader
from jostle.server.access.roles import Roles
from jostle_lab.synthetic import Spec, plant, plant_machines

URL = "https://jostle.example"
PROXY = "10.0.0.1"
#: Owners of the synthetic jobs.
UIDS = {"anne": 60000, "bert": 60001, "carl": 60002, "dora": 60003}
ROLES = Roles(
    support=frozenset({"sue"}), administrator=frozenset({"adam"}), manager={"anne": ("bert",)}
)


def plant_jobs(path: Path) -> Path:
    """Stores ten short jobs of four users; each user has some."""
    spec = Spec(jobs=10, slices=120, length=60, processes=2, mounts=1, users=4)
    plant_machines(plant(path, spec, seed=5), seed=5)
    return path


@dataclass
class Hall:
    """A server behind a proxy that vouches for anybody."""

    app: FastAPI
    access: Access
    audit: Path

    def guest(self, name: str | None, address: str = PROXY, **headers: str) -> TestClient:
        """Gives the client of somebody whom the proxy has let in; None: of nobody."""
        reported = {"X-Remote-User": name} if name else {}
        return TestClient(
            self.app,
            URL,
            headers=reported | headers,
            client=(address, 4711),
            follow_redirects=False,
            raise_server_exceptions=False,
        )


def hall(repository: Path, audit: Path, secret: str | None = None) -> Hall:
    """Builds a server behind a proxy."""
    way = ProxyHeader("X-Remote-User", ROLES)
    access = Access(
        way, url=URL, audit=Audit(audit), proxies=[ip_network(f"{PROXY}/32")], proxy_secret=secret
    )
    return Hall(create_app(repository, access), access, audit)


def first_of(app: FastAPI, path: str, headers: Mapping[str, str]) -> tuple[int, bytes]:
    """Asks for a stream that has no end; gives status and first part."""

    async def ask() -> tuple[int, bytes]:
        heard: asyncio.Queue[dict] = asyncio.Queue()
        host = {"Host": URL.partition("//")[2]}
        scope = {
            "type": "http",
            "method": "GET",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "scheme": "https",
            "http_version": "1.1",
            "root_path": "",
            "client": (PROXY, 4711),
            "server": (URL, 443),
            "state": {},
            "headers": [(k.lower().encode(), v.encode()) for k, v in {**host, **headers}.items()],
        }

        async def receive() -> dict:
            await asyncio.Event().wait()
            return {"type": "http.disconnect"}

        task = asyncio.create_task(app(scope, receive, heard.put))
        try:
            async with asyncio.timeout(60):
                status = (await heard.get())["status"]
                return status, (await heard.get()).get("body", b"")
        finally:
            task.cancel()

    return asyncio.run(ask())
