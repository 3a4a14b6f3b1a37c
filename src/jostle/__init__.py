"""jostle: a profiler that records all jobs of a cluster on the same time slices.

`jostle.open()` opens the repository of a site for scripts and notebooks (docs/reference/python.md);
README.md in this folder lists the subpackages.
"""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jostle.errors import JostleError

if TYPE_CHECKING:
    from jostle.api import Background as Background
    from jostle.api import Component as Component
    from jostle.api import Digest as Digest
    from jostle.api import Estimate as Estimate
    from jostle.api import FileUse as FileUse
    from jostle.api import Gpu as Gpu
    from jostle.api import Interference as Interference
    from jostle.api import Job as Job
    from jostle.api import JostleWarning as JostleWarning
    from jostle.api import Machine as Machine
    from jostle.api import MissingPackageError as MissingPackageError
    from jostle.api import Mount as Mount
    from jostle.api import Process as Process
    from jostle.api import Site as Site
    from jostle.api import Step as Step
    from jostle.api import Table as Table
    from jostle.api import Verdict as Verdict
    from jostle.api import open as open  # noqa: A004

__all__ = [
    "Background",
    "Component",
    "Digest",
    "Estimate",
    "FileUse",
    "Gpu",
    "Interference",
    "Job",
    "JostleError",
    "JostleWarning",
    "Machine",
    "MissingPackageError",
    "Mount",
    "Process",
    "Site",
    "Step",
    "Table",
    "Verdict",
    "native_path",
    "open",
]

__version__ = "1.0.0"


def __getattr__(name: str) -> Any:
    """Load `jostle.api` when one of its names is first used, so that `import jostle` is fast."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("jostle.api"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


class NativeMissingError(JostleError):
    """A compiled part of jostle was not found in any of the searched folders."""


def native_path(name: str) -> Path:
    """Find a compiled part of jostle.

    Args:
        name: File name: libjostle.so, libjostle-decode.so or jostle-run.

    Returns:
        Absolute path of the file. The folder in the environment variable JOSTLE_NATIVE comes first,
        then the build tree of a source checkout, then the folder that the wheel carries.

    Raises:
        NativeMissingError: The file is in none of these folders.
    """
    package = Path(__file__).resolve().parent
    checkout = package.parent.parent
    folders = [package / "_native"]
    if (checkout / "CMakeLists.txt").is_file():
        folders.insert(0, checkout / "build" / "native")
    override = os.environ.get("JOSTLE_NATIVE")
    if override:
        folders = [Path(override).resolve()]
    for folder in folders:
        if (folder / name).is_file():
            return folder / name
    looked = ", ".join(str(folder) for folder in folders)
    hint = "Unset JOSTLE_NATIVE." if override else "Run `make build`, or reinstall jostle."
    raise NativeMissingError(f"{name} was not found (looked in {looked}).", hint=hint)
