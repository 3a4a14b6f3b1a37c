"""Divides the time for which a job waited for cores among the users of these cores.

A user of cores is a job, a program without a profile, or the hypervisor. This is accounting, not a
statistical test: it was measured how long the job waited, and who used the cores meanwhile. In each
slice, the waiting is divided in proportion to the CPU time of each user on the job's cores.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from jostle.analysis.identification.model import AccountPart, CoreAccount, UserKind
from jostle.analysis.identification.resources.shared import Axis, AxisRows, Floats
from jostle.analysis.interval import Interval
from jostle.analysis.series import resample
from jostle.repository.query.resources.co_running import CoRunning
from jostle.repository.query.resources.core_users import CoreUse, unknown_load
from jostle.values.arrow_columns import ints
from jostle.values.core_lists import read_list

OWN, LIMIT, STEAL, NOBODY = (
    "its own threads",
    "its own CPU limit",
    "the hypervisor",
    "nobody known",
)
_NS = 1e9
_ROUNDS = 12  # of spreading CPU time over cores, until no core has more than fits
_MOST_HAD = 0.95  # of a core: if others had more of it, all of it counts as theirs
_MOST_CELLS = 4_000_000  # users x cores x slices whose CPU time is spread at once
_WHOLE = 0.95  # of a slice: a job that ran for so much of it is taken to have run for all of it
_NEARLY = 0.05  # of a core: by so much clocks and the heartbeat may change a whole one
_COUNTING = 0.01  # of all cores: a smaller rest of their time is an error of counting
#: Uncertainties of a share (95 %), calibrated by lab/bench/proofs/cpu_mixes.py. The first is
#: independent from slice to slice, since who ran just while the job waited is not known within a
#: slice; the second is common to all slices.
_WITHIN, _ALIKE = 0.4, 0.03
#: Part of the distance to the bounds that is the uncertainty of where users of several cores ran.
_FAR = 0.8

_Key = tuple[UserKind, str]


@dataclass(frozen=True)
class _User:
    """A user of cores (a job, or a component of the machine) that may use one set of cores.

    Attributes:
        key: Kind and name of the user.
        cores: Cores that it may use.
        cpu: Its CPU time in each slice, ns, [slices].
    """

    key: _Key
    cores: frozenset[int]
    cpu: Floats


@dataclass(frozen=True)
class Accounted:
    """How a job waited for the cores of one node, slice by slice; arrays are [slices], in ns.

    Attributes:
        account: The waiting, divided among the users of the cores.
        lost: Run time that other users of the cores, profiled or not, cost the job.
        own: CPU time of the job.
        wanted: CPU time of the job plus its waiting for cores.
        others: CPU time of all other users, as far as it is known.
        busy: Time for which a process of the job wanted a core, mean over its threads.
    """

    account: CoreAccount
    lost: Floats
    own: Floats
    wanted: Floats
    others: Floats
    busy: Floats

    @property
    def others_waiting(self) -> Floats:
        """The part of the waiting that other users of the cores caused, ns, [slices]."""
        return outside(self.account) * _NS


def outside(account: CoreAccount) -> Floats:
    """Return the waiting that other users of the cores caused, profiled or not, s, [slices]."""
    names = [part.name for part in account.parts if part.kind in ("job", "unprofiled")]
    zero = np.zeros(len(account.steps_ns))
    return sum((np.array(account.series[name]) for name in names), zero)


@dataclass(frozen=True)
class _Own(_User):
    """Processes of the job itself that may use the same cores.

    Attributes:
        queue: Time for which their threads waited for a core, ns, [slices].
        awake: Mean number of their threads that ran or waited for a core, [slices].
        throttled: Time for which a CPU limit stopped them, ns, [slices].
    """

    queue: Floats
    awake: Floats
    throttled: Floats


def core_accounts(alongside: CoRunning, axis: Axis) -> list[Accounted]:
    """Divide a job's waiting for cores among the users of the cores, node by node.

    Args:
        alongside: The job and its neighbours.
        axis: Time axis of the job's own slices.

    Returns:
        One entry for each node on which the job waited, if the use of the node's cores was
        recorded.
    """
    use, found = alongside.core_use, []
    hosts = use.users.filter(pc.equal(use.users["job"], alongside.job.job))["host"]
    for host in sorted(set(hosts.to_pylist())) if axis[2] else []:
        account = _of_node(alongside, _on(use, host), host, axis)
        if account is not None:
            found.append(account)
    return found


def _on(use: CoreUse, host: str) -> CoreUse:
    return CoreUse(
        *(table.filter(pc.equal(table["host"], host)) for table in (use.users, use.totals))
    )


def _of_node(alongside: CoRunning, use: CoreUse, host: str, axis: Axis) -> Accounted | None:
    """Divide a job's waiting for the cores of one node; None if the job did not wait for them."""
    number = max(_most_cores(use), 1)
    every = frozenset(range(number))
    own, users = _laid(alongside, use, every, axis)
    waited = sum((group.queue for group in own), np.zeros(axis[2]))
    if not waited.any():
        return None
    alive = _alive(alongside, axis)
    rest, low, high, steal = _unknown(use, own, users, every, alive, axis)
    unknown = _User(("unprofiled", unknown_load(host)), every, rest)
    users = [*users, unknown]
    if steal.any():
        users.append(_User(("steal", STEAL), every, steal))
    divided = _divided(own, users, alive)
    bounds = [divided]
    if not use.totals.num_rows:
        bounds += [_divided(own, _with_rest(users, unknown, rest), alive) for rest in (low, high)]
    parts = divided.parts
    account = CoreAccount(
        host=host,
        waited_s=float(waited.sum()) / _NS,
        parts=_parts(divided, bounds),
        totals_known=bool(use.totals.num_rows),
        steps_ns=[axis[0] + k * axis[1] for k in range(axis[2])],
        slice_ns=axis[1],
        series={name: (values / _NS).tolist() for (_, name), values in parts.items()},
    )
    cpu, awake = (
        sum((getattr(group, what) for group in own), np.zeros(axis[2])) for what in ("cpu", "awake")
    )
    threads = np.maximum(awake, (cpu + waited) / alive).clip(1)
    taken = outside(account) * _NS
    lost = taken / threads
    if alongside.job.ranks > 1:  # the others wait for the rank that waited most
        rows = alongside.own_nodes.filter(pc.equal(alongside.own_nodes["host"], host))
        most = AxisRows(rows, axis).sum("os_runqueue_ns_max")
        lost = most * np.divide(taken, waited, out=np.zeros(axis[2]), where=waited > 0)
    others = sum((user.cpu for user in users if user.key[0] != "steal"), np.zeros(axis[2]))
    wanted = cpu + waited
    return Accounted(
        account, np.minimum(lost, alive), cpu, wanted, others, np.minimum(wanted / threads, alive)
    )


def _most_cores(use: CoreUse) -> int:
    """Return how many cores a node has, as far as it is recorded."""
    most = int(ints(use.totals, "cores").max(initial=0))
    for text in set(use.users["cpus"].to_pylist()):
        most = max(most, max(read_list(text) or {0}) + 1)
    return most


def _laid(
    alongside: CoRunning, use: CoreUse, every: frozenset[int], axis: Axis
) -> tuple[list[_Own], list[_User]]:
    """Return the users of a node's cores, with their CPU time in each slice of the job.

    Returns:
        The job's own groups of processes with equal cores; and the other users.
    """
    own, users = list[_Own](), list[_User]()
    for kind, job, cpus, rows in _groups(use.users):
        cores = read_list(cpus) or every
        cpu = _amounts(rows, "cpu_ns", alongside, axis)
        if kind == "job" and job == alongside.job.job:
            awake = _levels(rows, "awake", alongside, axis)
            queue, throttled = (
                _amounts(rows, f"{what}_ns", alongside, axis) for what in ("queue", "throttled")
            )
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


def _amounts(rows: pa.Table, column: str, alongside: CoRunning, axis: Axis) -> Floats:
    """Return the amounts of a column in each slice; only those during the job's life count."""
    return resample(
        ints(rows, "start_ns"),
        ints(rows, "length_ns"),
        ints(rows, column),
        axis,
        within=alongside.job.life,
    )


def _levels(rows: pa.Table, column: str, alongside: CoRunning, axis: Axis) -> Floats:
    return resample(
        ints(rows, "start_ns"),
        ints(rows, "length_ns"),
        ints(rows, column),
        axis,
        level=True,
        within=alongside.job.life,
    )


def _alive(alongside: CoRunning, axis: Axis) -> Floats:
    """Return the time of each slice in which the job lived, in ns."""
    start = axis[0] + axis[1] * np.arange(axis[2], dtype=np.int64)
    low, high = alongside.job.start_ns, alongside.job.last_ns or alongside.job.life[1]
    inside = np.minimum(start + axis[1], high) - np.maximum(start, low)
    return np.where(inside > 0, inside, axis[1]).astype(np.float64).clip(1, axis[1])


def _unknown(
    use: CoreUse,
    own: Sequence[_Own],
    users: Sequence[_User],
    every: frozenset[int],
    alive: Floats,
    axis: Axis,
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the CPU time of unknown users of the cores, and steal time.

    If an agent counted the CPU time of the whole machine, unknown users have what is left after the
    known users. Otherwise their CPU time is inferred from the job's waiting.

    Returns:
        CPU time of unknown users, its lower bound, its upper bound, and steal time, all in ns,
        [slices].
    """
    guess, low, high = _from_waiting(own, users, alive)
    if not use.totals.num_rows:
        return guess, low, high, np.zeros(axis[2])
    cpu = sum((user.cpu for user in (*own, *users)), np.zeros(axis[2]))
    start, length = ints(use.totals, "start_ns"), ints(use.totals, "length_ns")
    busy, steal = (
        resample(start, length, ints(use.totals, what), axis) for what in ("busy_ns", "steal_ns")
    )
    rest = (busy - cpu).clip(0)
    rest = np.where(rest > _COUNTING * len(every) * alive, rest, 0.0)
    # In which part of a slice the machine was busy is not known: where the job ran for a part of it
    # only, its own waiting is the better evidence.
    lived = alive / axis[1]
    rest = np.where(lived > _WHOLE, rest, np.minimum(guess, rest))
    return rest, rest, rest, steal * lived


def _from_waiting(
    own: Sequence[_Own], users: Sequence[_User], alive: Floats
) -> tuple[Floats, Floats, Floats]:
    """Infer the CPU time of unknown users of a job's cores from the job's waiting.

    While the job waits, its cores are busy. If its threads run for the time u and wait for the time
    w, its m cores are shared by m (u + w) / u threads. If that is more than the known threads, the
    others are those of unknown users.

    Returns:
        CPU time of unknown users, its lower bound and its upper bound, ns, [slices].
    """
    zero = np.zeros(len(alive))
    mine = frozenset().union(*(group.cores for group in own))
    known_cpu = sum((user.cpu for user in users if user.cores & mine), zero)
    used, waited, awake = (
        sum((getattr(group, what) for group in own), zero) for what in ("cpu", "queue", "awake")
    )
    threads = np.maximum(awake, (used + waited) / alive).clip(1)
    room = (len(mine) * alive - used - known_cpu).clip(0)
    needed = (waited / threads * len(mine) - known_cpu).clip(0)
    low = np.minimum(needed, room)
    ran = np.divide(used, used + waited, out=np.ones(len(used)), where=used + waited > 0)
    among = len(mine) / ran.clip(0.01)
    known = threads + known_cpu / alive / ran.clip(0.01)
    guess = ((among - known) * ran * alive).clip(low, np.maximum(room, low))
    return (
        np.where(waited > 0, guess, 0.0),
        low,
        np.where(waited > 0, np.maximum(room, guess), 0.0),
    )


def _with_rest(users: Sequence[_User], unknown: _User, cpu: Floats) -> list[_User]:
    return [replace(user, cpu=cpu) if user is unknown else user for user in users]


@dataclass(frozen=True)
class _Divided:
    """The job's waiting, divided among the users of its cores, ns, [slices].

    Attributes:
        parts: The waiting that each user caused; in each slice, the parts add up to the waiting.
        wide: Uncertainty of each part that is independent from slice to slice.
        least: Lower bound of each part. A user that may also use other cores may have run there.
        most: Upper bound of each part: such a user may have run only on the job's cores.
    """

    parts: dict[_Key, Floats]
    wide: dict[_Key, Floats]
    least: dict[_Key, Floats]
    most: dict[_Key, Floats]


def _divided(own: Sequence[_Own], users: Sequence[_User], alive: Floats) -> _Divided:
    """Divide the job's waiting among the users of its cores."""
    everyone = [*own, *users]
    atoms = _atoms([user.cores for user in everyone])
    spread = _spread(everyone, atoms, alive)
    keys: list[_Key] = [
        ("own", OWN),
        ("limit", LIMIT),
        ("unknown", NOBODY),
        *(user.key for user in users),
    ]
    parts, wide, least, most = ({key: np.zeros(len(alive)) for key in keys} for _ in range(4))
    for group in own:
        if not group.queue.any():
            continue
        here = [k for k, atom in enumerate(atoms) if atom <= group.cores]
        counts = _where_waited(group, spread, here, everyone, [atoms[k] for k in here], alive)
        on = [(counts * part[here]).sum(axis=0) for part in spread]
        # All of the job's threads on these cores, its other groups' included.
        threads = sum(
            (
                np.maximum(each.awake, (each.cpu + each.queue) / alive) * _inside(each, group)
                for each in own
            ),
            np.zeros(len(alive)),
        )
        oversubscribed = threads > len(group.cores) + _NEARLY
        mine = sum(on[: len(own)], np.zeros(len(alive)))
        siblings = np.where(oversubscribed, mine * (1 - 1 / threads.clip(1)), 0.0)
        room = (len(group.cores) * alive - mine).clip(0)
        weights, low, high = (dict[_Key, Floats]({("own", OWN): siblings}) for _ in range(3))
        for k, user in enumerate(users, len(own)):
            elsewhere = len(user.cores - group.cores) * alive
            ends = (
                np.minimum((user.cpu - elsewhere).clip(0), on[k]),
                np.maximum(np.minimum(user.cpu, room), on[k])
                if user.cores & group.cores
                else on[k],
            )
            if user.cores <= group.cores:
                ends = on[k], on[k]
            for table, value in zip((weights, low, high), (on[k], *ends), strict=True):
                table[user.key] = table.get(user.key, np.zeros(len(alive))) + value
        limit = np.minimum(group.queue, group.throttled)
        left = group.queue - limit
        for table in (parts, least, most):
            table["limit", LIMIT] += limit
        whole, lows, highs = (
            sum(table.values(), np.zeros(len(alive))) for table in (weights, low, high)
        )
        parts["unknown", NOBODY] += np.where(whole > 0, 0.0, left)
        for key, weight in weights.items():
            share = _share(weight, whole)
            parts[key] += share * left
            wide[key] += _WITHIN * np.sqrt(share * (1 - share)) * left
            least[key] += np.minimum(_share(low[key], low[key] + highs - high[key]), share) * left
            most[key] += np.maximum(_share(high[key], high[key] + lows - low[key]), share) * left
    return _Divided(parts, wide, least, most)


def _where_waited(
    group: _Own,
    spread: Sequence[Floats],
    here: Sequence[int],
    everyone: Sequence[_User],
    atoms: Sequence[frozenset[int]],
    alive: Floats,
) -> Floats:
    """Return a weight for others' CPU time on each set of cores, [sets, slices].

    If a thread ran on a core for the share u of the time, and others had the core for the share r,
    the thread waited there for the share u r / (1 - r). So CPU time of others counts less on cores
    that the job hardly used.

    Args:
        group: Processes of the job.
        spread: CPU time of each user on all sets of cores.
        here: Indices of the sets that `group` may use.
        everyone: All users.
        atoms: The sets that `group` may use.
        alive: Time of each slice in which the job lived, in ns.
    """
    if len(here) == 1:
        return np.ones((1, len(alive)))
    own = spread[next(k for k, user in enumerate(everyone) if user is group)][here]
    others = sum(
        (part[here] for user, part in zip(everyone, spread, strict=True) if user is not group),
        np.zeros_like(own),
    )
    size = np.array([len(atom) for atom in atoms], dtype=np.float64)[:, None]
    had = np.minimum(others / (size * alive), _MOST_HAD)
    waited = own * had / (1 - had)
    counts = _share(waited, others)
    even = others.sum(axis=0) / np.maximum((counts * others).sum(axis=0), 1e-12)
    return np.where((counts * others).sum(axis=0) > 0, counts * even, 1.0)


def _share(part: Floats, whole: Floats) -> Floats:
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


def _inside(each: _User, group: _User) -> float:
    """Return which part of one user's cores another user may use as well, 0 to 1."""
    return len(each.cores & group.cores) / len(each.cores)


def _atoms(sets: Sequence[frozenset[int]]) -> list[frozenset[int]]:
    """Divide cores into the largest sets of which each user may use all cores or none.

    Args:
        sets: Cores of each user.
    """
    distinct = sorted({tuple(sorted(cores)) for cores in sets})
    by_users: dict[tuple[int, ...], set[int]] = {}
    for core in sorted(set().union(*sets)):
        users = tuple(k for k, cores in enumerate(distinct) if core in cores)
        by_users.setdefault(users, set()).add(core)
    return [frozenset(cores) for cores in by_users.values()]


def _spread(users: Sequence[_User], atoms: Sequence[frozenset[int]], alive: Floats) -> list[Floats]:
    """Spread the CPU time of users over sets of cores, so that no set has more than it can have.

    Returns:
        For each user, its CPU time on each set of cores, ns, [sets, slices].
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


def _parts(divided: _Divided, bounds: Sequence[_Divided]) -> list[AccountPart]:
    """Return the waiting that each user caused, with its interval, the largest part first.

    Args:
        divided: The waiting, divided among users.
        bounds: The same with the least and with the most CPU time of unknown users.
    """
    whole = sum(float(values.sum()) for values in divided.parts.values()) / _NS
    found = []
    for key, values in divided.parts.items():
        seconds = float(values.sum()) / _NS
        if seconds <= 0 and key[0] != "job":
            continue
        by_chance = float(np.sqrt((divided.wide[key] ** 2).sum())) / _NS
        alike = 2 * _ALIKE * float(np.sqrt(seconds * max(whole - seconds, 0.0)))
        ends = [float(each.parts[key].sum()) / _NS for each in bounds]
        least, most = (float(side[key].sum()) / _NS for side in (divided.least, divided.most))
        found.append(
            AccountPart(
                key[1],
                key[0],
                Interval(
                    seconds,
                    max(
                        seconds
                        - float(np.hypot(by_chance, alike))
                        - _FAR * (seconds - least)
                        - (seconds - min(ends)),
                        0.0,
                    ),
                    min(
                        seconds
                        + float(np.hypot(by_chance, alike))
                        + _FAR * (most - seconds)
                        + (max(ends) - seconds),
                        whole,
                    ),
                ),
            )
        )
    return sorted(found, key=lambda part: (-part.seconds.value, part.name))
