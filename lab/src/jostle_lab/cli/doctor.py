"""Checks of `jostle doctor` for labs: which parts can be started, and why others cannot."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from jostle.cli.for_verbs import Check

if TYPE_CHECKING:
    from jostle_lab.cluster import LabError, LabSpec

_INSTALL = "apt-get install "


def checks() -> list[tuple[str, Callable[[], Check]]]:
    """Return the checks that `jostle doctor` adds to its own."""
    return [("lab", check_lab)]


def check_lab() -> Check:
    """Report in one line which labs this machine can build."""
    from jostle_lab.cluster import LabSpec

    basics = _problem(LabSpec(fs="plain"))
    if basics is not None:
        return Check("lab", "warn", str(basics), basics.hint)
    if os.geteuid() != 0:
        return Check("lab", "ok", "`jostle lab up --fs plain`; all other labs need root")
    there, missing = ["--fs plain"], {}
    for name, spec in (
        ("--fs sshfs", LabSpec(fs="sshfs")),
        ("--fs gluster", LabSpec(fs="gluster")),
        ("--fs cephfs", LabSpec(fs="cephfs")),
        ("--fs loop", LabSpec(fs="loop")),
        ("--slurm", LabSpec(fs="plain", slurm=True)),
    ):
        problem = _problem(spec)
        if problem is None:
            there.append(name)
        else:
            missing[name] = problem
    says = f"`jostle lab up` with {', '.join(there)}"
    if not missing:
        return Check("lab", "ok", says)
    packages: list[str] = []
    for name, problem in missing.items():
        packages += problem.hint.removeprefix(_INSTALL).split() if _lacks(problem) else []
        says += f"; not {name}" + ("" if _lacks(problem) else f" ({problem})")
    fix = _INSTALL + " ".join(dict.fromkeys(packages)) if packages else ""
    return Check("lab", "warn", says, fix)


def _problem(spec: LabSpec) -> LabError | None:
    """Return why a lab cannot be started here, or None if it can."""
    from jostle_lab.cluster import LabError
    from jostle_lab.cluster.checks import check_machine

    try:
        check_machine(spec)
    except LabError as error:
        return error
    return None


def _lacks(problem: LabError) -> bool:
    """Return whether only a package is missing."""
    return problem.hint.startswith(_INSTALL)
