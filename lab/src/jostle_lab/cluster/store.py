"""Provides the storage's space in a lab: memory or a disk image, both of limited size."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import subprocess
from pathlib import Path

from jostle_lab.cluster import namespaces
from jostle_lab.cluster.spec import LabError, LabSpec, parse_size

_LARGEST_RAM = 8 << 30
_LARGEST_DISK = 16 << 30


def disk_folder(name: str) -> Path:
    """Return the folder for a lab's data that must be on a disk (/run often is not)."""
    owner = "" if os.geteuid() == 0 else f"-{os.geteuid()}"
    return Path(f"/var/tmp/jostle-lab{owner}") / name


def make_disk_folder(name: str) -> Path:
    """Create the folder for a lab's data on a disk, readable by this user only.

    Raises:
        LabError: It belongs to another user.
    """
    folder = disk_folder(name)
    own_folder(folder.parent, 0o700)
    return own_folder(folder, 0o700)


def own_folder(folder: Path, mode: int) -> Path:
    """Create a folder where all users may write, or return the existing one of this user.

    Raises:
        LabError: It belongs to another user (see `trusted`).
    """
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=mode)
    return trusted(folder)


def trusted(folder: Path) -> Path:
    """Return a folder that this user owns and no other user can write to.

    Another owner could put links in it, and write data that would be trusted.

    Raises:
        LabError: It belongs to another user, is a link, or others may write to it.
        OSError: There is no such folder.
    """
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o022:
        raise LabError(
            f"Other users can write to {folder}, or own it, so no lab is stored there.",
            hint=f"Find out who created the folder (ls -ld {folder}), and remove it.",
        )
    return folder


def size_of(spec: LabSpec, medium: str) -> int:
    """Return the size of the store in bytes: as specified, else half of the free space.

    Args:
        spec: Specification of the lab.
        medium: Medium of the store, "ram" or "disk".

    Raises:
        LabError: There is less free space than specified, or almost none.
    """
    if medium == "ram":
        free, where, most = _available_memory(), "memory", _LARGEST_RAM
    else:
        free, where, most = shutil.disk_usage("/var/tmp").free, "/var/tmp", _LARGEST_DISK
    size = parse_size(spec.size) if spec.size else min(free // 2, most)
    if size > free - free // 10 or size < 16 << 20:
        other = "disk" if medium == "ram" else "ram"
        raise LabError(
            f"A store of {size >> 20} MiB does not fit: {free >> 20} MiB of {where} are free, of "
            f"which a tenth is reserved.",
            hint=f"--size {max(16, free >> 22)}MiB, or --store {other}",
        )
    return size


def _available_memory() -> int:
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) << 10
    return 0


def mount_ram(target: Path, size: int, lab: str = "") -> None:
    """Mount a memory file system of at most `size` bytes.

    The source of the mount shows in profiles which lab's nodes share the file system.
    """
    source = f"/jostle-lab/{lab}/store" if lab else "jostle-lab"
    namespaces.mount(source, target, "tmpfs", 0, f"size={size},mode=0777")


def make_image(path: Path, size: int) -> None:
    """Make an ext4 file system of `size` bytes in a sparse file.

    Raises:
        LabError: There is not enough space, or mkfs failed.
    """
    with path.open("xb") as image:
        image.truncate(size)
    result = subprocess.run(
        [
            "mkfs.ext4",
            "-q",
            "-F",
            "-b",
            "4096",
            "-m",
            "0",
            "-E",
            "lazy_itable_init=1,nodiscard",
            path,
        ],
        capture_output=True,
        text=True,
    )
    if result.returncode:
        raise LabError(f"No file system could be created in {path}: {result.stderr.strip()}")


def attach_image(path: Path, target: Path) -> str:
    """Mount an image through a loop device that is freed when it is unmounted.

    Returns:
        The loop device, for example `/dev/loop3`.

    Raises:
        LabError: No loop device is left, or the kernel refuses.
    """
    done = subprocess.run(
        ["mount", "-o", "loop,discard,noinit_itable", path, target], capture_output=True, text=True
    )
    if done.returncode:
        raise LabError(
            f"{path} could not be mounted: {done.stderr.strip()}",
            hint="Provide loop devices (modprobe loop), or use --store ram.",
        )
    target.chmod(0o777)
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        fields = line.split()
        if fields[4] == str(target):
            return fields[fields.index("-") + 2]
    raise LabError(f"{target} is no longer mounted.")


def detach_images(folder: Path) -> list[str]:
    """Free loop devices whose image is in `folder` and that are no longer mounted.

    Returns:
        The names of the freed devices.
    """
    freed = []
    for backing in Path("/sys/block").glob("loop*/loop/backing_file"):
        try:
            image = backing.read_text().strip().removesuffix(" (deleted)")
        except OSError:
            continue
        if image.startswith(f"{folder}/"):
            device = f"/dev/{backing.parts[3]}"
            done = subprocess.run(["losetup", "-d", device], capture_output=True)
            if done.returncode == 0:
                freed.append(device)
    return freed


def written(device: str) -> int:
    """Return the bytes that a block device has written."""
    stat = Path(f"/sys/block/{Path(device).name}/stat").read_text().split()
    return int(stat[6]) * 512
