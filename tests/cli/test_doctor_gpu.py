"""GPUs in `jostle doctor`, on machines made of files."""

from __future__ import annotations

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
    device(tmp_path, "0000:00:02.0", "0x8086", "0x030000", "0")
    assert gpu.gpus_on_pci(tmp_path) == ["0000:3b:00.0 (NUMA node 0)", "0000:d8:00.0"]
    assert gpu.gpus_on_pci(tmp_path / "none") == []


def test_what_the_check_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(gpu, "gpus_on_pci", list)
    assert (gpu.check_gpus().state, gpu.check_gpus().mend) == ("ok", "")
    monkeypatch.setattr(gpu, "gpus_on_pci", lambda: ["0000:3b:00.0"])
    monkeypatch.setenv("LD_LIBRARY_PATH", "")
    monkeypatch.setenv("CUDA_PATH", "")
    toolkit = tmp_path / "extras" / "CUPTI" / "lib64"
    toolkit.mkdir(parents=True)
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    (toolkit / "libcupti.so.13").touch()
    check = gpu.check_gpus()
    assert check.state == "ok" and check.says.endswith("libcupti.so.13")
    monkeypatch.setattr(gpu, "cupti_here", str)
    check = gpu.check_gpus()
    assert check.state == "warn" and "CUDA_HOME" in check.mend
