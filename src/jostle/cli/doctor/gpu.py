"""Checks of `jostle doctor` for GPUs: which GPUs exist, and whether their use can be recorded."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from jostle.cli.doctor.checks import Check
from jostle.files.loadable import find_library, is_loadable

_KINDS = ("0x03", "0x12")  # classes of PCI: display and 3D controllers, accelerators


@dataclass(frozen=True)
class Vendor:
    """A vendor whose GPUs can be recorded, and the libraries for that.

    Attributes:
        name: Name in messages.
        pci: PCI vendor id, as the kernel writes it.
        recorder: jostle's library for recording.
        libraries: Names of the vendor's library for profilers, the best first.
        roots: Environment variables with a folder of its software, and the usual folder.
        below: Path of libraries below such a folder.
        otherwise: Message if the vendor's library was not found.
        fix: Remedy for that.
    """

    name: str
    pci: str
    recorder: str
    libraries: tuple[str, ...]
    roots: tuple[str, ...]
    below: tuple[str, ...]
    otherwise: str
    fix: str


NVIDIA = Vendor(
    "NVIDIA",
    "0x10de",
    "libjostle_cuda.so",
    ("libcupti.so.13", "libcupti.so.12"),
    ("CUDA_HOME", "CUDA_PATH", "/usr/local/cuda"),
    ("extras/CUPTI/lib64", "lib64"),
    "no libcupti was found, so only programs that bring it along, as PyTorch does, can be recorded",
    "install CUDA's toolkit, or set CUDA_HOME",
)
AMD = Vendor(
    "AMD",
    "0x1002",
    "libjostle_rocm.so",
    ("librocprofiler-sdk.so.1",),
    ("ROCM_PATH", "/opt/rocm"),
    ("lib",),
    "no librocprofiler-sdk.so.1 was found, so only programs that bring it along can be recorded",
    "install rocprofiler-sdk of ROCm 7, or set ROCM_PATH",
)


def gpus_on_pci(vendor: Vendor, devices: Path = Path("/sys/bus/pci/devices")) -> list[str]:
    """List a vendor's GPUs: bus id and NUMA node of each, as text."""
    seen = []
    for device in sorted(devices.glob("*:*:*.*")):
        if _read(device / "vendor") == vendor.pci and _read(device / "class").startswith(_KINDS):
            node = _read(device / "numa_node")
            seen.append(f"{device.name} (NUMA node {node})" if node.isdecimal() else device.name)
    return seen


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def library_here(vendor: Vendor) -> str:
    """Find a vendor's library in the recorder's search path; "": not there."""
    folders = os.environ.get("LD_LIBRARY_PATH", "").split(":")
    for root in (r if r.startswith("/") else os.environ.get(r, "") for r in vendor.roots):
        if root.startswith("/"):
            folders += [f"{root}/{below}" for below in vendor.below]
    for name in vendor.libraries:
        if path := find_library(name):
            return path
        for folder in folders:
            if folder and is_loadable(f"{folder}/{name}"):
                return f"{folder}/{name}"
    return ""


def _check(vendor: Vendor, gpus: Sequence[str]) -> Check:
    from jostle import native_path

    says = f"{len(gpus)} of {vendor.name}: {', '.join(gpus)}"
    recorder = native_path("libjostle.so").with_name(vendor.recorder)
    if not recorder.is_file():
        return Check("GPUs", "warn", f"{says}; {recorder} is missing", "reinstall jostle")
    library = library_here(vendor)
    if not library:
        return Check("GPUs", "warn", f"{says}; {vendor.otherwise}", vendor.fix)
    return Check("GPUs", "ok", f"{says}; recorded with {library}")


def check_gpus() -> Check:
    """Check that the activity of GPUs can be recorded."""
    checks = [_check(vendor, gpus) for vendor in (NVIDIA, AMD) if (gpus := gpus_on_pci(vendor))]
    if not checks:
        says = "none of NVIDIA or AMD: `jostle run --gpu` changes nothing here"
        return Check("GPUs", "ok", says)
    if len(checks) == 1:
        return checks[0]
    state = "warn" if any(check.state == "warn" for check in checks) else "ok"
    fixes = [check.fix for check in checks if check.fix]
    return Check("GPUs", state, "; ".join(c.says for c in checks), "; ".join(fixes))
