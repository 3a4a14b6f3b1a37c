"""Reads the accounting of LSF (lsb.acct): lines JOB_FINISH, with fields in a fixed order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from jostle.imports.accounting.model import MOST_NODES, AccountedJob, AccountingError
from jostle.values.plain_values import one_line

#: A text in quotes, in which a quote is written twice; or a number.
_FIELD = re.compile(r'"((?:[^"]|"")*)"|(\S+)')
_DONE, _EXIT = 64, 32
#: Positions of fields before the lists of hosts, whose lengths vary.
_ID, _UID, _CORES, _SUBMIT, _START, _USER, _QUEUE = 3, 4, 6, 7, 10, 11, 12
_ASKED = 22


def read_lsf(lines: Iterable[str]) -> Iterator[tuple[int, AccountedJob | str]]:
    """Read the lines of lsb.acct that record ends of jobs, and ignore all other lines.

    Args:
        lines: Lines of lsb.acct.

    Yields:
        The number of each line that is used, and the job or the reason why it cannot be used.
    """
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        if not line.startswith('"'):
            yield number, "it is no line of LSF accounting"
            continue
        if not line.startswith('"JOB_FINISH"'):
            continue
        try:
            yield number, _job([_text(match) for match in _FIELD.finditer(line)])
        except (AccountingError, IndexError, ValueError) as error:
            why = str(error) if isinstance(error, AccountingError) else "it is incomplete"
            yield number, why


def _text(match: re.Match[str]) -> str:
    quoted = match[1]
    return match[2] if quoted is None else one_line(quoted.replace('""', '"')[:4096])


def _job(fields: list[str]) -> AccountedJob:
    asked = int(fields[_ASKED])
    place = _ASKED + 1 + asked
    hosts = int(fields[place])
    if not (0 <= asked <= MOST_NODES and 0 <= hosts <= MOST_NODES * 1000):
        raise AccountingError("it claims to have impossibly many hosts")
    nodes = dict.fromkeys(fields[place + 1 : place + 1 + hosts])
    if len(nodes) > MOST_NODES:
        raise AccountingError(f"it has more than {MOST_NODES} nodes")
    after = place + 1 + hosts
    status, name = int(fields[after]), fields[after + 2]
    found = AccountedJob(
        system="lsf",
        cluster="",
        id=fields[_ID],
        name=name,
        user=fields[_USER],
        uid=int(fields[_UID]),
        partition=fields[_QUEUE],
        submit_s=int(fields[_SUBMIT]),
        # A job that never began has the start 0.
        start_s=int(fields[_START]),
        end_s=int(fields[2]),
        state={_DONE: "completed", _EXIT: "failed"}.get(status, "failed"),
        nodes=tuple(nodes),
        cores=max(int(fields[_CORES]), 0),
    )
    found.check()
    return found
