"""Makes the files of this folder.

    .venv/bin/python tests/data/make.py           the seeds of the fuzzers, again
    .venv/bin/python tests/data/make.py freeze    example files of a format version, once

Frozen files (v1*) are read by the tests for ever and never made again.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from frozen import totals  # noqa: E402
from jostle import _native_path  # noqa: E402
from jostle.reader import ReadRequest, read_profiles  # noqa: E402
from synth import EPOCH, random_profile, small_profile, small_shorts  # noqa: E402
from synth_format import schema_layout  # noqa: E402

# Writes 40 000 bytes ten times a second for two seconds and a half, then reads one file back.
PROGRAM = """
open my $f, '>', '/tmp/jostle-frozen' or die;
for (1..25) { syswrite $f, 'x' x 40000; select undef, undef, undef, 0.1 }
close $f; open $f, '<', '/tmp/jostle-frozen' or die;
1 while sysread $f, my $text, 65536;
system '/bin/true'; unlink '/tmp/jostle-frozen';
"""


def expect(path: Path) -> None:
    """Writes what a file holds beside it."""
    found = totals(read_profiles([ReadRequest(path, 0)]))
    path.with_suffix(path.suffix + ".json").write_text(json.dumps(found, indent=1) + "\n")
    path.chmod(0o644)


def freeze() -> None:
    """Makes example files of this format version: by the runtime and by synth.py."""
    if list(HERE.glob("v1*")):
        sys.exit("The example files of version 1 are frozen.")
    with tempfile.TemporaryDirectory(prefix="jostle") as spool:
        environment = {
            "LD_PRELOAD": str(_native_path("libjostle.so")), "JOSTLE_SPOOL": spool,
            "JOSTLE_JOB": "frozen", "JOSTLE_SLICE": "500ms", "PATH": "/usr/bin:/bin",
        }  # fmt: skip
        subprocess.run(["/usr/bin/perl", "-e", PROGRAM], env=environment, check=True, cwd="/tmp")
        for path in map(Path, sorted(os.scandir(spool), key=lambda entry: entry.name)):
            target = HERE / f"v1{path.suffix}"
            target.write_bytes(path.read_bytes())
            expect(target)
    synthetic = HERE / "v1-synth.jst"
    synthetic.write_bytes(random_profile(2026, slices=12, block_capacity=2).encode())
    expect(synthetic)


def seeds() -> None:
    """Writes the seeds."""
    folder = HERE / "seeds"
    folder.mkdir(exist_ok=True)
    for seed in range(3):
        (folder / f"profile{seed}.jst").write_bytes(small_profile(seed).encode())
    (folder / "ended.jst").write_bytes(small_profile(9, end_ns=EPOCH, end_reason=1).encode())
    (folder / "shorts.jss").write_bytes(small_shorts().encode())
    (folder / "schema.jss").write_bytes(small_shorts(schema_layout()).encode())


if __name__ == "__main__":
    freeze() if sys.argv[1:] == ["freeze"] else seeds()
