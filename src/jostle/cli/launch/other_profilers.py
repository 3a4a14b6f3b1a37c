"""Other profilers with which `jostle overhead` runs a program: libraries and environments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from jostle.errors import UsageError
from jostle.files.loadable import is_elf, is_loadable

#: Name -> variables that direct its output to {logs} and keep it silent. A profiler is recognised
#: by its name in the name of the library.
_KNOWN = {
    "Darshan": {"DARSHAN_LOGPATH": "{logs}"},
    "mpiP": {"MPIP": "-f {logs} -k 0"},  # without stacks: its fastest mode
    "IPM": {"IPM_REPORT": "none", "IPM_LOGDIR": "{logs}"},
}


@dataclass(frozen=True)
class OtherProfiler:
    """A profiler that is preloaded.

    Attributes:
        name: Name in tables.
        library: Absolute path.
        variables: Environment variables that it needs; {logs} stands for the folder of its logs.
    """

    name: str
    library: str
    variables: dict[str, str]

    def environment(self, logs: Path) -> dict[str, str]:
        """Return its variables, with the folder of its logs in them."""
        return {key: text.format(logs=logs) for key, text in self.variables.items()}


def other_profilers(libraries: Sequence[str]) -> list[OtherProfiler]:
    """Recognize profilers by the names of their libraries.

    Args:
        libraries: Paths, as a user writes them.

    Raises:
        UsageError: A library is missing or cannot be preloaded, or two have the same name.
    """
    profilers = [_profiler(text) for text in libraries]
    names = [profiler.name for profiler in profilers]
    for name in names:
        if names.count(name) > 1 or name in ("plain", "profiled", "jostle"):
            raise UsageError(
                f"--alongside: two profilers are called {name}.", hint="Name different libraries."
            )
    return profilers


def _profiler(text: str) -> OtherProfiler:
    path = Path(text).expanduser().absolute()
    try:
        is_library = is_elf(path)
    except OSError as error:
        raise UsageError(
            f"--alongside: `{text}` cannot be read: {error.strerror}.",
            hint="Name the library that is preloaded: libdarshan.so, libmpiP.so, libipm.so.",
        ) from error
    if not is_library:
        raise UsageError(
            f"--alongside: `{text}` is not a library.", hint="Name the file that ends in .so."
        )
    if not is_loadable(path):
        raise UsageError(
            f"--alongside: `{text}` cannot be loaded by programs of this machine.",
            hint="Name the library for this processor, with 64 bits if programs have 64 bits.",
        )
    if " " in str(path) or ":" in str(path):
        raise UsageError(
            f"--alongside: {path} cannot be preloaded: LD_PRELOAD splits at spaces and colons.",
            hint="Use a path without spaces and colons.",
        )
    stem = path.name.partition(".")[0].removeprefix("lib")
    known = next((name for name in _KNOWN if name.lower() in stem.lower()), None)
    return OtherProfiler(known or stem, str(path), dict(_KNOWN[known]) if known else {})
