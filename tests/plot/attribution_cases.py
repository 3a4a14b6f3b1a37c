"""Hand-made answers of the identification and the matrix, for views and figures."""

from __future__ import annotations

import math

import numpy as np

from jostle.analysis.identification.model import (
    DisturbedSlice,
    Encounter,
    JobInterference,
    Matrix,
    Neighbour,
    Potential,
    ResourceLoss,
    Suspect,
)
from jostle.analysis.interval import Interval

SECOND = 1_000_000_000
BEGIN = 1_700_000_000 * SECOND
SCRATCH = "lustre:mds0@tcp:/scratch"
MIB = 1 << 20
SLICES = 300


def loss(*, evident: bool = True) -> ResourceLoss:
    """300 slices of 1 s: the job writes in 20 of 30 s, the others load it in 40 of 100 s."""
    rng = np.random.default_rng(7)
    at = np.arange(SLICES)
    active, loaded = at % 30 < 20, at % 100 < 40
    service = np.exp(0.08 * rng.standard_normal(SLICES)) * (1 + 0.9 * (loaded & evident))
    own = np.where(active, 40.0 * MIB / service, 0.0)
    others = np.where(loaded, 700.0 * MIB, 30.0 * MIB) * np.exp(0.1 * rng.standard_normal(SLICES))
    shown = [float(x) if on else math.nan for x, on in zip(service, active, strict=True)]
    return ResourceLoss(
        SCRATCH,
        "file system",
        Interval(31.5, 26.2, 37.0) if evident else Interval(0.4, 0.0, 2.1),
        200,
        150.0,
        1.88 if evident else 1.01,
        evident,
        2.3,
        "" if evident else "Its calls took as long under their load as without it (p = 0.61).",
        [BEGIN + int(k) * SECOND for k in at],
        SECOND,
        shown,
        own.tolist(),
        others.tolist(),
        "bytes",
    )


def disturbed() -> JobInterference:
    """A job that lost 31.5 s of 300 s, most of it to `dump-17`."""
    place = loss()
    marks = [
        DisturbedSlice(BEGIN + k * SECOND, SECOND, SCRATCH, 0.45, "dump-17")
        for k in range(SLICES)
        if k % 30 < 20 and k % 100 < 40
    ]
    idle = ResourceLoss(
        "node0012",
        "node",
        Interval(0.0, 0.0, 0.5),
        300,
        20.0,
        None,
        False,
        0.6,
        "Nobody else ran there.",
        [],
        SECOND,
        [],
        [],
        [],
        "ns",
    )
    return JobInterference(
        "solver-42",
        BEGIN,
        300.0,
        Interval(31.5, 26.2, 37.0),
        Interval(10.5, 8.7, 12.3),
        [place, idle],
        [
            Suspect(
                "dump-17",
                "/usr/bin/dump",
                60001,
                SCRATCH,
                0.82,
                Interval(25.8, 21.0, 30.4),
                80,
                0.81,
                0.0005,
                0.0015,
                0.0,
                "aggregate-write, 4 MiB writes",
            ),
            Suspect(
                "untar-9",
                "/usr/bin/tar",
                60002,
                SCRATCH,
                0.18,
                Interval(5.7, 2.2, 8.9),
                61,
                0.34,
                0.012,
                0.024,
                1.0,
                "open-write-close, files of 16 KiB",
            ),
        ],
        {
            "reader-3": "The job's calls were no slower when its load was higher (p = 0.48).",
            "solver-41": "Its load was only 0.3% of all load.",
        },
        marks,
        4,
        2.3,
        ["The clocks of two nodes differ by up to 3 ms."],
    )


def innocent() -> JobInterference:
    """The same job without evidence against anybody."""
    place = loss(evident=False)
    return JobInterference(
        "solver-42",
        BEGIN,
        300.0,
        Interval(0.0, 0.0, 2.3),
        Interval(0.0, 0.0, 0.8),
        [place],
        [],
        {"dump-17": "The job's calls were no slower when its load was higher (p = 0.61)."},
        [],
        1,
        2.3,
        [],
    )


def alongside() -> list[Neighbour]:
    """Three neighbours of it."""
    return [
        Neighbour(
            "dump-17",
            "/usr/bin/dump",
            60001,
            BEGIN - 50 * SECOND,
            BEGIN + 280 * SECOND,
            ["node0020"],
            [SCRATCH],
            280.0,
            {SCRATCH: "81.2 GiB written"},
        ),
        Neighbour(
            "a-job-with-a-long-name-9",
            "/usr/bin/tar",
            60002,
            BEGIN + 100 * SECOND,
            BEGIN + 160 * SECOND,
            ["node0021", "node0022"],
            [SCRATCH],
            60.0,
            {SCRATCH: "2.10 GiB written, 140 k files"},
        ),
        Neighbour(
            "reader-3",
            "/usr/bin/reader",
            60001,
            BEGIN + 250 * SECOND,
            0,
            ["node0012"],
            [SCRATCH, "node0012"],
            50.0,
            {SCRATCH: "1.10 GiB read", "node0012": "31 CPU s"},
        ),
    ]


def matrix() -> Matrix:
    """Six programs: dump slows three, the reader nobody; two never met."""
    names = ["solver", "analysis", "logger", "cfd", "dump", "reader"]
    harm = {"dump": (0.62, 0.35, 0.48, 0.12), "reader": (0.01, -0.02, 0.005, 0.0)}
    met = []
    for aggressor, sizes in harm.items():
        for victim, size in zip(names, sizes, strict=False):
            if (victim, aggressor) == ("cfd", "reader"):
                continue
            evident = size > 0.2
            met.append(
                Encounter(
                    victim,
                    aggressor,
                    "file system",
                    14,
                    22,
                    1 + size,
                    1.0,
                    Interval(size, size - 0.06, size + 0.07),
                    (0.31, 0.22),
                    0.4,
                    "ANOVA" if evident else "Kruskal-Wallis",
                    0.0004 if evident else 0.41,
                    0.002 if evident else 0.55,
                )
            )
    met.append(
        Encounter(
            "solver",
            "cfd",
            "network",
            2,
            30,
            1.2,
            1.0,
            Interval(0.2, -4.8, 6.4),
            (None, None),
            None,
            "",
            None,
            None,
        )
    )
    potentials = [
        Potential("solver", 36, 0.01, 0.31, [], ["dump"]),
        Potential("logger", 36, None, 0.24, [], ["dump"]),
        Potential("analysis", 36, 0.0, 0.16, [], ["dump"]),
        Potential("cfd", 32, 0.02, 0.06, [], []),
        Potential("dump", 18, 0.39, None, ["solver", "logger", "analysis"], []),
        Potential("reader", 20, 0.0, None, [], []),
    ]
    return Matrix(potentials, sorted(met, key=lambda each: each.q or 1.0), 178, [])
