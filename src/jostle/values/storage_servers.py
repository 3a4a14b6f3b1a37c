"""Lists file systems with separate servers for data and for metadata, and names their resources.

A mount of such a file system is two resources: its object servers and its metadata server. Every
other mount is one, a "file system".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

FileKind = Literal["file system", "object servers", "metadata server"]

#: Types of file systems, with which the identities of their mounts begin
#: ("lustre:mgs@tcp:/scratch").
SEPARATE = frozenset(("lustre", "gpfs", "beegfs", "ceph", "ceph-fuse"))
#: Kinds of resources on which calls on files are served.
FILE_KINDS: tuple[FileKind, ...] = ("file system", "object servers", "metadata server")
#: Components of servers that serve data only, or metadata only. Those of all other kinds (disks,
#: links, NFS servers) serve what their host serves.
OBJECT_COMPONENTS = ("lustre_ost", "gpfs_disk", "ceph_osd")
METADATA_COMPONENTS = ("lustre_mdt", "ceph_mds")
#: Those of OBJECT_COMPONENTS that hold metadata as well: a GPFS file system has both on its disks.
ALSO_METADATA = ("gpfs_disk",)


def has_metadata_server(mount: str) -> bool:
    """Return whether a mount's metadata has servers of its own.

    Args:
        mount: Identity of the mount.
    """
    kind, colon, _ = mount.partition(":")
    return bool(colon) and kind in SEPARATE


def resource_name(kind: FileKind, mount: str) -> str:
    """Return the name of a mount's resource of a kind, for users.

    Args:
        kind: Kind of the resource.
        mount: Identity or path of the mount.
    """
    return mount if kind == "file system" else f"{kind} of {mount}"


def mount_of(resource: str) -> str:
    """Return the mount that the name of a resource contains; the whole name if it has no prefix."""
    for kind in FILE_KINDS[1:]:
        if resource.startswith(f"{kind} of "):
            return resource.removeprefix(f"{kind} of ")
    return resource


def with_parts(paths: Mapping[str, str]) -> dict[str, str]:
    """Map mounts' identities to paths, and resources named by identities to names with paths.

    Args:
        paths: Path of each mount, by its identity.
    """
    return dict(paths) | {
        resource_name(kind, mount): resource_name(kind, path)
        for mount, path in paths.items()
        if has_metadata_server(mount)
        for kind in FILE_KINDS[1:]
    }
