"""Maps names of file systems to their classes, which are imported on demand."""

from __future__ import annotations

import importlib
from typing import cast

from jostle_lab.cluster.service import Filesystem, Service
from jostle_lab.cluster.spec import LabSpec

_FILE_SYSTEMS = {
    "sshfs": ("jostle_lab.cluster.filesystems.sshfs", "Sshfs"),
    "plain": ("jostle_lab.cluster.filesystems.plain", "Plain"),
    "gluster": ("jostle_lab.cluster.filesystems.gluster", "Gluster"),
    "cephfs": ("jostle_lab.cluster.filesystems.cephfs", "Cephfs"),
    "loop": ("jostle_lab.cluster.filesystems.loop", "Loop"),
}


def filesystem(name: str) -> type[Filesystem]:
    """Return the class of a shared file system."""
    module, class_name = _FILE_SYSTEMS[name]
    return cast(type[Filesystem], getattr(importlib.import_module(module), class_name))


def services(spec: LabSpec) -> list[type[Service]]:
    """Return the classes of the services that a lab runs, the file system first."""
    classes: list[type[Service]] = [filesystem(spec.fs)]
    if spec.slurm:
        module = importlib.import_module("jostle_lab.cluster.slurm")
        classes.append(cast(type[Service], module.Slurm))
    if spec.agents:
        module = importlib.import_module("jostle_lab.cluster.agents")
        classes.append(cast(type[Service], module.Agents))
    return classes
