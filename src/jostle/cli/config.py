"""Reads the settings of the runtime: defaults, the operator's file, and the environment."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from jostle.errors import JostleError
from jostle.files.regular_files import read_regular
from jostle.names.users import owner_name
from jostle.schema.settings import DEFAULT_SPOOL as _DEFAULT_SPOOL
from jostle.schema.settings import KEYS, MAX_FILE_BYTES, VARIABLES

DEFAULT_SPOOL = Path(_DEFAULT_SPOOL)
SYSTEM_CONFIG = Path("/etc/jostle/jostle.conf")
OFF, ON = ("off", "0", "no", "false"), ("on", "1", "yes", "true")


def _is_valid(key: str, value: str) -> bool:
    """Return whether the runtime accepts a value (the rules of runtime/src/config.c)."""
    if key == "spool":
        return value.startswith("/") and len(os.fsencode(value)) < 256
    if key == "enabled":
        return value in OFF + ON
    return True


class SpoolError(JostleError):
    """A spool cannot be read or written."""

    exit_code = 2


@dataclass(frozen=True)
class RuntimeSettings:
    """The settings that are in force for the runtime.

    Attributes:
        file: The operator's file, if there is one.
        values: Keys and values of the file.
        locked: Keys that the environment may not change.
        problems: Invalid lines of the file, each in one sentence.
    """

    file: Path | None = None
    values: dict[str, str] = field(default_factory=dict)
    locked: frozenset[str] = frozenset()
    problems: tuple[str, ...] = ()

    def get(self, key: str) -> str | None:
        """Return the effective value of a key; None for the built-in default."""
        user = os.environ.get(VARIABLES.get(key, ""))
        if user and key not in self.locked and _is_valid(key, user):
            return user
        value = self.values.get(key)
        return value if value and _is_valid(key, value) else None

    @property
    def spool(self) -> Path:
        """The effective spool folder, in which programs write their profiles."""
        named = self.get("spool")
        return Path(named) if named else DEFAULT_SPOOL

    @property
    def enabled(self) -> bool:
        """Whether the runtime records at all."""
        return self.get("enabled") not in OFF


def settings() -> RuntimeSettings:
    """Read the operator's file (JOSTLE_CONFIG counts only if the system has none)."""
    path = SYSTEM_CONFIG
    named = os.environ.get("JOSTLE_CONFIG")
    try:
        try:
            text = read_regular(path, MAX_FILE_BYTES)
        except FileNotFoundError:
            if not named:
                return RuntimeSettings()
            path = Path(named)
            text = read_regular(path, MAX_FILE_BYTES)
    except OSError as error:
        return RuntimeSettings(file=path, problems=(f"{path} cannot be read: {error.strerror}",))
    values: dict[str, str] = {}
    problems: list[str] = []
    for number, (key, value) in enumerate(setting_lines(text), 1):
        if value is not None and key in KEYS:
            values[key] = value
        elif key or value is not None:
            bare = key if value is None else f"{key} = {value}"
            problems.append(f"{path}:{number}: `{bare}` is not a `key = value` that jostle knows")
    locked = frozenset(values.get("lock", "").replace(",", " ").split())
    return RuntimeSettings(path, values, locked, tuple(problems))


def setting_lines(content: bytes) -> Iterator[tuple[str, str | None]]:
    """Split a configuration into keys and values, as `jst_next_setting` of the runtime does.

    Args:
        content: Text of jostle.conf or agent.conf with lines `key = value`; `#` begins a comment.

    Yields:
        Key and value of each line; the value is None on a line without `=`.
    """
    for line in content.split(b"\n"):
        key, equals, value = (
            os.fsdecode(part.strip(b" \t\r")) for part in line.split(b"#", 1)[0].partition(b"=")
        )
        yield key, value if equals else None


def closed_by(path: Path) -> tuple[Path, str]:
    """Return the first folder on a path that this user may not access, and the folder's owner.

    If all folders are accessible, the path itself and its owner are returned.
    """
    whole = path.absolute()
    for place in [*reversed(whole.parents), whole]:
        if not os.access(place, os.X_OK if place != whole else os.W_OK):
            try:
                return place, owner_name(place.stat().st_uid)
            except OSError:
                return place, "somebody else"
    return whole, owner_name(whole.stat().st_uid) if whole.exists() else "somebody else"


def foreign_profiles(spools: Sequence[Path]) -> dict[str, int]:
    """Count the profiles in spools that this user may not read, by owner."""
    counts: dict[str, int] = {}
    for folder in spools:
        files = [folder] if folder.is_file() else folder.rglob("*.js[pst]")
        for file in files:
            if not os.access(file, os.R_OK):
                try:
                    owner = owner_name(file.stat().st_uid)
                except OSError:
                    continue
                counts[owner] = counts.get(owner, 0) + 1
    return counts


def check_readable(folder: Path) -> None:
    """Refuse a spool that is missing or not readable; the error names its owner and a fix."""
    try:
        facts = folder.stat()
    except FileNotFoundError:
        raise SpoolError(
            f"The spool {folder} does not exist.",
            hint="Check the name; the first profile creates the folder: jostle run -- CMD",
        ) from None
    except PermissionError:
        closed, owner = closed_by(folder)
        raise SpoolError(
            f"The spool {folder} cannot be reached: {closed} belongs to {owner} and is closed "
            f"to you ({owner_name(os.geteuid())}).",
            hint=f"Ask {owner} to ingest it, or use a spool of your own.",
        ) from None
    except OSError as error:
        raise SpoolError(
            f"The spool {folder} cannot be reached: {error.strerror}.",
            hint="Check its file system; profiles are ingested when it is available again.",
        ) from error
    if stat.S_ISDIR(facts.st_mode) and not os.access(folder, os.R_OK | os.X_OK):
        mode, owner = stat.filemode(facts.st_mode), owner_name(facts.st_uid)
        raise SpoolError(
            f"The spool {folder} cannot be read: it belongs to {owner} ({mode}) "
            f"and you are {owner_name(os.geteuid())}.",
            hint=f"Ask {owner} to ingest it, run as {owner} (sudo -u {owner} jostle ingest "
            f"{folder}), or use a spool of your own.",
        )
    if not stat.S_ISDIR(facts.st_mode) and not os.access(folder, os.R_OK):
        raise SpoolError(
            f"{folder} cannot be read: it belongs to {owner_name(facts.st_uid)}.",
            hint="Profiles are readable by their owner and root only; "
            f"ask {owner_name(facts.st_uid)} or root to ingest it.",
        )
