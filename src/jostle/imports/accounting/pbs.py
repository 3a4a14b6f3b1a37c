"""Reads the accounting of PBS: lines `DATE TIME;TYPE;JOB;key=value key=value ...`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from jostle.imports.accounting.model import (
    MOST_NODES,
    MOST_TEXT,
    AccountedJob,
    AccountingError,
    number_of,
    seconds_of,
)
from jostle.values.plain_values import one_line

_LINE = re.compile(r"\d\d/\d\d/\d{4} \d\d:\d\d:\d\d;([A-Za-z]);([^;]*);(.*)")
#: Keys begin after a blank; a value may have blanks, too.
_KEY = re.compile(r"(?:^| )([A-Za-z_][\w.]*)=")
_HOSTS = "exec_host"
_UNITS = {"b": 1, "kb": 1 << 10, "mb": 1 << 20, "gb": 1 << 30, "tb": 1 << 40}
_KILLED_FOR_TIME = -29
_ABORTED = frozenset({"271", "-2", "-11"})


def read_pbs(lines: Iterable[str]) -> Iterator[tuple[int, AccountedJob | str]]:
    """Read the lines that record starts (S) and ends (E) of jobs, and ignore all other lines.

    Args:
        lines: Lines of the accounting file.

    Yields:
        The number of each line that is used, and the job or the reason why it cannot be used.
    """
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        match = _LINE.fullmatch(line.strip())
        if match is None:
            yield number, "it is no line of PBS accounting"
            continue
        if match[1] not in ("S", "E"):
            continue
        try:
            yield number, _job(match[2], _values(match[3]), is_over=match[1] == "E")
        except AccountingError as error:
            yield number, str(error)


def _values(text: str) -> dict[str, str]:
    found = list(_KEY.finditer(text))
    ends = [*(match.start() for match in found[1:]), len(text)]
    return {
        match[1]: one_line(
            text[match.end() : end].strip()[: None if match[1] == _HOSTS else MOST_TEXT]
        )
        for match, end in zip(found, ends, strict=True)
    }


def _job(name: str, values: dict[str, str], *, is_over: bool) -> AccountedJob:
    # 12.server, and 12[3].server for a task of an array.
    server = name.partition(".")[2]
    code = values.get("Exit_status", "")
    found = AccountedJob(
        system="pbs",
        cluster=one_line(server[:255]),
        id=name,
        name=values.get("jobname", ""),
        user=values.get("user", ""),
        account=values.get("account", "").strip('"') or values.get("project", ""),
        partition=values.get("queue", ""),
        submit_s=number_of(values.get("qtime", "") or values.get("ctime", "")),
        start_s=number_of(values.get("start", "")),
        end_s=number_of(values.get("end", "")) if is_over else 0,
        state=_state(code) if is_over else "running",
        exit=f"{code}:0" if code.isdecimal() else "",
        nodes=_nodes(values.get(_HOSTS, "")),
        cores=number_of(
            values.get("Resource_List.ncpus", "") or values.get("resources_used.ncpus", "")
        ),
        memory_bytes=_memory(values.get("Resource_List.mem", "")),
        time_limit_s=seconds_of(values.get("Resource_List.walltime", "")),
        energy_j=number_of(values.get("resources_used.energy", "")),
    )
    found.check()
    return found


def _state(code: str) -> str:
    if code in ("0", ""):
        return "completed"
    if code == str(_KILLED_FOR_TIME):
        return "timeout"
    return "cancelled" if code in _ABORTED else "failed"


def _nodes(text: str) -> tuple[str, ...]:
    """Return the nodes of `node1/0*8+node2/0*8`."""
    names = dict.fromkeys(part.partition("/")[0] for part in text.split("+") if part)
    if len(names) > MOST_NODES:
        raise AccountingError(f"it has more than {MOST_NODES} nodes")
    return tuple(names)


def _memory(text: str) -> int:
    match = re.fullmatch(r"(\d{1,15})([kmgt]?b)", text.lower())
    return int(match[1]) * _UNITS[match[2]] if match else 0
