"""Collects the versions of all software that takes part in a study, for its records."""

from __future__ import annotations

import os
import platform
import shutil
from typing import Any

from jostle import __version__
from jostle.errors import JostleError
from jostle_lab.study.launch import find_mpirun, version_of
from jostle_lab.study.model import Study
from jostle_lab.study.places.place import StudyPlatform


def versions(study: Study, place: StudyPlatform) -> dict[str, Any]:
    """Return versions of jostle, kernel, libc, MPI and commands, and the file system's type.

    Args:
        study: Study whose programs take part.
        place: Open place of the study.
    """
    libc = " ".join(platform.libc_ver())
    found: dict[str, Any] = {
        "jostle": __version__,
        "kernel": f"{platform.system()} {platform.release()} {platform.machine()}",
        "libc": libc,
        "python": platform.python_version(),
        "cpus": os.cpu_count(),
        "fs": place.facts().get("fs"),
    }
    for mpi in sorted({program.mpi or "none" for program in study.programs} - {"none"}):
        try:
            text = version_of([find_mpirun(mpi), "--version"])
        except JostleError:  # on a cluster, MPI may be only on the nodes
            continue
        found[mpi] = " ".join(text.split()[: 8 if mpi == "openmpi" else 5])
    for program in study.programs:
        if program.command and (path := shutil.which(program.command[0])):
            facts = os.stat(path)
            found[f"command:{program.name}"] = f"{os.path.realpath(path)} {facts.st_size} bytes"
    return found
