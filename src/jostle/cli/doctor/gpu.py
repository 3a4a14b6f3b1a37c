"""Checks of `jostle doctor` for GPUs: which there are, and whether they can be recorded."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from jostle.cli.doctor.checks import Check

_NVIDIA = "0x10de"
_DISPLAY = "0x03"  # class of PCI: display and 3D controllers
_CUPTI = ("libcupti.so.13", "libcupti.so.12")


def gpus_on_pci(devices: Path = Path("/sys/bus/pci/devices")) -> list[str]:
    """List NVIDIA's GPUs: bus id and NUMA node of each, in words."""
    seen = []
    for device in sorted(devices.glob("*:*:*.*")):
        if _read(device / "vendor") == _NVIDIA and _read(device / "class").startswith(_DISPLAY):
            node = _read(device / "numa_node")
            seen.append(f"{device.name} (NUMA node {node})" if node.isdecimal() else device.name)
    return seen


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def cupti_here() -> str:
    """Find CUPTI where the recorder looks for it; "" where only a program may bring it along."""
    try:
        known = subprocess.run(
            ["ldconfig", "-p"], capture_output=True, text=True, timeout=10, check=False
        ).stdout  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        known = ""
    folders = os.environ.get("LD_LIBRARY_PATH", "").split(":")
    for root in (os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"):
        if root and root.startswith("/"):
            folders += [f"{root}/extras/CUPTI/lib64", f"{root}/lib64"]
    for name in _CUPTI:
        for line in known.splitlines():
            if line.split()[:1] == [name]:
                return line.rpartition("=> ")[2]
        for folder in folders:
            if folder and (Path(folder) / name).is_file():
                return f"{folder}/{name}"
    return ""


def check_gpus() -> Check:
    """Check that what NVIDIA's GPUs do can be recorded."""
    from jostle import _native_path

    gpus = gpus_on_pci()
    if not gpus:
        return Check("GPUs", "ok", "none of NVIDIA's: `jostle run --gpu` changes nothing here")
    says = f"{len(gpus)} of NVIDIA: {', '.join(gpus)}"
    recorder = _native_path("libjostle.so").with_name("libjostle_cuda.so")
    if not recorder.is_file():
        return Check("GPUs", "warn", f"{says}; {recorder} is missing", "reinstall jostle")
    cupti = cupti_here()
    if not cupti:
        return Check(
            "GPUs", "warn", f"{says}; no libcupti was found: only programs that bring it along, as "
            "PyTorch does, can be recorded", "install CUDA's toolkit, or set CUDA_HOME",
        )  # fmt: skip
    return Check("GPUs", "ok", f"{says}; recorded with {cupti}")
