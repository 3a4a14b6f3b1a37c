"""One synthetic repository for all tests of access, and users that this machine need not have."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from server_fixtures import UIDS, Hall, hall, plant_jobs

import jostle.server.access.roles as roles
from assessing import at_our_priority
from jostle.server.job_service import JobService
from jostle.server.verdicts.verdict_queue import VerdictQueue


@pytest.fixture(scope="session", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Verdicts of the tests are kept apart."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session", autouse=True)
def followed() -> Iterator[list[frozenset[int] | None]]:
    """No job is assessed without a request; gives the owners whose jobs lists would assess."""
    users: list[frozenset[int] | None] = []
    with at_our_priority(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(VerdictQueue, "follow", lambda _assess, whose: users.append(whose))
        yield users


@pytest.fixture(scope="session", autouse=True)
def closed() -> Iterator[None]:
    """Closes the open resources of applications at the end, as a server does."""
    begin, opened = JobService.__init__, weakref.WeakSet[JobService]()

    def init(job_service: JobService, *given: Any, **named: Any) -> None:
        begin(job_service, *given, **named)
        opened.add(job_service)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(JobService, "__init__", init)
        yield
        for job_service in list(opened):
            job_service.close()


@pytest.fixture(scope="session")
def injected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return plant_jobs(tmp_path_factory.mktemp("access") / "repository")


@pytest.fixture(scope="module")
def users() -> Iterator[None]:
    """The owners of the synthetic jobs can be found by name."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(roles, "_uid", UIDS.get)
        yield


@pytest.fixture(scope="module")
def open_hall(injected: Path, users: None, tmp_path_factory: pytest.TempPathFactory) -> Hall:
    return hall(injected, tmp_path_factory.mktemp("looks") / "audit.jsonl")
