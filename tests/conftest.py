"""Fixtures for all tests: imports `shared_fixtures`, which the tests of the lab use as well."""

from shared_fixtures import *  # noqa: F403
