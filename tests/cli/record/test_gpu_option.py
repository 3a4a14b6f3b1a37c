"""`jostle run --gpu` names the recorder to the CUDA driver, and asks for AMD's."""

from __future__ import annotations

from pathlib import Path

import pytest

from jostle.cli.launch.environment import GPU_OPTION, INJECTION, gpu_environment
from jostle.errors import UsageError


def test_the_recorder_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(INJECTION, raising=False)
    wanted = gpu_environment()
    assert Path(wanted[INJECTION]).name == "libjostle_cuda.so"
    monkeypatch.setenv(INJECTION, wanted[INJECTION])  # within another `jostle run --gpu`
    assert gpu_environment() == wanted


@pytest.mark.parametrize(("before", "after"), [(None, "on"), ("off", "on"), ("kernels", "kernels")])
def test_amds_is_asked_for(monkeypatch: pytest.MonkeyPatch, before: str | None, after: str) -> None:
    monkeypatch.delenv(INJECTION, raising=False)
    monkeypatch.delenv(GPU_OPTION, raising=False)
    if before:
        monkeypatch.setenv(GPU_OPTION, before)
    assert gpu_environment()[GPU_OPTION] == after


def test_another_tools_library_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(INJECTION, "/opt/tool.so")
    with pytest.raises(UsageError, match=r"names /opt/tool\.so") as error:
        gpu_environment()
    assert error.value.hint and f"unset {INJECTION}" in error.value.hint
