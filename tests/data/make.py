"""Makes the files of this folder that can be made again: seeds of the fuzzers.

    .venv/bin/python tests/data/make.py

The example files of a format version (v1*) are frozen: they are never made again.
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from synth import EPOCH, small_profile, small_shorts  # noqa: E402
from synth_format import schema_layout  # noqa: E402


def main() -> None:
    """Writes the seeds."""
    folder = HERE / "seeds"
    folder.mkdir(exist_ok=True)
    for seed in range(3):
        (folder / f"profile{seed}.jst").write_bytes(small_profile(seed).encode())
    (folder / "ended.jst").write_bytes(small_profile(9, end_ns=EPOCH, end_reason=1).encode())
    (folder / "shorts.jss").write_bytes(small_shorts().encode())
    (folder / "schema.jss").write_bytes(small_shorts(schema_layout()).encode())


if __name__ == "__main__":
    main()
