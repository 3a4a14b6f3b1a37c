"""Plans the runs of a validation from a seed, so that an interrupted validation can resume."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from jostle_lab.validation.codes import Code, Disturber

Kind = Literal["clean", "inject"] | Disturber
#: Delays that are injected: sparse and long, medium, dense and short, heavy-tailed.
SHAPES = ("gauss:40ms,10ms", "gauss:8ms,2ms", "fixed:1ms", "pareto:4ms,1.6")
MEAN_MS = {"gauss:40ms,10ms": 40.0, "gauss:8ms,2ms": 8.0, "fixed:1ms": 1.0, "pareto:4ms,1.6": 10.7}
#: Least and greatest injected share of the interfered run; between them in equal ratios.
LEAST, MOST = 0.02, 0.42
#: Share of a rank's calls that are delayed at most: from there on delays become longer. What delays
#: most calls is no event, but the state of the machine.
MOST_STRUCK = 0.1
FEWEST_CLEAN = 4
_LEVELS = {"low": (1, 0.05), "medium": (3, 0.08), "high": (4, 0.16)}


@dataclass(frozen=True)
class ValidationStep:
    """One planned run of a validation.

    Attributes:
        code: Name of the run's program.
        number: Number of the run among those of its program, from 1.
        kind: Kind of the disturbance.
        strength: Injected delays: intended loss, as a share of the run time. Disturbers: share of
            the run in which the disturber is active.
        shape: Injected delays: distribution, in the syntax of `jostle inject`; else "".
        ranks: Injected delays: ranks that are delayed; "" for all.
        windows: Disturbers: start and length of each window, as shares of an undisturbed run.
        processes: Number of processes of the disturber.
        seed: Seed of the run's random parts.
        raw: Whether the run's segments are not coalesced, as the method of Shah's thesis needs
            them.
        calls: Sets of calls that can be delayed, in the syntax of `jostle inject`; "": the default
            sets. An undisturbed run counts these calls, and delays none.
        period_ms: Length of a period, ms. One window of each period, drawn at random, has delays,
            and `strength` is then a share of that window. If it is 0, delays occur at all times.
        window_ms: Length of a window, ms.
    """

    code: str
    number: int
    kind: Kind
    strength: float = 0.0
    shape: str = ""
    ranks: str = ""
    windows: tuple[tuple[float, float], ...] = ()
    processes: int = 0
    seed: int = 0
    raw: bool = False
    calls: str = ""
    period_ms: int = 0
    window_ms: int = 0

    @property
    def job(self) -> str:
        """Name of the run's job."""
        name = f"{self.code.replace('@', '-')}-{self.number:03d}-{self.kind}"
        return name + "-raw" * self.raw

    def to_json(self) -> dict[str, Any]:
        """Return the run as plain values."""
        return asdict(self)


def longer(shape: str, times: float) -> str:
    """Return a distribution of delays in which every delay is longer by a factor.

    Args:
        shape: Distribution, such as one of SHAPES.
        times: The factor.
    """
    return re.sub(r"([\d.]+)ms", lambda match: f"{float(match[1]) * times:.6g}ms", shape)


def steps(
    codes: Sequence[Code], *, injected: int, disturbed: int, clean: int, seed: int, raw: int = 0
) -> list[ValidationStep]:
    """Plan the runs: one of each program in turn, with their disturbances in random order.

    The first run of each program is undisturbed: it measures the program's run time and rate of
    calls.

    Args:
        codes: Programs of the validation.
        injected: Number of injected runs of each program.
        disturbed: Number of runs of each program with load on the CPUs, the memory or the disk.
        clean: Number of undisturbed runs of each program.
        seed: Seed of the order and of all random choices.
        raw: Number of further runs of each program with segments that are not coalesced: one
            undisturbed run, the others injected.

    Returns:
        The runs in the order in which they are made.
    """
    lists = [_of(code, injected, disturbed, clean, seed, raw) for code in codes]
    return [
        validation_steps[row]
        for row in range(max(map(len, lists), default=0))
        for validation_steps in lists
    ]


def _of(
    code: Code, injected: int, disturbed: int, clean: int, seed: int, raw: int
) -> list[ValidationStep]:
    dice = random.Random(f"{seed} {code.name}")
    plain = _injected(dice, code, injected)
    for number in range(disturbed):
        level = list(_LEVELS)[number % len(_LEVELS)]
        kind = code.alongside[number // 2 % len(code.alongside)]
        windows = _windows(dice, *_LEVELS[level])
        plain.append(
            {
                "kind": kind,
                "strength": round(sum(length for _, length in windows), 3),
                "windows": windows,
                "processes": 1 + number % 2,
            }
        )
    plain += [{"kind": "clean"} for _ in range(clean - 1)]
    if raw:
        few = _injected(dice, code, raw - 1)
        plain += [{**one, "raw": True} for one in ({"kind": "clean"}, *few)]
    dice.shuffle(plain)
    return [
        ValidationStep(code.name, number, seed=dice.getrandbits(31), **one)
        for number, one in enumerate([{"kind": "clean"}, *plain], 1)
    ]


def _injected(dice: random.Random, code: Code, count: int) -> list[dict[str, Any]]:
    """Plan runs with injected delays: on one rank in every third run, else on all ranks."""
    ratio = (MOST / LEAST) ** (1 / max(count - 1, 1))
    return [
        {
            "kind": "inject",
            "strength": round(LEAST * ratio**number, 4),
            "shape": SHAPES[number % len(SHAPES)],
            "ranks": str(dice.randrange(code.ranks)) if number % 3 == 2 else "",
        }
        for number in range(count)
    ]


def _windows(dice: random.Random, count: int, length: float) -> tuple[tuple[float, float], ...]:
    """Divide a run into equal parts, and draw the start of one window in each part."""
    part = 0.9 / count
    found = []
    for number in range(count):
        slack = max(part - length, 0.0)
        found.append((round(0.08 + number * part + dice.random() * slack, 4), length))
    return tuple(found)
