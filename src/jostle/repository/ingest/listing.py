"""Lists spools and mirrors in one go: profiles that are followed, other files, facts of jobs."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from jostle.reader import Origin, find_profiles
from jostle.reader.errors import open_error
from jostle.repository.ingest.mirror import (
    ENDINGS,
    FACTS,
    MARKER,
    OVER,
    is_gone,
    is_placed,
    placed_origin,
    user_folders,
)


@dataclass
class SpoolListing:
    """The files of spools and mirrors.

    Attributes:
        followed: Places of the followed profiles that are there and may still grow.
        files: All other profiles, sorted, with the facts from a mirror about them.
        facts: Files with facts on batch jobs, sorted, likewise.
        folders: Paths of the folders of which all files were listed.
        mirrors: Paths of the mirrors, of which all folders were listed.
    """

    followed: list[int] = field(default_factory=list)
    files: dict[Path, Origin | None] = field(default_factory=dict)
    facts: dict[Path, Origin | None] = field(default_factory=dict)
    folders: set[str] = field(default_factory=set)
    mirrors: list[str] = field(default_factory=list)

    @property
    def profiles(self) -> int:
        """The number of profiles."""
        return len(self.followed) + len(self.files)

    def missing(self, places: Mapping[str, int]) -> list[int]:
        """Return the places of followed profiles that are not there, or may not grow any more."""
        left = {places[path] for path in map(str, self.files) if path in places}
        if self.folders or self.mirrors:
            unseen = set(places.values()).difference(self.followed, left)
            mirrors = tuple(f"{mirror}/" for mirror in self.mirrors)
            for path, place in places.items() if unseen else ():
                if place in unseen and (
                    path.rpartition("/")[0] in self.folders or path.startswith(mirrors)
                ):
                    left.add(place)
        return list(left)

    def sort(self) -> None:
        """Sort the files by their paths."""
        self.files = dict(sorted(self.files.items(), key=lambda item: str(item[0])))


def list_spools(paths: Iterable[Path], places: Mapping[str, int]) -> SpoolListing:
    """List the files in spools and mirrors.

    Args:
        paths: Folders and files.
        places: Place of each followed profile, by its path.

    Raises:
        ProfileError: A folder does not exist or cannot be read.
    """
    listing = SpoolListing()
    for path in paths:
        place = places.get(str(path))
        if place is not None and not os.path.lexists(f"{path}{OVER}"):
            listing.followed.append(place)
        elif (path / MARKER).is_file():
            _list_mirror(path, places, listing)
        elif path.name.endswith(FACTS) and not path.is_dir():
            listing.facts[path] = placed_origin(path) if is_placed(path) else None
        elif is_placed(path):
            listing.files[path] = placed_origin(path)
        elif path.is_dir():
            _list_spool(path, places, listing)
        else:
            listing.files.update(dict.fromkeys(find_profiles([path])))
    listing.followed = list(dict.fromkeys(listing.followed))
    listing.sort()
    listing.facts = dict(sorted(listing.facts.items()))
    return listing


def _list_spool(folder: Path, places: Mapping[str, int], listing: SpoolListing) -> None:
    prefix = str(folder / "_")[:-1]  # "" of the folder "."; scandir would write "./"
    listing.folders.add(prefix[:-1])
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                name = entry.name
                place = places.get(prefix + name)
                if place is not None:
                    listing.followed.append(place)
                elif name.endswith(FACTS):
                    listing.facts[Path(entry.path)] = None
                elif name.endswith(ENDINGS) and entry.is_file(follow_symlinks=False):
                    listing.files[Path(entry.path)] = None
    except OSError as error:
        raise open_error(folder, error) from None


def _list_mirror(mirror: Path, places: Mapping[str, int], listing: SpoolListing) -> None:
    listing.mirrors.append(str(mirror))
    for user, folder in user_folders(mirror):
        listing.folders.add(str(folder))
        with contextlib.suppress(FileNotFoundError), os.scandir(folder) as entries:
            known = {entry.name: entry for entry in entries}
            uid, node = int(user.name), user.parent.name
            for name, entry in known.items():
                if not name.endswith((*ENDINGS, FACTS)):
                    continue
                over = name + OVER in known
                if not over:
                    with contextlib.suppress(OSError):
                        over = is_gone(entry.stat(follow_symlinks=False).st_mtime)
                place = None if over else places.get(entry.path)
                if place is not None:
                    listing.followed.append(place)
                elif entry.is_file(follow_symlinks=False):
                    target = listing.facts if name.endswith(FACTS) else listing.files
                    target[Path(entry.path)] = Origin(uid, over, node)
