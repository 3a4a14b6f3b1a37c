"""Mounts as the kernel lists them: names with spaces, umlauts, and bytes that are no UTF-8."""

from __future__ import annotations

import os

import pytest

from jostle.cli.doctor import checks
from jostle.files.mounts import MountPoint, mount_points, parse_mounts

LISTED = "\n".join(
    [
        "22 1 8:2 / / rw,relatime shared:1 - ext4 /dev/sda2 rw",
        r"36 22 0:52 / /data/größe\040und\134maß\302\205 rw - nfs4 srv:/größe rw",
        "37 22 0:53 / /work/\udcff rw shared:2 master:1 - lustre  rw",
        "damaged",
        "",
    ]
)


def test_names_are_those_of_the_folders() -> None:
    found = parse_mounts(os.fsencode(LISTED))
    assert found == [
        MountPoint("/", "ext4", "/dev/sda2", 8, 2),
        MountPoint("/data/größe und\\maß\x85", "nfs4", "srv:/größe", 0, 52),
        MountPoint("/work/\udcff", "lustre", "", 0, 53),
    ]


def test_this_machine_has_a_root() -> None:
    assert "/" in {mount.path for mount in mount_points()}


def test_doctor_names_them(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = parse_mounts(os.fsencode(LISTED))
    monkeypatch.setattr(checks, "mount_points", lambda: listed)
    says = checks.check_file_systems().says
    assert r"/data/größe und\maß\x85 (nfs4), /work/\udcff (lustre)" in says
    assert says.isprintable()
