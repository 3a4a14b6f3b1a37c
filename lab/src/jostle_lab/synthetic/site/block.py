"""Computes the metrics of a simulated site's processes from the activity of their jobs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jostle.repository.writing import bucket_column
from jostle_lab.synthetic.site.course import ALIVE, CPU, IO, NET, WAITED, WORK, Interval
from jostle_lab.synthetic.site.metrics import LINE, Rate, Rates
from jostle_lab.synthetic.site.processes import Ranks

Ints = NDArray[np.int64]
Singles = NDArray[np.float32]
Columns = dict[str, Ints]
Numbers = NDArray[Any]
_FACT = {"work": WORK, "io": IO, "net": NET, "cpu": CPU, "alive": ALIVE, "waited": WAITED}
_POOL = 1 << 20
_PAGE = 4096
_REDUCTION = 16  # bytes
#: Operations of a program before main: metric -> number; and those on its home.
_BEGIN = {"mpi_init_ops": 1, "os_read_chars": 52_000, "os_read_calls": 160, "os_minor_faults": 900}
_BEGIN_HOME = {
    "posix_open_ops": 7,
    "posix_close_ops": 7,
    "posix_meta_ops": 4,
    "stdio_open_ops": 3,
    "stdio_close_ops": 3,
    "stdio_read_ops": 6,
    "stdio_read_bytes": 9_730,
    "error_missing_ops": 27,
}


def rounded_ns(seconds_ns: NDArray[np.floating]) -> Ints:
    """Round times down to what a profile can hold: 12 significant bits."""
    whole = np.floor(seconds_ns).astype(np.float32)
    whole.view(np.int32)[...] &= -4096  # of the 24 bits of a float's mantissa the first 12 are kept
    codes: Ints = whole.astype(np.int64)
    return codes


class Chance:
    """A fast source of noise: pools of random numbers, read from random positions on."""

    def __init__(self, seed: int) -> None:
        draw = np.random.default_rng([seed, 3])
        self._normal = draw.standard_normal(_POOL, dtype=np.float32).clip(-3, 3)
        self._uniform = draw.random(_POOL, dtype=np.float32)
        self._draw = draw

    def begin(self, seed: int, number: int) -> None:
        """Begin an interval: its number and the seed alone determine the numbers that follow."""
        self._draw = np.random.default_rng([seed, 4, number])

    def normal(self, count: int) -> Singles:
        """Return numbers with mean 0 and standard deviation 1, at most 3."""
        return self._some(self._normal, count)

    def uniform(self, count: int) -> Singles:
        """Return numbers from 0 to 1."""
        return self._some(self._uniform, count)

    def _some(self, pool: Singles, count: int) -> Singles:
        at = int(self._draw.integers(_POOL))
        if at + count <= _POOL:
            return pool[at : at + count]
        values: Singles = np.resize(np.concatenate([pool[at:], pool[:at]]), count)
        return values

    def trait(self, ids: Ints) -> Singles:
        """Return a random number for each process that is the same in all intervals."""
        traits: Singles = self._normal[ids & (_POOL - 1)]
        return traits


@dataclass
class Block:
    """Rows of processes: by job, slice and rank.

    Attributes:
        ranks: The jobs' processes, in order of jobs.
        job: Index of each row's job in `ranks`.
        entry: Entry of job and slice of each row.
        begins: First row of each entry.
        rank: Rank of each row.
        place: Index of each row's process among those of all `ranks`.
        slice: Slice of each row, from 0.
        metrics: Metrics of processes, zeros left out; histograms as columns of buckets.
        scratch: Rows with traffic on the scratch file system.
        scratch_metrics: Mount metrics of these rows.
        home: Rows with traffic on home file systems.
        home_metrics: Mount metrics of these rows.
    """

    ranks: Sequence[Ranks]
    job: Ints
    entry: Ints
    begins: Ints
    rank: Ints
    place: Ints
    slice: Ints
    metrics: Columns = field(default_factory=dict)
    scratch: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    scratch_metrics: Columns = field(default_factory=dict)
    home: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    home_metrics: Columns = field(default_factory=dict)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.entry)


def blocks(
    interval: Interval, ranks: Mapping[int, Ranks], rates: Rates, chance: Chance, most: int
) -> list[Block]:
    """Make the rows of an interval, in blocks of whole jobs with about `most` rows each."""
    by = np.lexsort((interval.slice, interval.job))
    job, slices, phase = interval.job[by], interval.slice[by], interval.phase[by]
    facts = interval.facts[by]
    keep = facts[:, ALIVE] > 0
    job, slices, phase, facts = job[keep], slices[keep], phase[keep], facts[keep]
    if not len(job):
        return []
    distinct, of = np.unique(job, return_inverse=True)
    sizes = np.array([len(ranks[number]) for number in distinct.tolist()])
    rows = np.bincount(of, minlength=len(distinct)) * sizes
    part = (np.cumsum(rows) - rows) // most
    result = []
    for number in np.unique(part):
        mine = part[of] == number
        some = [ranks[each] for each in distinct[part == number].tolist()]
        maker = _Maker(
            some,
            of[mine] - of[mine][0],
            slices[mine],
            phase[mine],
            facts[mine],
            set(interval.started),
            rates,
            chance,
        )
        result.append(maker.make())
    return result


class _Maker:
    """Makes one block."""

    def __init__(
        self,
        ranks: Sequence[Ranks],
        job: Ints,
        slices: Ints,
        phase: Ints,
        facts: Numbers,
        started: set[int],
        rates: Rates,
        chance: Chance,
    ) -> None:
        self._rates, self._chance = rates, chance
        self._facts, self._phase = facts, phase
        sizes = np.array([len(each) for each in ranks])
        self._counts = sizes[job]
        begins = np.cumsum(self._counts) - self._counts
        entry = np.repeat(np.arange(len(job)), self._counts)
        rank = np.arange(len(entry)) - begins[entry]
        first = np.cumsum(sizes) - sizes
        self.block = Block(
            ranks, job[entry], entry, begins, rank, first[job][entry] + rank, slices[entry]
        )
        self._moving = np.concatenate([each.moving for each in ranks])[self.block.place]
        fresh = np.array([each.job in started for each in ranks])[job]
        begun = np.append(True, job[1:] != job[:-1])
        self._fresh = np.flatnonzero((fresh & begun)[entry])
        self._mpi = np.array([each.program.mpi for each in ranks])[job]

    def make(self) -> Block:
        """Return the block."""
        out = self.block.metrics
        for name, rate in self._rates.counts.items():
            if (values := self._count(name, rate)) is not None:
                out[name] = values
        for name, rate in self._rates.times.items():
            if (values := self._time(name, rate)) is not None:
                out[name] = values
        self._communication(out)
        self._levels(out)
        self._calls(out)
        self._log()
        self._sums(out)
        self._begin(out)
        return self.block

    def _rows(self, values: NDArray[np.floating], dtype: type = np.float32) -> Numbers:
        return np.repeat(values.astype(dtype), self._counts)

    def _count(self, name: str, rate: Rate) -> Ints | None:
        if rate.basis == "root":
            return None
        mean = rate.rates[self._phase] * self._facts[:, _FACT[rate.basis]]
        if not mean.any():
            return None
        if not rate.spread:  # equal on all ranks
            whole = np.floor(mean + self._chance.uniform(len(mean)))
            return np.repeat(whole.astype(np.int64), self._counts)
        size = len(self.block)
        big = name.startswith("perf_") and name != "perf_migrations"
        values = self._rows(mean, np.float64 if big else np.float32)
        values *= 1 + np.float32(rate.spread) * self._chance.normal(size)
        values += self._chance.uniform(size)
        numbers: Ints = np.maximum(values, 0).astype(np.int64)
        return numbers

    def _time(self, name: str, rate: Rate) -> Ints | None:
        mean = rate.rates[self._phase] * self._facts[:, _FACT[rate.basis]]
        if not mean.any():
            return None
        values = self._rows(mean)
        noise = self._chance.normal(len(values))
        values *= np.maximum(1 + np.float32(rate.spread) * noise, np.float32(0.02))
        return rounded_ns(values)

    def _communication(self, out: Columns) -> None:
        """Compute the metrics of communication from auxiliary values, which are removed."""
        phase = self._phase
        pairs = out.get("mpi_isend_ops")
        if pairs is not None:
            moved = pairs * np.repeat(self._rates.message[phase], self._counts)
            out["mpi_irecv_ops"] = pairs
            out["mpi_isend_bytes"] = out["mpi_irecv_arrived_bytes"] = moved
            out["state_p2p_ns"] = self._together(out, "mpi_isend_ns", "mpi_irecv_ns", "mpi_wait_ns")
        large, small = out.pop("exchanges", None), out.pop("reductions", None)
        if large is not None or small is not None:
            zero = np.zeros(len(self.block), np.int64)
            large, small = (zero if each is None else each for each in (large, small))
            out["mpi_all_to_all_ops"] = large + small
            exchanged = np.repeat(self._rates.exchanged[phase], self._counts)
            out["mpi_all_to_all_bytes"] = large * exchanged + small * _REDUCTION
        if "mpi_barrier_ns" in out:
            out["mpi_barrier_ns"][out["mpi_barrier_ops"] == 0] = 0
        if "mpi_one_to_all_ops" in out:
            out["mpi_one_to_all_bytes"] = out["mpi_one_to_all_ops"] * 4096

    def _together(self, out: Columns, *names: str) -> Ints:
        known = [out[name] for name in names if name in out]
        total = known[0].astype(np.float32)
        for values in known[1:]:
            total += values
        return rounded_ns(total)

    def _levels(self, out: Columns) -> None:
        """Add the gauges (memory, threads and cores), which are levels and not increases."""
        block, phase = self.block, self._phase
        traits = np.concatenate([self._chance.trait(each.ids) for each in block.ranks])
        local = np.concatenate([each.local for each in block.ranks])[block.place]
        trait = traits[block.place]
        memory = self._rows(self._rates.memory[phase], np.float64) * (0.96 + 0.01 * trait)
        grown = ((block.slice + 7 * local) // 40 % 16) * 65
        out["os_rss_bytes"] = (memory.astype(np.int64) // _PAGE + grown) * _PAGE
        threads = self._rates.threads[phase]
        out["os_threads"] = np.repeat(threads + 2 * self._mpi, self._counts)
        out["os_cpus"] = np.repeat(threads, self._counts)
        out["os_first_cpu"] = local * out["os_cpus"]
        asleep = (out["os_cpus"] > 1) & (self._chance.uniform(len(block)) < 0.2)
        out["os_awake"] = out["os_cpus"] - asleep

    def _calls(self, out: Columns) -> None:
        """Add calls on the scratch file system, of the processes that make them."""
        block, rates, facts, phase = self.block, self._rates, self._facts, self._phase
        wanted = rates.ops[phase] * facts[:, WORK]
        spent = 1e9 * facts[:, IO]
        if rates.collective[phase].any():
            self._collective(out, wanted, spent)
        idle = self._rows(spent) * (1 - self._moving)
        if (idle > 0).any():  # the others wait in a barrier for those that write
            extra = rounded_ns(idle * ~np.repeat(rates.collective[phase], self._counts))
            out["mpi_barrier_ns"] = self._together({"a": extra, **out}, "a", "mpi_barrier_ns")
        rows = np.flatnonzero((np.repeat(wanted, self._counts) > 0) & (self._moving > 0))
        entry = block.entry[rows]
        noise = 1 + 0.03 * self._chance.normal(len(rows))
        ops = np.floor(wanted[entry] * noise + self._chance.uniform(len(rows))).astype(np.int64)
        rows, entry, ops = rows[ops > 0], entry[ops > 0], ops[ops > 0]
        block.scratch = rows
        if not len(rows):
            return
        taken = spent[entry] * (1 + 0.04 * self._chance.normal(len(rows)))
        self._on_mount(out, rows, entry, ops, taken)

    def _on_mount(self, out: Columns, rows: Ints, entry: Ints, ops: Ints, taken: Numbers) -> None:
        rates, phase = self._rates, self._phase[entry]
        size, files = rates.size[phase], self.block.scratch_metrics
        meta, writes = rates.is_meta[phase], rates.writes[phase]
        fresh = np.where(meta, ops * 2 // 5, (self._chance.uniform(len(ops)) < 0.06) * 1)
        written = np.where(meta, fresh, np.where(writes, ops, 0))
        read = np.where(meta | writes, 0, ops)
        names = np.where(meta, ops - 2 * fresh, fresh)
        files["posix_open_ops"] = files["posix_close_ops"] = files["access_file_ops"] = fresh
        files["posix_write_ops"], files["posix_write_bytes"] = written, written * size
        files["access_file_bytes"] = np.where(fresh > 0, written * size, 0)
        files["posix_write_ns"] = rounded_ns(
            np.where(written > 0, taken * np.where(meta, 0.1, 0.97), 0)
        )
        files["posix_read_ops"], files["posix_read_bytes"] = read, read * size
        files["posix_read_ns"] = rounded_ns(np.where(read > 0, taken * 0.97, 0))
        files["posix_meta_ops"] = names
        files["posix_meta_ns"] = rounded_ns(taken * np.where(meta, 0.9, 0.02))
        self._put(
            out,
            rows,
            {
                "os_write_chars": written * size,
                "os_write_calls": written,
                "os_write_bytes": written * size,
                "os_read_chars": read * size,
                "os_read_calls": read,
                "os_read_bytes": read * size,
                "state_io_ns": rounded_ns(taken),
            },
        )
        bucket = np.frexp(size.astype(float))[1]
        for kind, count in (("write", written), ("read", read)):
            for each in np.unique(bucket[count > 0]).tolist():
                name = bucket_column(f"posix_{kind}_size", min(each, 31))
                self._put(out, rows, {name: np.where(bucket == each, count, 0)})

    def _put(self, out: Columns, rows: Ints, columns: Mapping[str, Ints]) -> None:
        """Add values of some rows."""
        for name, values in columns.items():
            if values.any():
                whole = out.setdefault(name, np.zeros(len(self.block), np.int64))
                whole[rows] += values

    def _collective(self, out: Columns, wanted: Numbers, spent: Numbers) -> None:
        collective = self._rates.collective[self._phase]
        ops = np.where(collective, np.ceil(wanted / 4), 0).astype(np.int64)
        size = self._rates.size[self._phase] // 4
        out["mpiio_write_all_ops"] = np.repeat(ops, self._counts)
        out["mpiio_write_all_bytes"] = np.repeat(ops * size, self._counts)
        values = self._rows(np.where(ops > 0, spent, 0))
        values *= 1 + np.float32(0.03) * self._chance.normal(len(values))
        out["mpiio_write_all_ns"] = out["state_mpiio_ns"] = rounded_ns(values)

    def _log(self) -> None:
        """Add the lines that each job's first process writes to a log on its home file system."""
        block = self.block
        rate = self._rates.counts["lines"]
        mean = rate.rates[self._phase] * self._facts[:, WORK]
        lines = np.floor(
            mean * (1 + 0.1 * self._chance.normal(len(mean))) + self._chance.uniform(len(mean))
        ).astype(np.int64)
        some = np.flatnonzero(lines > 0)
        lines = lines[some]
        block.home = block.begins[some]
        each = LINE + 8 * self._chance.normal(len(some))
        cost = 1500 * (1 + 0.3 * self._chance.normal(len(some)))
        block.home_metrics = {
            "stdio_write_ops": lines,
            "stdio_write_bytes": (lines * each).astype(np.int64),
            "stdio_write_ns": rounded_ns(lines * cost),
        }
        self._put(block.metrics, block.home, {bucket_column("stdio_write_size", 7): lines})

    def _sums(self, out: Columns) -> None:
        """Add the metrics that follow from several others."""
        zero = np.zeros(len(self.block), np.int64)
        collective = [
            name
            for name in ("mpi_all_to_all_ns", "mpi_barrier_ns", "mpi_one_to_all_ns")
            if name in out
        ]
        waited = out.pop("waited", zero)
        if collective:
            for name in collective:
                ops = out.get(name.replace("_ns", "_ops"))
                if ops is None:
                    out[name.replace("_ns", "_ops")] = (out[name] > 0).astype(np.int64)
                elif name == "mpi_barrier_ns":
                    ops += (out[name] > 0) & (ops == 0)
                else:
                    out[name][ops == 0] = 0
            out["state_collective_ns"] = self._together(out, *collective)
        in_mpi = out.get("state_p2p_ns", zero) + out.get("state_collective_ns", zero)
        if "wait_short_ns" in out:
            out["wait_mpi_ns"] = rounded_ns(0.55 * in_mpi + waited)
        system = out.pop("system", zero) * self._moving
        system += 900.0 * out.get("os_minor_faults", zero) + 2e3 * out["os_voluntary_switches"]
        out["os_system_ns"] = rounded_ns(system)
        # A process that waits for messages polls: the rest of its time is CPU time, too.
        free = self._rows(1e9 * self._facts[:, ALIVE], np.float64)
        free -= out.get("state_io_ns", zero) + system + out["os_runqueue_ns"]
        free -= out["wait_offcpu_ns"]
        threads = out["os_cpus"]
        if (threads > 1).any():
            busy = 0.85 + 0.01 * self._chance.normal(len(threads))
            free = np.where(threads > 1, (free - in_mpi) * threads * busy + in_mpi, free)
        out["os_user_ns"] = rounded_ns(np.maximum(free, 0))
        out["perf_task_clock_ns"] = self._together(out, "os_user_ns", "os_system_ns")
        out["perf_switches"] = out["os_voluntary_switches"] + out["os_involuntary_switches"]
        if "os_minor_faults" in out:
            out["perf_faults"] = out["os_minor_faults"]
        calls = 2 * out.get("mpi_isend_ops", zero) + out.get("mpi_wait_ops", zero)
        calls = calls + out.get("mpi_all_to_all_ops", zero) + out.get("os_write_calls", zero)
        calls += out.get("os_read_calls", zero)
        out["self_calls_ops"] = calls
        cost = calls * 48.0 + out["self_heartbeat_ns"]
        out["self_cost_ns"] = rounded_ns(cost * (1 + 0.02 * self._chance.normal(len(cost))))

    def _begin(self, out: Columns) -> None:
        """Add operations at the start of programs: they look for libraries and read settings."""
        rows = self._fresh
        if not len(rows):
            return
        ones = np.ones(len(rows), np.int64)
        mpi = np.repeat(self._mpi, self._counts)[rows]
        self._put(
            out,
            rows,
            {name: number * ones for name, number in _BEGIN.items() if name != "mpi_init_ops"},
        )
        took = rounded_ns(3e8 * (1 + 0.1 * self._chance.normal(len(rows)))) * mpi
        self._put(
            out, rows, {"mpi_init_ops": ones * mpi, "mpi_init_ns": took, "state_mpi_ns": took}
        )
        block = self.block
        home = np.union1d(block.home, rows)
        metrics = {
            name: np.zeros(len(home), np.int64) for name in (*block.home_metrics, *_BEGIN_HOME)
        }
        for name, values in block.home_metrics.items():
            metrics[name][np.searchsorted(home, block.home)] = values
        for name, number in _BEGIN_HOME.items():
            metrics[name][np.searchsorted(home, rows)] += number
        metrics["stdio_read_ns"] = rounded_ns(1500.0 * metrics["stdio_read_ops"])
        metrics["posix_meta_ns"] = rounded_ns(2500.0 * metrics["posix_open_ops"])
        block.home, block.home_metrics = home, metrics
        self._put(out, rows, {bucket_column("stdio_read_size", 11): 6 * ones})
