"""jostle: watch every job of a cluster at once, on one clock.

`jostle.open()` opens the repository of a site for scripts and notebooks (docs/reference/python.md);
README.md beside this file lists the rooms of the package.
"""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jostle.errors import JostleError

if TYPE_CHECKING:
    from jostle.door import Background as Background
    from jostle.door import Component as Component
    from jostle.door import Digest as Digest
    from jostle.door import Estimate as Estimate
    from jostle.door import FileUse as FileUse
    from jostle.door import Gpu as Gpu
    from jostle.door import Interference as Interference
    from jostle.door import Job as Job
    from jostle.door import JostleWarning as JostleWarning
    from jostle.door import Machine as Machine
    from jostle.door import MissingPackageError as MissingPackageError
    from jostle.door import Mount as Mount
    from jostle.door import Process as Process
    from jostle.door import Site as Site
    from jostle.door import Step as Step
    from jostle.door import Table as Table
    from jostle.door import Verdict as Verdict
    from jostle.door import open as open  # noqa: A004

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

__version__ = "0.5.0"


def __getattr__(name: str) -> Any:
    """Load the door when something of it is used first: `import jostle` itself stays light."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("jostle.door"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


class NativeMissingError(JostleError):
    """A compiled part of jostle is not where it should be."""


def native_path(name: str) -> Path:
    """Find a compiled part of jostle.

    Args:
        name: File name: libjostle.so, libjostle-decode.so or jostle-run.

    Returns:
        Its absolute path. A folder named by the environment variable JOSTLE_NATIVE wins, then
        the build tree of a source checkout, then the folder that the wheel carries.

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
