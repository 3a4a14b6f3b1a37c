"""Logs of a small site in which one program slows another, and a third slows nobody."""

from __future__ import annotations

import numpy as np
from logs import START_NS, job

from jostle_lab.synthetic.darshan_logs import LoggedFile, LoggedJob

SECOND = 10**9
_GAP_S = 100  # between runs of the victim
_CHUNK = 1 << 20


def run_of(
    program: str, number: int, start_s: float, calls: int, call_s: float, *, bins: bool = True
) -> LoggedJob:
    """A run that writes chunks of 1 MiB, one after the other, and does nothing else.

    Without bins, its log is one of an old Darshan: it has the first and last access only.
    """
    run_s = calls * call_s
    counters = {
        "POSIX_OPENS": 1,
        "POSIX_WRITES": calls,
        "POSIX_BYTES_WRITTEN": calls * _CHUNK,
        "POSIX_SIZE_WRITE_1M_4M": calls,
    }
    times = {
        "POSIX_F_WRITE_TIME": run_s,
        "POSIX_F_META_TIME": 1e-3,
        "POSIX_F_OPEN_START_TIMESTAMP": 0.001,
        "POSIX_F_WRITE_START_TIMESTAMP": 0.001,
        "POSIX_F_WRITE_END_TIMESTAMP": run_s,
    }
    many = max(round(run_s * 10), 1)
    each = np.diff(np.round(np.linspace(0, calls * _CHUNK, many + 1))).astype(int).tolist()
    return job(
        written=[each] if bins else (),
        files=[LoggedFile(f"/scratch/{program}/data", 0, counters, times)],
        start_ns=START_NS + round(start_s * SECOND) + 1,
        run_s=run_s,
        exe=f"/opt/{program} in",
        job_id=number,
    )


def site(seed: int, factor: float, runs: int = 24, *, bins: bool = True) -> list[LoggedJob]:
    """Runs of `victim`; `bully` runs with half of them, and `calm` with another half.

    Args:
        seed: Of the noise, and of who meets whom.
        factor: How many times as long a call takes while `bully` runs.
        runs: Of the victim.
        bins: The logs have heat maps.
    """
    random = np.random.default_rng(seed)
    half = np.arange(runs) % 2 == 0
    slowed, calm = random.permutation(half), random.permutation(half)
    jobs = []
    for number in range(runs):
        start_s = number * _GAP_S
        call_s = 0.01 * random.lognormal(0, 0.08) * (factor if slowed[number] else 1.0)
        jobs.append(run_of("victim", number, start_s, 400, call_s, bins=bins))
        for which, program in ((slowed, "bully"), (calm, "calm")):
            # Neighbours that are not concurrent run in between: they also occur without the victim.
            shift = -0.2 if which[number] else 50.0
            call_s = 0.004 * random.lognormal(0, 0.05)
            jobs.append(run_of(program, number, start_s + shift, 3000, call_s, bins=bins))
    return jobs
