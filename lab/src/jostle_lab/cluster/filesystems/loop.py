"""Provides a shared disk in a lab: ext4 on a loop device with a limited data rate.

The device serves one request after the other, as a disk does. So the size of requests determines
the shares: a program with requests of 64 KiB gets a fifth of the data rate next to a program with
requests of 1 MiB.

The device is freed with its last mount, and its image has no name, so the kernel removes both
however a lab ends. Only the rule that limits the rate may outlive a killed lab.
"""

from __future__ import annotations

import fcntl
import io
import os
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from jostle_lab.cluster import namespaces, store, throttle
from jostle_lab.cluster.service import Filesystem, Host, Need, Site
from jostle_lab.cluster.spec import LabError, LabSpec, parse_rate

_LOOP_CTL_GET_FREE = 0x4C82
_LOOP_CONFIGURE = 0x4C0A
_LO_AUTOCLEAR, _LO_DIRECT_IO = 4, 16
_LOOP_MAJOR = 7
_ATTEMPTS = 20


class Loop(Filesystem):
    """A disk image behind a loop device that has the rate of the storage link."""

    name = "loop"
    needs: ClassVar[tuple[Need, ...]] = (Need("mkfs.ext4", "e2fsprogs"),)
    networked: ClassVar[bool] = False
    own_store: ClassVar[bool] = True

    def __init__(self, site: Site) -> None:
        """Keep the site's description; start nothing."""
        super().__init__(site)
        self._device = ""
        self._written = 0
        self._throttle: throttle.Throttle | None = None

    @classmethod
    def check(cls, spec: LabSpec) -> str | None:
        """Return why this machine has no loop devices with a rate limit, or None if it has."""
        if not Path("/dev/loop-control").exists():
            return "this machine has no loop devices (/dev/loop-control is missing; modprobe loop)"
        return throttle.why_not()

    @property
    def source(self) -> str:
        """A device node of the lab's own: its path names the disk, the same on all nodes."""
        return str(self.site.folder / "dev" / "disk")

    def start(self) -> None:
        """Create the image, attach it to a device, mount that on the store, and limit its rate."""
        site = self.site
        size = store.size_of(site.spec, site.spec.store)
        images = self._images()
        if site.spec.store == "disk":
            store.make_disk_folder(site.spec.name)
        images.mkdir()
        if site.spec.store == "ram":
            store.mount_ram(images, size)
        image = images / "image"
        # A little less than the memory it may take: tmpfs also keeps tables.
        store.make_image(image, size - size // 64 if site.spec.store == "ram" else size)
        folder = Path(self.source).parent
        folder.mkdir(exist_ok=True)
        namespaces.mount("jostle-lab", folder, "tmpfs", 0, "size=64k,mode=0755")
        direct = site.spec.store == "disk"
        number = _attach(image, Path(self.source), site.store, direct=direct)
        image.unlink()
        site.store.chmod(0o777)
        self._device = f"loop{number}"
        self._written = store.written(self._device)
        groups = site.folder / "groups"
        groups.mkdir(exist_ok=True)
        rate = parse_rate(site.spec.storage_rate) // 8
        self._throttle = throttle.limit(
            [os.makedev(_LOOP_MAJOR, number)], rate, f"jostle-lab-{site.spec.name}", groups
        )

    def mount(self, node: Host) -> None:
        """Bind the store: all nodes share one file system and one device."""
        self.site.run(node, ["mount", "--bind", str(self.site.store), str(self.site.shared)])

    def stop(self) -> None:
        """Remove the rate limit, so that unwritten data does not delay the end."""
        if self._throttle is not None:
            self._throttle.lift()

    def facts(self) -> dict[str, Any]:
        """Return the device, its images and its rate limit."""
        limit = self._throttle.facts() if self._throttle is not None else None
        return {
            "device": self._device,
            "images": str(self._images()),
            "limit": limit,
            "written": self._written,
        }

    @classmethod
    def fix(cls, facts: Mapping[str, Any]) -> list[str]:
        """Remove the rate limit, and free a device that did not free itself."""
        done = throttle.remove(facts["limit"]) if facts.get("limit") else []
        if facts.get("images"):
            freed = store.detach_images(Path(facts["images"]))
            done += [f"freed {device}" for device in freed]
        return done

    @classmethod
    def counters(cls, facts: Mapping[str, Any]) -> dict[str, int]:
        """Return the bytes that the device has written for this lab."""
        return {"disk.written": store.written(facts["device"]) - facts["written"]}

    @classmethod
    def groups(cls, facts: Mapping[str, Any]) -> list[Path]:
        """Return the files of the limited control group, unless the limit is on the root group."""
        return throttle.groups_to_join(facts["limit"]) if facts.get("limit") else []

    @classmethod
    def status(cls, facts: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Return the device and its data rate for `lab status`."""
        limit = facts.get("limit") or {}
        return [("disk", f"/dev/{facts['device']}, {limit.get('rate', 0) / 1e6:.0f} MB/s")]

    def _images(self) -> Path:
        site = self.site
        folder = site.folder if site.spec.store == "ram" else store.disk_folder(site.spec.name)
        return folder / "images"


def _attach(image: Path, node: Path, target: Path, *, direct: bool) -> int:
    """Mount an image through a loop device that has a node of its own, and frees itself.

    Args:
        image: The file.
        node: The device node to make; the mount's source.
        target: Where to mount.
        direct: Keep the image's pages out of the machine's cache, where its file system can.

    Returns:
        The number of the loop device.

    Raises:
        LabError: No loop device is available, or the kernel refuses the mount.
    """
    # The device exists while this is open, and after that while it is mounted.
    number, device = attach(image, node, direct=direct)
    with device:
        try:
            # Without a kernel thread that writes empty inode tables meanwhile.
            namespaces.mount(node, target, "ext4", 0, "discard,noinit_itable")
        except OSError as error:
            raise _refused(error) from error
    return number


def attach(image: Path, node: Path, *, direct: bool) -> tuple[int, io.FileIO]:
    """Attach an image to a loop device that frees itself when nothing has it open any more.

    Args:
        image: The file.
        node: The device node to make.
        direct: Keep the image's pages out of the machine's cache, where its file system can.

    Returns:
        The number of the loop device, and the open device.

    Raises:
        LabError: No loop device is available.
    """
    flags = [_LO_AUTOCLEAR | _LO_DIRECT_IO, _LO_AUTOCLEAR] if direct else [_LO_AUTOCLEAR]
    try:
        with image.open("r+b") as file:
            for _ in range(_ATTEMPTS):
                number = _free_device()
                node.unlink(missing_ok=True)
                os.mknod(node, 0o600 | 0o060000, os.makedev(_LOOP_MAJOR, number))
                device = io.FileIO(node, "r+b")
                if _configure(device.fileno(), file.fileno(), image, flags):
                    return number, device
                device.close()
    except OSError as error:
        raise _refused(error) from error
    raise LabError(
        "Other programs use all loop devices.",
        hint="Try again; `losetup -a` lists the loop devices in use.",
    )


def _refused(error: OSError) -> LabError:
    return LabError(
        f"The disk image could not be attached: {error}.",
        hint="Loop devices (modprobe loop) and a kernel 5.8 or newer are needed.",
    )


def _free_device() -> int:
    with open("/dev/loop-control", "rb", buffering=0) as control:
        return int(fcntl.ioctl(control, _LOOP_CTL_GET_FREE))


def _configure(device: int, image: int, name: Path, flags: list[int]) -> bool:
    """Attach an image to a loop device; return False if another process took it first.

    Raises:
        OSError: The kernel refuses, whatever the flags.
    """
    last: OSError | None = None
    for choice in flags:
        # struct loop_config: fd, block_size, struct loop_info64 (232 bytes), 64 reserved.
        info = struct.pack(
            "5Q4I64s64s32s2Q", *[0] * 8, choice, os.fsencode(name)[-63:], b"", b"", 0, 0
        )
        config = struct.pack("2I", image, 0) + info.ljust(232, b"\0") + bytes(64)
        try:
            fcntl.ioctl(device, _LOOP_CONFIGURE, config)
            return True
        except OSError as error:
            if error.errno == 16:  # EBUSY
                return False
            last = error
    assert last is not None
    raise last
