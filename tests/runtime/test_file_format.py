"""Formats of files by their first bytes, where a call moved them."""

from __future__ import annotations

from harness import Compile, Runner

FORMATS = ["", "HDF5", "netCDF"]


def test_first_bytes(jostle: Runner, build: Compile) -> None:
    """Files written and read, after a seek, at an offset, in parts; and files of no format."""
    process = jostle.run(build("formats.c"), jostle.data).only()
    seen = {
        file["name"].rpartition("/")[2]: FORMATS[file["format"]]
        for file in process.files[1:]
        if f"/{jostle.data.name}/" in file["name"]
    }
    assert len(seen) == 8
    assert seen == {name: name.partition("-")[0] for name in seen}
