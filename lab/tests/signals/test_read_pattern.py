"""A program with known read patterns is named by its profile.

lab/bench/proofs/reads.py scores more.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from jostle.analysis import read_patterns
from jostle.repository import Repository

MIB = 1 << 20
CASES = [
    ("whole", "read", 3, 4096, "sequential"),
    ("files", "fread", 1, 65536, "sequential"),
    ("nth", "pread", 2, 4096, "strided"),
    ("ranks", "read", 3, 65536, "strided"),
    ("matrix", "fread", 1, 4096, "strided"),
    ("backward", "preadv", 1, 65536, "strided"),
    ("uniform", "read", 2, 65536, "random"),
    ("permuted", "pread", 1, 65536, "random"),
    ("records", "fread", 2, 4096, "random"),
    ("passes", "read", 2, 65536, "re-read"),
    ("blocks", "pread", 1, 65536, "re-read"),
    ("skipping", "read", 2, 512, "unknown"),
    ("halves", "pread", 1, 65536, "mixed"),
]


def test_named(root: Path, library: Path, tmp_path: Path) -> None:
    """Every way of reading, each by an interface, of one and several processes."""
    reader, spool, path = tmp_path / "reader", tmp_path / "spool", tmp_path / "file"
    source = root / "lab" / "bench" / "programs" / "reader.c"
    subprocess.run(["cc", "-O2", "-o", str(reader), str(source)], check=True)
    spool.mkdir()
    path.write_bytes(bytes(16 * MIB))
    wanted = (os.environ.get("JOSTLE_TEST_PRELOAD"), str(library))
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("JOSTLE_")
    }
    environment |= {
        "LD_PRELOAD": ":".join(each for each in wanted if each),
        "JOSTLE_SPOOL": str(spool),
        "JOSTLE_SLICE": "100ms",
    }
    for way, api, processes, chunk, _ in CASES:
        command = [str(reader), way, str(path), api, "7", str(processes), str(chunk), "1", "0.4"]
        subprocess.run(command, env={**environment, "JOSTLE_JOB": way}, check=True, timeout=60)
    with Repository.of_spool([spool]) as store:
        named = {case[0]: read_patterns(store.job_tables(case[0]))[0].pattern for case in CASES}
    assert named == {case[0]: case[4] for case in CASES}
