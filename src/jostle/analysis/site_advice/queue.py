"""Computes when jobs start if they wait for licences or cores, first come, first served."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Request:
    """A job that waits for licences or cores.

    Attributes:
        job: Name of the job.
        at_s: When the job arrives, s since the epoch.
        run_s: Run time of the job once it has started, in seconds.
        needs: How much of each resource the job needs. A need above the capacity counts as the
            whole capacity.
    """

    job: str
    at_s: float
    run_s: float
    needs: Mapping[str, float]


def start_times(requests: Iterable[Request], capacity: Mapping[str, float]) -> dict[str, float]:
    """Return when each job starts, s since the epoch.

    A job starts as soon as enough of each resource that it needs is free. It does not overtake a
    job that came earlier and waits for one of the same resources, so no job waits forever.

    Args:
        requests: The jobs, in any order.
        capacity: Available amount of each resource. Resources that are not named are unlimited.
    """
    free = dict(capacity)
    running: list[tuple[float, int, dict[str, float]]] = []
    waiting: list[tuple[Request, dict[str, float]]] = []
    found: dict[str, float] = {}

    def start_waiting(now_s: float) -> None:
        taken: set[str] = set()
        left = []
        for request, needs in waiting:
            if needs.keys() & taken or any(free[name] < much for name, much in needs.items()):
                taken |= needs.keys()
                left.append((request, needs))
                continue
            for name, much in needs.items():
                free[name] -= much
            found[request.job] = now_s
            heapq.heappush(running, (now_s + request.run_s, len(found), needs))
        waiting[:] = left

    def end_until(now_s: float) -> None:
        while running and running[0][0] <= now_s:
            end_s, _, needs = heapq.heappop(running)
            for name, much in needs.items():
                free[name] += much
            start_waiting(end_s)

    for request in sorted(requests, key=lambda each: (each.at_s, each.job)):
        end_until(request.at_s)
        needs = {
            name: min(much, capacity[name])
            for name, much in request.needs.items()
            if name in capacity
        }
        waiting.append((request, needs))
        start_waiting(request.at_s)
    end_until(float("inf"))
    return found
