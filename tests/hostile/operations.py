"""The Python that forks (faults.py): each fork does one operation and checks the result.

Run as a program. What an operation gives, in its outcome's `said`: `code`, `out` and `err` of the
command; then, with nothing failing any more, what the tests compare (`_look`).
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

for _folder in (
    Path(__file__).parent,
    *(Path(__file__).parents[1] / n for n in ("", "repository")),
):
    sys.path.insert(0, str(_folder))

from faults import Fault, Shim  # noqa: E402

from jostle.cli.main import main  # noqa: E402
from jostle.errors import JostleError  # noqa: E402
from jostle.repository import Repository  # noqa: E402
from jostle.repository.ingest import fair_batches as shares  # noqa: E402
from jostle.repository.ingest import follow  # noqa: E402
from jostle.repository.maintenance import merge  # noqa: E402
from jostle.repository.store import log, tables  # noqa: E402
from jostle.repository.store.layout import MARKER, MERGED, QUARANTINE, TABLES  # noqa: E402
from jostle.repository.store.storage import open_storage  # noqa: E402

#: Checkpoints are written often, and batches are small: a few profiles show what thousands do.
CHECKPOINT_EVERY = 3
BATCH_FILES = 3
#: Begin of the newer half of the ground's slices: what expires lies before it (s).
NEWER_S = 1_700_018_000
_UNSURE = {"revision", "records", "warnings"}  # how often, and how, we looked
_KEYS = {
    "slices": ["process", "slice"],
    "mount_slices": ["process", "slice", "mount"],
    "segments": ["process", "number"],
    "processes": ["process"],
}


def _command(*words: str) -> Callable[[Path], dict[str, Any]]:
    def run(ground: Path) -> dict[str, Any]:
        given = [
            word.format(ground=ground, age=f"{time.time() - NEWER_S + 3600:.0f}s") for word in words
        ]
        return {"code": main([*given, "--repository", str(ground / "repository")])}

    return run


def _follow(ground: Path) -> dict[str, Any]:
    """Follows for some passes, between which the late files arrive."""
    asked = 0
    late = ground / "late"

    def stop() -> bool:
        nonlocal asked
        asked += 1
        with Shim().away():
            more = sorted(late.iterdir()) if asked in (3, 8) else []
            for path in more[: len(more) // 2 + 1]:
                path.rename(ground / "spool" / path.name)
        return asked > 12

    follow._SLOWEST_S = 0.03
    heard: list[str] = []
    Repository(ground / "repository").follow(
        [ground / "spool"],
        stop=stop,
        on_change=lambda report: heard.extend(report.warnings),
        remove=True,
    )
    return {"code": 0, "heard": heard}


OPERATIONS = {
    "ingest": _command("ingest", "{ground}/spool", "--remove"),
    "compact": _command("repository", "compact"),
    "expire": _command("repository", "expire", "--older-than", "{age}"),
    "check": _command("repository", "check", "--json"),
    "repair": _command("repository", "check", "--fix"),
    "jobs": _command("jobs", "--json"),
    "digest": _command("digest", "ranks", "--json"),
    "background": _command("background", "job0", "--json"),
    "export": _command("export", "slices", "--format", "csv", "--out", "{ground}/out.csv"),
    "follow": _follow,
    "look": lambda _: {"code": 0},
}
READING = ("check", "jobs", "digest", "background", "export")
_VERBS = (
    "record.ingest",
    "maintain.repository",
    "look.jobs",
    "look.digest",
    "look.background",
    "look.export",
)
#: What operations import where they need it.
_IMPORTED_LATE = (
    "jostle.cli.progress",
    "rich._emoji_codes",
    "rich.progress",
    "rich.table",
    "pyarrow.dataset",
    "pyarrow.acero",
    "pyarrow.csv",
    "numpy.ma",
    "pytz",
    "dateutil.relativedelta",
)


def _look(ground: Path, name: str) -> dict[str, Any]:
    """Reports the content, and the content after a repeated operation."""
    root = ground / "repository"
    if name in READING:
        return {
            "files": {
                str(path.relative_to(root)): path.stat().st_size
                for path in root.rglob("*")
                if path.is_file()
            }
        }
    said: dict[str, Any] = {"left": {}}
    if (root / MARKER).exists():
        state = log.Log(root).refresh()
        said["left"] = {table: sum(file.rows for file in state.of(table)) for table in TABLES}
    _again(ground, name)
    said["after"] = content(root)
    store = Repository(root)
    said["damaged"] = [f"{one.file}: {one.reason}" for one in store.check().damaged]
    said["spool"] = sorted(os.listdir(ground / "spool"))
    named = log.Log(root).refresh()
    place = open_storage(root)
    place.remove(list(place.strays(named, -60.0, time.time())))  # as a compaction does
    said["strays"] = [place for place in _files(root) if place not in named]
    return said


def _again(ground: Path, name: str) -> None:
    store = Repository(ground / "repository", create=True)
    if name in ("ingest", "follow"):
        for path in (ground / "late").glob("*") if name == "follow" else ():
            path.rename(ground / "spool" / path.name)
        store.ingest([ground / "spool"], remove=True)
    elif name == "compact":
        store.compact()
    elif name == "expire":
        store.expire(time.time() - NEWER_S + 3600)
    elif name == "repair":
        store.repair()


def content(root: Path) -> dict[str, list[Any]]:
    """Gives of each table how many rows there are, how many of them twice, and a sum over them."""
    state = log.Log(root).refresh()
    found = {}
    for table in TABLES:
        named = state.of(table)
        if not named or table == "process_kinds":  # sums: there once a compaction came
            continue
        rows = tables.without_zeros(table, merge.merge(root, named))
        names = sorted(set(rows.column_names) - _UNSURE)
        keys = [name for name in _KEYS.get(table, names) if name in names]
        lines = sorted(map(repr, zip(*(rows[name].to_pylist() for name in names), strict=True)))
        once = set(zip(*(rows[name].to_pylist() for name in keys), strict=True))
        digest = hashlib.blake2b("".join([*names, *lines]).encode(), digest_size=8).hexdigest()
        found[table] = [len(lines), len(lines) - len(once), digest]
    return found


def _files(root: Path) -> list[str]:
    return [
        path.relative_to(root).as_posix()
        for path in sorted(root.rglob("*"))
        if path.is_file()
        and not any(path.is_relative_to(root / aside) for aside in (MERGED, QUARANTINE))
        and (path.name.startswith(".") or path.suffix == ".parquet")
    ]


def _fork(asked: dict[str, Any]) -> int:
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    signal.alarm(60)
    out = Path(asked["out"])
    for number in (1, 2):
        os.dup2(os.open(out.with_suffix(f".{number}"), os.O_CREAT | os.O_RDWR | os.O_TRUNC), number)
    code = 9
    try:
        _run(asked, out)
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        os._exit(code)


def _run(asked: dict[str, Any], out: Path) -> None:
    ground, shim = Path(asked["ground"]), Shim()
    fault = asked["fault"] and Fault(**asked["fault"])
    shim.begin(asked["ground"], fault, asked["kill_at"])
    try:
        said = OPERATIONS[asked["name"]](ground)
    except JostleError as error:
        said = {"code": 1, "error": f"{error}\nfix: {error.hint or 0}"}
    except SystemExit as ended:
        said = {"code": int(ended.code or 0)}
    except Exception:
        said = {"code": -1, "error": traceback.format_exc()}
    failed = shim.stop()
    sys.stdout.flush()
    for number, name in ((1, "out"), (2, "err")):
        said[name] = out.with_suffix(f".{number}").read_text(errors="replace")
    try:
        if asked["look"]:
            said |= _look(ground, asked["name"])
    except Exception:
        said["broken"] = traceback.format_exc()
    out.write_text(json.dumps({"calls": shim.calls(), "failed": failed, "said": said}))


def _serve() -> None:
    log.CHECKPOINT_EVERY, shares._BATCH_FILES = CHECKPOINT_EVERY, BATCH_FILES
    for verb in _VERBS:
        importlib.import_module(f"jostle.cli.commands.{verb}")
    for name in _IMPORTED_LATE:  # else each fork does
        importlib.import_module(name)
    for line in sys.stdin:
        print(_fork(json.loads(line)), flush=True)


if __name__ == "__main__":
    _serve()
