"""The API does what its own OpenAPI text says, for any request."""

from __future__ import annotations

import contextlib
import tomllib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from fastapi import FastAPI
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.checks import CHECKS, load_all_checks

from jostle.server import Access, create_app

ROUTES = tomllib.loads(Path(__file__).with_name("roles.toml").read_text())["routes"]
#: How log-in and unknown methods are refused is tested elsewhere, route by route; a metric or a
#: job of any name has the right form, and there may be none.
_LEFT_OUT = ("ignored_auth", "unsupported_method", "positive_data_acceptance")


@contextlib.asynccontextmanager
async def _endless(_app: FastAPI) -> AsyncIterator[None]:
    """The server begins once: schemathesis would begin and end it with each question."""
    yield


@pytest.fixture(scope="module")
def access(injected: Path) -> tuple[dict[str, str], schemathesis.BaseSchema]:
    load_all_checks()
    access = Access()
    headers = {"Authorization": f"Bearer {access.token}", "Host": "localhost"}
    app = create_app(injected, access)
    app.router.lifespan_context = _endless
    return headers, schemathesis.openapi.from_asgi("/api/v1/openapi.json", app, headers=headers)


# The stream of changes has no end.
@pytest.mark.in_turn
@pytest.mark.parametrize(
    "route", [route for route in ROUTES if route.count(" ") == 1 and not route.endswith("/live")]
)
def test_api(route: str, access: tuple[dict[str, str], schemathesis.BaseSchema]) -> None:
    headers, schema = access
    method, path = route.split(" ")
    job = schema["/api/v1/jobs"]["GET"].Case().call(headers=headers).json()["jobs"][0]["job"]
    left_out = [CHECKS.get_one(name) for name in _LEFT_OUT]

    @settings(
        max_examples=12,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=schema[path][method].as_strategy(), there=st.booleans())
    def holds(case: schemathesis.Case, there: bool) -> None:
        if there:
            case.path_parameters |= {"job": job} if "job" in case.path_parameters else {}
            case.query.update({"metric": "cpu"} if "metric" in case.query else {})
        case.call_and_validate(headers=headers, excluded_checks=left_out)

    holds()


def test_every_parameter_and_answer_is_described(access: tuple[dict[str, str], Any]) -> None:
    """Every operation and parameter has a description, which authors of scripts rely on."""
    _, schema = access
    for path, verbs in schema.raw_schema["paths"].items():
        for verb, reported in verbs.items():
            assert reported.get("description"), (verb, path)
            for one in reported.get("parameters", []):
                assert one.get("description"), (verb, path, one["name"])
