"""Receivers for the tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from running_receiver import Running, start


@pytest.fixture(scope="package")
def starting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Running]]:
    """Start receivers that end with the tests."""
    running: list[Running] = []

    def begin(*words: str, folder: Path | None = None, config: str = "") -> Running:
        running.append(start(folder or tmp_path_factory.mktemp("receive"), *words, config=config))
        return running[-1]

    yield begin
    for receiver in running:
        receiver.process.kill()
    for receiver in running:
        receiver.process.wait(30)


@pytest.fixture(scope="package")
def receiver(starting: Callable[..., Running]) -> Running:
    """One receiver for all tests that do not harm it."""
    return starting(config='nodes = ["n*"]\n[elsewhere]\n"x*" = "https://other:8643"\n')
