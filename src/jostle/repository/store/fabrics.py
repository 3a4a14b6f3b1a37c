"""The fabrics of a repository, in a folder or an object store."""

from __future__ import annotations

from pathlib import Path

from jostle.repository.store.files import cannot_use, cannot_write
from jostle.repository.store.storage import open_storage
from jostle.topology import Topology
from jostle.topology.store import FOLDER, Saved, file_name, load_all, save


def fabrics_folder(root: Path, *, now: bool = False) -> Path:
    """Return the folder in which the fabrics of a repository can be read.

    Args:
        root: The repository.
        now: Whether to fetch their current state; else copies of an object store may be a minute
            old.

    Raises:
        RepositoryError: The object store cannot be reached.
    """
    try:
        open_storage(root).bring_folder(FOLDER, now=now)
    except OSError as error:
        raise cannot_use(root, error) from error
    return root / FOLDER


def fabrics_of_repository(root: Path) -> list[Topology]:
    """Return all versions of all fabrics of a repository; damaged files are left out.

    Raises:
        RepositoryError: The object store cannot be reached.
    """
    return load_all(fabrics_folder(root), [])


def save_fabric(root: Path, topology: Topology) -> Saved:
    """Store a version of a fabric in a repository, as `topology.store.save` does.

    Raises:
        TopologyError: The name cannot be a file's name.
        RepositoryError: The object store cannot be reached or written.
        OSError: The folder cannot be written.
    """
    saved = save(fabrics_folder(root, now=True), topology)
    if saved.change != "unchanged":
        try:
            open_storage(root).publish([f"{FOLDER}/{file_name(saved.topology)}"])
        except OSError as error:
            (root / FOLDER / file_name(saved.topology)).unlink(missing_ok=True)
            raise cannot_write(root, error) from error
    return saved
