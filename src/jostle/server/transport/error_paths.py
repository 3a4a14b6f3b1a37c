"""What went wrong, told without the server's folders: they are its operator's affair."""

from __future__ import annotations

import re
from pathlib import Path

#: A file anywhere: of two names at least, so that a mount (/scratch) stays what it is.
_FILE = re.compile(r"(?<![\w./])/(?:[^\s/'\"`:,;()]+/)+([^\s/'\"`:,;()]*)")


def without_folders(text: str, repository: Path) -> str:
    """Name files of the repository relative to it, and others by their last name alone.

    Args:
        text: What went wrong, or how to mend it.
        repository: Its folder.
    """
    for root in {str(repository), str(repository.resolve())} - {"/"}:
        text = text.replace(f"{root}/", "")
        alone = rf"{re.escape(root)}(?![\w-]|\.\w)"
        text = re.sub(alone, "the repository", re.sub(f"repository {alone}", "repository", text))
    return _FILE.sub(r"\1", text)
