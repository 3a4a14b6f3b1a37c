"""Removes paths of the server's folders, which only its operator may know, from error messages."""

from __future__ import annotations

import re
from pathlib import Path

#: An absolute path with at least two names, so that mounts (/scratch) are unchanged.
_FILE = re.compile(r"(?<![\w./])/(?:[^\s/'\"`:,;()]+/)+([^\s/'\"`:,;()]*)")


def without_folders(text: str, repository: Path) -> str:
    """Shorten paths: in the repository relative to its folder, elsewhere to the last component.

    Args:
        text: Error message or hint.
        repository: Folder of the repository.
    """
    for root in {str(repository), str(repository.resolve())} - {"/"}:
        text = text.replace(f"{root}/", "")
        alone = rf"{re.escape(root)}(?![\w-]|\.\w)"
        text = re.sub(alone, "the repository", re.sub(f"repository {alone}", "repository", text))
    return _FILE.sub(r"\1", text)
