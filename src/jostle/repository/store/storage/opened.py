"""Opens the storage of a repository: a folder, or an object store."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from jostle.files.repository_address import is_address, note_copies, parts_of
from jostle.repository.errors import RepositoryError
from jostle.repository.store.storage.folder import FolderStorage
from jostle.repository.store.storage.model import Storage

#: Folder of copies -> object store.
_OPENED: dict[Path, Storage] = {}


def open_storage(place: Path | str) -> Storage:
    """Open the storage of a repository, without reading or writing it.

    Args:
        place: A folder, or s3://BUCKET/PREFIX (also with one slash, as in paths). If it is the
            folder with the copies of an object store that was opened before, the object store is
            opened.

    Raises:
        RepositoryError: The address is not valid, or the package for object stores is not
            installed.
    """
    if not is_address(place):
        folder = Path(place).expanduser().absolute()
        return _OPENED.get(folder) or FolderStorage(folder)
    parts = parts_of(place)
    if parts is None:
        raise RepositoryError(
            f"`{place}` is not the address of a repository in an object store.",
            hint="Use the form s3://BUCKET/PREFIX.",
            exit_code=2,
        )
    return _in_objects(*parts)


@cache
def _in_objects(bucket: str, prefix: str) -> Storage:
    try:
        from jostle.repository.store.storage.objects import ObjectStorage
    except ModuleNotFoundError as error:
        raise RepositoryError(
            f"A repository in an object store needs the package {error.name}.",
            hint="Install the package: pip install 'jostle[s3]'.",
        ) from error
    try:
        storage = ObjectStorage(bucket, prefix)
    except OSError as error:
        raise RepositoryError(
            f"The object store cannot be used: {error.strerror or error}.",
            hint="Check AWS_REGION, AWS_ENDPOINT_URL and the credentials.",
        ) from error
    note_copies(storage.root, storage.name)
    _OPENED[storage.root] = storage
    return storage


def forget_all() -> None:
    """Forget all opened object stores, since the settings have changed."""
    _OPENED.clear()
    _in_objects.cache_clear()
