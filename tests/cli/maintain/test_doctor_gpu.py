"""GPUs in `jostle doctor`, on machines made of files."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from jostle.cli.doctor import gpu


def device(folder: Path, name: str, vendor: str, kind: str, node: str | None) -> None:
    """Make a PCI device as the kernel shows it."""
    (folder / name).mkdir(parents=True)
    (folder / name / "vendor").write_text(f"{vendor}\n")
    (folder / name / "class").write_text(f"{kind}\n")
    if node is not None:
        (folder / name / "numa_node").write_text(f"{node}\n")


def test_gpus_of_a_machine(tmp_path: Path) -> None:
    device(tmp_path, "0000:3b:00.0", "0x10de", "0x030200", "0")
    device(tmp_path, "0000:3b:00.1", "0x10de", "0x040300", "0")  # its sound
    device(tmp_path, "0000:d8:00.0", "0x10de", "0x030000", "-1")
    device(tmp_path, "0000:e5:00.0", "0x1002", "0x120000", "1")
    device(tmp_path, "0000:00:02.0", "0x8086", "0x030000", "0")
    assert gpu.gpus_on_pci(gpu.NVIDIA, tmp_path) == ["0000:3b:00.0 (NUMA node 0)", "0000:d8:00.0"]
    assert gpu.gpus_on_pci(gpu.AMD, tmp_path) == ["0000:e5:00.0 (NUMA node 1)"]
    assert gpu.gpus_on_pci(gpu.AMD, tmp_path / "none") == []


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, list[str]]:
    """GPUs by vendor, to be filled; CUPTI is there, AMD's library is not."""
    gpus: dict[str, list[str]] = {}
    monkeypatch.setattr(gpu, "gpus_on_pci", lambda vendor: gpus.get(vendor.name, []))
    for variable in ("LD_LIBRARY_PATH", "CUDA_PATH", "ROCM_PATH"):
        monkeypatch.setenv(variable, "")
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    toolkit = tmp_path / "extras" / "CUPTI" / "lib64"
    toolkit.mkdir(parents=True)
    shutil.copy(sys.executable, toolkit / "libcupti.so.13")
    return gpus


def test_what_the_check_says(
    machine: dict[str, list[str]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert (gpu.check_gpus().state, gpu.check_gpus().fix) == ("ok", "")
    machine["NVIDIA"] = ["0000:3b:00.0"]
    check = gpu.check_gpus()
    assert check.state == "ok" and check.says.endswith("libcupti.so.13")
    machine["AMD"] = ["0000:e5:00.0"]
    check = gpu.check_gpus()
    assert check.state == "warn" and "1 of NVIDIA" in check.says and "1 of AMD" in check.says
    assert "ROCM_PATH" in check.fix and "CUDA_HOME" not in check.fix
    monkeypatch.setenv("ROCM_PATH", str(tmp_path))
    (tmp_path / "lib").mkdir()
    shutil.copy(sys.executable, tmp_path / "lib" / "librocprofiler-sdk.so.1")
    assert gpu.check_gpus().state == "ok"
    monkeypatch.setattr(gpu, "library_here", lambda vendor: "")
    check = gpu.check_gpus()
    assert check.state == "warn" and "CUDA_HOME" in check.fix and "ROCM_PATH" in check.fix
