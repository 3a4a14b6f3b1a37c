"""The environment of a profiled command, and the spool of its profiles."""

from __future__ import annotations

import os
import platform
import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from jostle.cli.config import settings
from jostle.cli.launch.run_names import file_stem
from jostle.cli.options.common import SliceLength, slice_text
from jostle.errors import JostleError, UsageError
from jostle.schema.settings import DEFAULT_SLICE_NS

INJECTION = "CUDA_INJECTION64_PATH"
GPU_OPTION = "JOSTLE_GPU"
_AT_PLATFORM = 15


@dataclass(frozen=True)
class RunSpool:
    """The spool of the profiles of this run.

    Attributes:
        folder: Path of the folder.
        private: Whether it was created for this run alone and is removed afterwards.
        mark: In a spool shared with other runs, the folder that reserves the run's name.
    """

    folder: Path
    private: bool
    mark: Path | None = None

    def profiles_of(self, job: str) -> list[Path]:
        """Return the files of a job that this user may read."""
        stem = file_stem(job)
        paths = [
            path for kind in ("jst", "jss", "jsp") for path in self.folder.glob(f"{stem}.*.{kind}")
        ]
        return sorted(path for path in paths if os.access(path, os.R_OK))


def slice_in_force(asked_ns: int | None) -> int:
    """Return the slice length, ns, that the runtime will use in a run.

    Args:
        asked_ns: Length that the run requests; None: no request.
    """
    rules = settings()
    if asked_ns is not None and "slice" not in rules.locked:
        return asked_ns
    try:
        return SliceLength().convert(rules.get("slice") or "", None, None)
    except UsageError:
        return DEFAULT_SLICE_NS


def gpu_environment() -> dict[str, str]:
    """Return the variables that load the recorders of GPUs.

    The first makes the CUDA driver load its recorder, the second `libjostle.so` that for AMD.

    Raises:
        UsageError: Another tool uses the variable.
        NativeMissingError: The recorder is not installed.
    """
    from jostle import native_path

    recorder = str(native_path("libjostle_cuda.so"))
    taken = os.environ.get(INJECTION)
    if taken and taken != recorder:
        raise UsageError(
            f"{INJECTION} names {taken}, another tool's library, and CUDA loads only one.",
            hint=f"Leave out --gpu, or: unset {INJECTION}",
        )
    kernels = os.environ.get(GPU_OPTION) == "kernels"
    return {INJECTION: recorder, GPU_OPTION: "kernels" if kernels else "on"}


def preload_name() -> str:
    """Return the path of the runtime for LD_PRELOAD, which suits 64-bit and 32-bit loaders.

    The loader itself replaces `$PLATFORM`: a 32-bit program gets an empty library, without an error
    message. If the kernel does not report the platform, or without such a folder, the result is
    the library's own path.

    Raises:
        JostleError: The path cannot be used in LD_PRELOAD.
    """
    from jostle import native_path

    library = native_path("libjostle.so")
    if " " in str(library) or ":" in str(library):
        raise JostleError(
            f"{library} cannot be preloaded: LD_PRELOAD splits at spaces and colons.",
            hint="Install jostle in a path without spaces and colons.",
        )
    folder = library.parent / "jostle-preload"
    if (folder / platform.machine() / library.name).is_file() and _kernel_says_platform():
        return str(folder / "$PLATFORM" / library.name)
    return str(library)


def _kernel_says_platform() -> bool:
    """Return whether programs get AT_PLATFORM; some sandboxes that emulate a kernel omit it."""
    try:
        words = Path("/proc/self/auxv").read_bytes()
    except OSError:
        return False
    return any(key == _AT_PLATFORM and value for key, value in struct.iter_unpack("NN", words))


def child_environment(
    spool: RunSpool, name: str, slice_ns: int | None, more: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Return the environment of CMD: ours and `more`, with the runtime first in LD_PRELOAD."""
    from jostle import native_path

    mine = (preload_name(), str(native_path("libjostle.so")))
    environment = dict(os.environ) | dict(more or {})
    others = re.split("[ :]+", environment.get("LD_PRELOAD", ""))
    kept = [name for name in others if name and name not in mine]
    environment["LD_PRELOAD"] = ":".join([mine[0], *kept])
    environment["JOSTLE_SPOOL"] = str(spool.folder)
    environment["JOSTLE_JOB"] = name
    environment["JOSTLE_FIRST"] = str(os.getpid())
    # The requested digest is printed here, at the end, for programs of every kind.
    environment["JOSTLE_DIGEST"] = "off"
    if slice_ns is not None:
        environment["JOSTLE_SLICE"] = slice_text(slice_ns)
    return environment
