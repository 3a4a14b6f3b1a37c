"""Divides a job's waiting for cores among those who ran on them: an account, not a test.

How long the job waited is measured, and so is who used the cores meanwhile. In every slice its
waiting goes to them in proportion to the CPU time that they used on its cores.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from jostle.analysis.identification.model import AccountPart, CoreAccount, UserKind
from jostle.analysis.identification.resources import Axis, AxisRows, Floats
from jostle.analysis.interval import Interval
from jostle.analysis.series import resample
from jostle.arrow_columns import ints
from jostle.core_lists import read_list
from jostle.repository.query.co_running import Beside
from jostle.repository.query.core_users import CoreUse

OWN, LIMIT, STEAL, NOBODY = (
    "its own threads", "its own CPU limit", "the hypervisor", "nobody known",
)  # fmt: skip
_NS = 1e9
_ROUNDS = 12  # of spreading CPU time over cores, until none has more than fits
_MOST_CELLS = 4_000_000  # users x cores x slices that are spread at once
_NEARLY = 0.05  # of a core: what clocks and the heartbeat make of a whole one
_COUNTING = 0.01  # of all cores: a smaller rest of their time is a difference of counting
#: Doubts of a share (95 %), calibrated by bench/cpu_mixes.py: of each slice by chance, since who
#: ran just while the job waited is not known within it, and of all of them alike.
_WITHIN, _ALIKE = 0.6, 0.04

_Key = tuple[UserKind, str]


@dataclass(frozen=True)
class _User:
    """A user of cores: a job, or a component of the machine, with one set of cores."""

    key: _Key
    cores: frozenset[int]
    cpu: Floats


@dataclass(frozen=True)
class Accounted:
    """A node with an account; arrays of shape (slices,), ns.

    Attributes:
        account: Who had its cores.
        lost: Run time that others, profiled or not, cost the job there.
        own: CPU time of the job.
        wanted: CPU time and waiting of the job.
        others: CPU time of everybody else, as far as it is known.
        busy: Part of each slice for which a process of the job, mean of them, wanted a core.
    """

    account: CoreAccount
    lost: Floats
    own: Floats
    wanted: Floats
    others: Floats
    busy: Floats

    @property
    def others_waiting(self) -> Floats:
        """The part of the waiting that is others', ns, [slices]."""
        return outside(self.account) * _NS


def outside(account: CoreAccount) -> Floats:
    """Return the waiting that others caused, profiled or not, s, [slices]."""
    names = [part.name for part in account.parts if part.kind in ("job", "unprofiled")]
    zero = np.zeros(len(account.steps_ns))
    return sum((np.array(account.series[name]) for name in names), zero)


@dataclass(frozen=True)
class _Own(_User):
    """Processes of the job itself: also their waiting, threads, and time stopped by a limit."""

    queue: Floats
    awake: Floats
    throttled: Floats


def core_accounts(beside: Beside, axis: Axis) -> list[Accounted]:
    """Divide the waiting of a job for cores, node by node.

    Args:
        beside: The job and its neighbours.
        axis: The slices of the job.

    Returns:
        An account of every node that was read on which the job waited.
    """
    use, found = beside.core_use, []
    hosts = use.users.filter(pc.equal(use.users["job"], beside.job.job))["host"]
    for host in sorted(set(hosts.to_pylist())) if axis[2] else []:
        account = _of_node(beside, _on(use, host), host, axis)
        if account is not None:
            found.append(account)
    return found


def _on(use: CoreUse, host: str) -> CoreUse:
    return CoreUse(*(table.filter(pc.equal(table["host"], host))
                     for table in (use.users, use.totals)))  # fmt: skip


def _of_node(beside: Beside, use: CoreUse, host: str, axis: Axis) -> Accounted | None:
    """Return the account of one node; None if the job waited for none of its cores."""
    number = max(_most_cores(use), 1)
    every = frozenset(range(number))
    own, users = _laid(beside, use, every, axis)
    waited = sum((group.queue for group in own), np.zeros(axis[2]))
    if not waited.any():
        return None
    alive = _alive(beside, axis)
    rest, low, high, steal = _unknown(use, own, users, every, alive, axis)
    name = f"unprofiled load of {host}"
    users = [*users, _User(("unprofiled", name), every, rest)]
    if steal.any():
        users.append(_User(("steal", STEAL), every, steal))
    parts, wide = _divided(own, users, alive)
    low_parts, _ = _divided(own, _with_rest(users, name, low), alive)
    high_parts, _ = _divided(own, _with_rest(users, name, high), alive)
    account = CoreAccount(
        host=host,
        waited_s=float(waited.sum()) / _NS,
        parts=_parts(parts, wide, low_parts, high_parts),
        totals_known=bool(use.totals.num_rows),
        steps_ns=[axis[0] + k * axis[1] for k in range(axis[2])],
        slice_ns=axis[1],
        series={name: (values / _NS).tolist() for (_, name), values in parts.items()},
    )
    cpu, awake = (sum((getattr(group, what) for group in own), np.zeros(axis[2]))
                  for what in ("cpu", "awake"))  # fmt: skip
    threads = np.maximum(awake, (cpu + waited) / alive).clip(1)
    taken = outside(account) * _NS
    lost = taken / threads
    if beside.job.ranks > 1:  # the others wait for the rank that waited most
        rows = beside.own_nodes.filter(pc.equal(beside.own_nodes["host"], host))
        most = AxisRows(rows, axis).sum("os_runqueue_ns_max")
        lost = most * np.divide(taken, waited, out=np.zeros(axis[2]), where=waited > 0)
    others = sum((user.cpu for user in users if user.key[0] != "steal"), np.zeros(axis[2]))
    wanted = cpu + waited
    return Accounted(account, np.minimum(lost, alive), cpu, wanted, others,
                     np.minimum(wanted / threads, alive))  # fmt: skip


def _most_cores(use: CoreUse) -> int:
    """Return how many cores a node has, as far as anybody says."""
    most = int(ints(use.totals, "cores").max(initial=0))
    for text in set(use.users["cpus"].to_pylist()):
        most = max(most, max(read_list(text) or {0}) + 1)
    return most


def _laid(
    beside: Beside, use: CoreUse, every: frozenset[int], axis: Axis
) -> tuple[list[_Own], list[_User]]:
    """Lay the users of cores on the job's slices: its own groups of processes, and the others."""
    own, users = list[_Own](), list[_User]()
    for kind, job, cpus, rows in _groups(use.users):
        cores = read_list(cpus) or every
        cpu = _amounts(rows, "cpu_ns", beside, axis)
        if kind == "job" and job == beside.job.job:
            awake = _levels(rows, "awake", beside, axis)
            queue, throttled = (_amounts(rows, f"{what}_ns", beside, axis)
                                for what in ("queue", "throttled"))  # fmt: skip
            own.append(_Own(("own", OWN), cores, cpu, queue, awake, throttled))
        elif cpu.any():
            users.append(_User(("unprofiled" if kind != "job" else "job", job), cores, cpu))
    return own, users


def _groups(users: pa.Table) -> Iterable[tuple[str, str, str, pa.Table]]:
    keys = users.group_by(["kind", "job", "cpus"]).aggregate([]).to_pylist()
    for key in sorted(keys, key=lambda row: (row["kind"], row["job"], row["cpus"])):
        rows = users
        for column, value in key.items():
            rows = rows.filter(pc.equal(rows[column], value))
        yield key["kind"], key["job"], key["cpus"], rows


def _amounts(rows: pa.Table, column: str, beside: Beside, axis: Axis) -> Floats:
    """Lay amounts on the axis, by overlap; what lies outside the job's life does not count."""
    return resample(ints(rows, "start_ns"), ints(rows, "length_ns"), ints(rows, column), axis,
                    within=beside.job.life)  # fmt: skip


def _levels(rows: pa.Table, column: str, beside: Beside, axis: Axis) -> Floats:
    return resample(ints(rows, "start_ns"), ints(rows, "length_ns"), ints(rows, column), axis,
                    level=True, within=beside.job.life)  # fmt: skip


def _alive(beside: Beside, axis: Axis) -> Floats:
    """Return the time of each slice in which the job lived, ns."""
    start = axis[0] + axis[1] * np.arange(axis[2], dtype=np.int64)
    low, high = beside.job.start_ns, beside.job.last_ns or beside.job.life[1]
    inside = np.minimum(start + axis[1], high) - np.maximum(start, low)
    return np.where(inside > 0, inside, axis[1]).astype(np.float64).clip(1, axis[1])


def _unknown(
    use: CoreUse, own: Sequence[_Own], users: Sequence[_User], every: frozenset[int],
    alive: Floats, axis: Axis,
) -> tuple[Floats, Floats, Floats, Floats]:  # fmt: skip
    """Return CPU time that no known user explains, with its bounds, and the hypervisor's; ns.

    Where an agent counted the whole machine it is the rest. Elsewhere it follows from the waiting:
    while the job waits its cores are busy, and a thread that gets u of u + w of its time shares m
    cores with m (u + w) / u threads. What more threads than the known ones used is of unknown ones.
    """
    cpu = sum((user.cpu for user in (*own, *users)), np.zeros(axis[2]))
    zero = np.zeros(axis[2])
    if use.totals.num_rows:
        start, length = ints(use.totals, "start_ns"), ints(use.totals, "length_ns")
        busy, steal = (resample(start, length, ints(use.totals, what), axis)
                       for what in ("busy_ns", "steal_ns"))  # fmt: skip
        # The agent's slice is whole where the job lived in a part of it only.
        part = alive / axis[1]
        rest = (busy * part - cpu).clip(0)
        rest = np.where(rest > _COUNTING * len(every) * alive, rest, 0.0)
        return rest, rest, rest, steal * part
    mine = frozenset().union(*(group.cores for group in own))
    on_mine = cpu - sum((group.cpu for group in own), zero)
    used, waited, awake = (sum((getattr(group, what) for group in own), zero)
                           for what in ("cpu", "queue", "awake"))  # fmt: skip
    threads = np.maximum(awake, (used + waited) / alive).clip(1)
    room = (len(mine) * alive - used - on_mine).clip(0)
    needed = (waited / threads * len(mine) - on_mine).clip(0)
    low = np.minimum(needed, room)
    ran = np.divide(used, used + waited, out=np.ones(len(used)), where=used + waited > 0)
    among = len(mine) / ran.clip(0.01)
    known = threads + on_mine / alive / ran.clip(0.01)
    guess = ((among - known) * ran * alive).clip(low, np.maximum(room, low))
    guess = np.where(waited > 0, guess, 0.0)
    return guess, low, np.where(waited > 0, np.maximum(room, guess), 0.0), zero


def _with_rest(users: Sequence[_User], name: str, cpu: Floats) -> list[_User]:
    return [_User(user.key, user.cores, cpu) if user.key == ("unprofiled", name) else user
            for user in users]  # fmt: skip


def _divided(
    own: Sequence[_Own], users: Sequence[_User], alive: Floats
) -> tuple[dict[_Key, Floats], dict[_Key, Floats]]:
    """Divide the job's waiting among the users of its cores.

    Returns:
        By user: the waiting that is its, and the doubt of it that is independent from slice to
        slice, ns, [slices]. The parts of a slice add up to its waiting.
    """
    everyone = [*own, *users]
    atoms = _atoms([user.cores for user in everyone])
    spread = _spread(everyone, atoms, alive)
    parts: dict[_Key, Floats] = {user.key: np.zeros(len(alive)) for user in users}
    parts |= {("own", OWN): np.zeros(len(alive)), ("limit", LIMIT): np.zeros(len(alive)),
              ("unknown", NOBODY): np.zeros(len(alive))}  # fmt: skip
    wide = {key: np.zeros(len(alive)) for key in parts}
    for group in own:
        if not group.queue.any():
            continue
        here = [k for k, atom in enumerate(atoms) if atom <= group.cores]
        on = {index: spread[index][here].sum(axis=0) for index in range(len(everyone))}
        # All of the job's threads on these cores, its other groups' included.
        threads = sum(
            (np.maximum(each.awake, (each.cpu + each.queue) / alive) * _inside(each, group)
             for each in own), np.zeros(len(alive)),
        )  # fmt: skip
        crowded = threads > len(group.cores) + _NEARLY
        mine = sum((on[k] for k in range(len(own))), np.zeros(len(alive)))
        weights: dict[_Key, Floats] = {
            ("own", OWN): np.where(crowded, mine * (1 - 1 / threads.clip(1)), 0.0)
        }
        for k, user in enumerate(users, len(own)):
            weights[user.key] = weights.get(user.key, np.zeros(len(alive))) + on[k]
        limit = np.minimum(group.queue, group.throttled)
        left = group.queue - limit
        whole = sum(weights.values(), np.zeros(len(alive)))
        parts["limit", LIMIT] += limit
        parts["unknown", NOBODY] += np.where(whole > 0, 0.0, left)
        for key, weight in weights.items():
            share = np.divide(weight, whole, out=np.zeros(len(alive)), where=whole > 0)
            parts[key] += share * left
            wide[key] += _WITHIN * np.sqrt(share * (1 - share)) * left
    return parts, wide


def _inside(each: _User, group: _User) -> float:
    """Return the part of one user's cores that are another's."""
    return len(each.cores & group.cores) / len(each.cores)


def _atoms(sets: Sequence[frozenset[int]]) -> list[frozenset[int]]:
    """Cut cores into the largest sets that each user may use as a whole or not at all."""
    distinct = sorted({tuple(sorted(cores)) for cores in sets})
    by_users: dict[tuple[int, ...], set[int]] = {}
    for core in sorted(set().union(*sets)):
        users = tuple(k for k, cores in enumerate(distinct) if core in cores)
        by_users.setdefault(users, set()).add(core)
    return [frozenset(cores) for cores in by_users.values()]


def _spread(users: Sequence[_User], atoms: Sequence[frozenset[int]], alive: Floats) -> list[Floats]:
    """Spread the CPU time of users over sets of cores, so that none has more than fits.

    Returns:
        Per user its CPU time on each set, ns, [sets, slices].
    """
    size = np.array([len(atom) for atom in atoms], dtype=np.float64)
    may = np.array([[atom <= user.cores for atom in atoms] for user in users], dtype=np.float64)
    even = may * size / (may * size).sum(axis=1, keepdims=True).clip(1)
    step = max(_MOST_CELLS // max(len(users) * len(atoms), 1), 1)
    whole = [np.zeros((len(atoms), len(alive))) for _ in users]
    for begin in range(0, len(alive), step):
        part = slice(begin, begin + step)
        cpu = np.array([user.cpu[part] for user in users])
        there = even[:, :, None] * cpu[:, None, :]
        fits = size[:, None] * alive[part]
        for _ in range(_ROUNDS if len(atoms) > 1 else 0):
            over = there.sum(axis=0) / fits
            if (over <= 1 + 1e-6).all():
                break
            there /= np.maximum(over, 1)
            room = (fits - there.sum(axis=0)).clip(0)
            open_to = may[:, :, None] * room
            total = open_to.sum(axis=1, keepdims=True)
            lacks = (cpu - there.sum(axis=1))[:, None, :]
            there += np.divide(lacks * open_to, total, out=np.zeros_like(there), where=total > 0)
        for k in range(len(users)):
            whole[k][:, part] = there[k]
    return whole


def _parts(
    parts: dict[_Key, Floats], wide: dict[_Key, Floats], low: dict[_Key, Floats],
    high: dict[_Key, Floats],
) -> list[AccountPart]:  # fmt: skip
    """Add up the parts, with intervals; the largest first."""
    whole = sum(float(values.sum()) for values in parts.values()) / _NS
    found = []
    for (kind, name), values in parts.items():
        seconds = float(values.sum()) / _NS
        if seconds <= 0:
            continue
        others = whole - seconds
        doubt = float(np.hypot(np.sqrt((wide[kind, name] ** 2).sum()) / _NS,
                               2 * _ALIKE * np.sqrt(seconds * max(others, 0.0))))  # fmt: skip
        ends = [float(bound[kind, name].sum()) / _NS for bound in (low, high)]
        found.append(AccountPart(name, kind, Interval(
            seconds,
            max(min(seconds, *ends) - doubt, 0.0),
            min(max(seconds, *ends) + doubt, whole),
        )))  # fmt: skip
    return sorted(found, key=lambda part: (-part.seconds.value, part.name))
