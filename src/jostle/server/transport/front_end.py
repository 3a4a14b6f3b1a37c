"""Serves the web front end: its pages, and the files that a header of each page lists."""

from __future__ import annotations

import gzip
import os
from functools import lru_cache
from pathlib import Path
from urllib.parse import quote

from starlette.datastructures import Headers
from starlette.responses import FileResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

#: First word of a path: the page of a list, and of one element. `Jobs` is built from
#: `ui/src/pages/jobs/JobsPage.svelte`, and its files begin with `JobsPage-`.
_PAGES = {
    "": ("Jobs", ""),
    "jobs": ("Jobs", "Job"),
    "system": ("System", ""),
    "matrix": ("Matrix", ""),
    "studies": ("Studies", "Study"),
    "compare": ("Compare", ""),
    "losses": ("Losses", ""),
    "now": ("Now", ""),
    "nodes": ("Nodes", "Node"),
    "network": ("Network", ""),
}
_KINDS = {
    ".js": "rel=modulepreload",
    ".css": "rel=preload; as=style; crossorigin",
    ".woff2": "rel=preload; as=font; type=font/woff2; crossorigin",
}
_PACKED = frozenset({".js", ".css", ".svg"})


class Assets(StaticFiles):
    """Files whose names change with their content: a browser may keep them for ever."""

    def file_response(
        self,
        full_path: str | os.PathLike[str],
        stat_result: os.stat_result,
        scope: Scope,
        status_code: int = 200,
    ) -> Response:
        """Return a file; its compressed form is computed once, not for each request."""
        path = Path(full_path)
        if path.suffix in _PACKED and "gzip" in Headers(scope=scope).get("accept-encoding", ""):
            headers = {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
            kind = FileResponse(path).media_type
            answer = Response(_packed(path, stat_result.st_mtime_ns), status_code, headers, kind)
        else:
            answer = super().file_response(full_path, stat_result, scope, status_code)
        answer.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        return answer


@lru_cache(maxsize=200)
def _packed(path: Path, _changed_ns: int) -> bytes:
    return gzip.compress(path.read_bytes(), 9, mtime=0)


def links(assets: Path, path: str) -> str:
    """Return a `Link` header with the files that a page needs, so that browsers fetch all at once.

    Args:
        assets: Folder of the front end's files.
        path: The page's path, without its first slash.
    """
    first, _, name = path.partition("/")
    page = _PAGES.get(first, ("", ""))[1 if name else 0]
    found = _files(assets, page) if page else ()
    if page == "Job":
        job = quote(name, safe="!~*'()")  # as the page's own script writes it
        asked = f"</api/v1/jobs/{job}/verdict?drawn=true>; rel=preload; as=fetch; crossorigin"
        found = (*found, asked)
    return ", ".join(found)


@lru_cache(maxsize=20)
def _files(assets: Path, page: str) -> tuple[str, ...]:
    files = sorted((*assets.glob(f"{page}Page-*"), *assets.glob("*.woff2")))
    return tuple(
        f"</assets/{quote(file.name)}>; {_KINDS[file.suffix]}"
        for file in files
        if file.suffix in _KINDS
    )
