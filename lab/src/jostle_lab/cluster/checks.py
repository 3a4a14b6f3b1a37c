"""Checks that this machine can run a lab, before anything is started."""

from __future__ import annotations

import os
import subprocess
import sys

from jostle.errors import UsageError
from jostle_lab.cluster.registry import services
from jostle_lab.cluster.service import Need, Service
from jostle_lab.cluster.spec import LabError, LabSpec

_BASICS = (
    Need("ip", "iproute2"),
    Need("tc", "iproute2"),
    Need("mount", "mount"),
    Need("nsenter", "util-linux"),
)
_DISK = (Need("mkfs.ext4", "e2fsprogs"), Need("losetup", "mount"))


def check_machine(spec: LabSpec) -> bool:
    """Check whether this lab can be built here.

    Returns:
        True if the lab must be built in a user namespace, because this process is not root.

    Raises:
        LabError: The lab cannot be built; the message names the missing parts and how to get them.
        UsageError: The topology does not have the switch to which the storage is to be connected.
    """
    if spec.storage_at:
        _check_switch(spec)
    if sys.platform != "linux":
        raise LabError(f"A lab is made of Linux namespaces; this is {sys.platform}.")
    kinds = services(spec)
    rootless = os.geteuid() != 0
    _check_packages(spec, kinds)
    if rootless:
        _check_rootless(spec, kinds)
    for kind in kinds:
        if why := kind.check(spec):
            raise LabError(f"{kind.name} cannot run here: {why}.", hint=_other(spec, rootless))
    return rootless


def _check_switch(spec: LabSpec) -> None:
    from jostle_lab.cluster.fabric import switches

    if spec.storage_at not in (there := switches(spec.topology)):
        raise UsageError(
            f"{spec.topology} has no switch `{spec.storage_at}` for the storage.",
            hint=f"One of {', '.join(there)}.",
        )


def _check_packages(spec: LabSpec, kinds: list[type[Service]]) -> None:
    needs = [*_BASICS, *(_DISK if spec.store != "ram" else ())]
    for kind in kinds:
        needs += kind.needs
    missing = [need for need in needs if not need.present()]
    if missing:
        commands = ", ".join(dict.fromkeys(need.command for need in missing))
        packages = " ".join(dict.fromkeys(need.package for need in missing))
        raise LabError(
            f"A lab with {' and '.join(kind.name for kind in kinds)} needs commands that are not "
            f"installed: {commands}.",
            hint=f"apt-get install {packages}",
        )


def _check_rootless(spec: LabSpec, kinds: list[type[Service]]) -> None:
    needy = [kind.name for kind in kinds if kind.needs_root]
    if spec.store != "ram":
        needy.append(f"--store {spec.store}")
    if needy:
        raise LabError(
            f"{' and '.join(needy)} needs root.",
            hint="Run `sudo jostle lab up ...`, or as this user add --fs plain --store ram",
        )
    tried = subprocess.run(
        ["unshare", "--user", "--map-root-user", "--net", "--mount", "--pid", "--fork", "true"],
        capture_output=True,
        text=True,
    )
    if tried.returncode:
        raise LabError(
            "A lab needs root, since this kernel allows you no user namespaces "
            f"({tried.stderr.strip()}).",
            hint="Run `sudo jostle lab up ...`, or allow user namespaces: sysctl -w "
            "user.max_user_namespaces=1000 "
            "kernel.unprivileged_userns_clone=1 kernel.apparmor_restrict_unprivileged_userns=0",
        )


def _other(spec: LabSpec, rootless: bool) -> str:
    """Return a hint that names other options with which the lab could be built here."""
    tail = "--fs plain" if spec.fs != "plain" else "without it"
    return f"sudo jostle lab up ..., or {tail}" if rootless else tail
