"""Storage of a repository: a folder, or an object store with local copies of the files in use."""

from __future__ import annotations

from jostle.repository.store.storage.folder import FolderStorage
from jostle.repository.store.storage.model import Storage
from jostle.repository.store.storage.opened import open_storage

__all__ = ["FolderStorage", "Storage", "open_storage"]
