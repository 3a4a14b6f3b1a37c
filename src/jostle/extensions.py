"""Additions to jostle by other installed Python distributions: verbs, checks, pages and reports.

A distribution names an `Extension` as an entry point of the group `jostle.commands`. `jostle-lab`
is one; a site may have its own (docs/reference/extensions.md). Everything in an extension is named
by its module, which is imported on demand: `jostle --help` stays fast.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from typing import Any

GROUP = "jostle.commands"


@dataclass(frozen=True)
class Extension:
    """The additions of a distribution; all are optional.

    Attributes:
        verbs: Module and help line of each verb, by section of the help text. The module has the
            click command as `command`. A verb of two words is a command of a group: `site demo`.
        parts: Function of each kind of part, as `module:function`.
            checks: for `jostle doctor`; returns pairs of a name and a function that returns a
                `jostle.cli.doctor.checks.Check`.
            routes: for `jostle serve`; takes the FastAPI application and the server's context.
            reports: for `jostle report`; takes a repository, returns name -> function that lays
                out the document (see `jostle.cli.commands.look.report`).
            overhead_set: for `jostle overhead --set`.
    """

    verbs: Mapping[str, Mapping[str, tuple[str, str]]] = field(default_factory=dict)
    parts: Mapping[str, str] = field(default_factory=dict)


@functools.cache
def extensions() -> tuple[Extension, ...]:
    """Return the installed extensions, in the order of the entry points' names."""
    found = sorted(entry_points(group=GROUP), key=lambda point: point.name)
    return tuple(point.load() for point in found)


def named(kind: str) -> list[Any]:
    """Return the parts of one kind from all extensions, such as `checks`."""
    return [_load(each.parts[kind]) for each in extensions() if kind in each.parts]


def _load(name: str) -> Any:
    module, _, member = name.partition(":")
    return getattr(importlib.import_module(module), member)
