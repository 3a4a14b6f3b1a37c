"""jostle: watch every job of a cluster at once, on one clock.

The rooms of this package: `reader` (profiles to tables), `repository` (the Parquet store),
`analysis` (pure functions on tables), `plot` (charts), `cli` (the command), `demo`.
"""

from __future__ import annotations

import os
from pathlib import Path

from jostle.errors import JostleError

__version__ = "0.5.0"


class NativeMissingError(JostleError):
    """A compiled part of jostle is not where it should be."""


def _native_path(name: str) -> Path:
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
