"""PyTorch's launcher, where it is installed."""

from __future__ import annotations

import functools
import subprocess
import sys

_HAS_GLOO = "import sys, torch.distributed as d; sys.exit(not d.is_gloo_available())"
#: Debian's PyTorch 1.13 mistakes no redirection for none of its kinds.
_MISTAKEN = "from torch.distributed.elastic.multiprocessing import Std; print(Std.from_str('0'))"


@functools.cache
def torchrun() -> tuple[str, ...]:
    """Return the words of torchrun, of a Python that has PyTorch with gloo; none without one."""
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", _HAS_GLOO], capture_output=True, check=False).returncode:
            continue
        words = (python, "-m", "torch.distributed.run")
        said = subprocess.run([python, "-c", _MISTAKEN], capture_output=True, check=False).stdout
        each = "0:1,1:1,2:1,3:1"
        fixed = ("--redirects", each, "--tee", each, "--log_dir", "torchrun-log")
        return (*words, *fixed) if b"None" in said else words
    return ()
