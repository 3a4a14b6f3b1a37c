"""The worked example of the format's document is true."""

from __future__ import annotations

import re
from pathlib import Path

from jostle.reader import ReadRequest, read_profiles
from synth import Profile
from synth_format import schema_layout, slice_record


def test_the_example(root: Path, tmp_path: Path) -> None:
    text = (root / "docs" / "reference" / "profile-format.md").read_text()
    block = text.partition("## A slice, byte by byte")[2].split("```")[1]
    example = bytes.fromhex("".join(re.findall(r"^((?:[0-9a-f]{2} )+)", block, re.MULTILINE)))
    named = {"posix_write_ops": {0: 1}, "posix_write_bytes": {0: 4096}}
    cells = schema_layout().flat(
        {**named, "posix_write_ns": {0: 10_000}, "os_rss_bytes": -4096, "self_calls_ops": 1}
    )
    assert slice_record(schema_layout(), cells) == example
    p = Profile()
    p.add_slice(p.first_slice, {"os_rss_bytes": 2**20})
    p.records.append(example)
    decoded = read_profiles([ReadRequest(p.write(tmp_path), 0, remainder=False)])
    assert decoded.slices["os_rss_bytes"].to_pylist() == [2**20, 2**20 - 4096]
    assert decoded.mount_slices["posix_write_ns"].to_pylist() == [10_000]
