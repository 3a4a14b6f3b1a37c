"""`jostle run --gpu` names the recorder to the CUDA driver."""

from __future__ import annotations

from pathlib import Path

import pytest

from jostle.cli.launch.environment import INJECTION, gpu_environment
from jostle.errors import UsageError


def test_the_recorder_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(INJECTION, raising=False)
    wanted = gpu_environment()
    assert Path(wanted[INJECTION]).name == "libjostle_cuda.so"
    monkeypatch.setenv(INJECTION, wanted[INJECTION])  # within another `jostle run --gpu`
    assert gpu_environment() == wanted


def test_another_tools_library_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(INJECTION, "/opt/tool.so")
    with pytest.raises(UsageError, match=r"names /opt/tool\.so") as error:
        gpu_environment()
    assert error.value.hint and f"unset {INJECTION}" in error.value.hint
