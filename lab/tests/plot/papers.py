"""Studies as the papers print them, as results for tests of the figures.

Numbers of thesis ch. 3 are from its text and table 3.2, those of Kuo et al. from their tables 1
to 3; values that the papers only draw are approximated, and so is the spread.
"""

from __future__ import annotations

import math
import statistics

from paper_cells import (
    ALONE,
    APPLICATIONS,
    AW,
    JITTER,
    LOSSES,
    MIB,
    OWC,
    WS,
    cell,
    result,
    standalone,
    summary,
    trace,
)

from jostle_lab.analysis.study.model import (
    Balance,
    BreakEven,
    Cell,
    Curve,
    Drop,
    Imprint,
    Kuo,
    KuoRow,
    Phases,
    Point,
    Prediction,
    Serialised,
    Setting,
    StudyNote,
    StudyResult,
    Trace,
)


def patterns(*, periodic: bool = False, shared: bool = False) -> StudyResult:
    """Fig. 3.5, 3.7 or 3.9: three patterns in pairs at three chunk sizes, 256 processes each."""
    cells, alone, traces = [], [], []
    weaker = 0.6 if periodic else 1.0
    settings = [Setting(size * MIB, (256, 256), shared, periodic) for size in (1, 16, 256)]
    for setting in settings:
        size = (setting.chunk or 0) // MIB
        for (probe, signal), losses in LOSSES.items():
            other = LOSSES[signal, probe][size] * weaker
            broken = {probe, signal} == {WS, OWC} and size == 16
            made = cell(
                probe,
                signal,
                setting,
                losses[size] * weaker,
                other,
                discarded=1 if AW in (probe, signal) and size == 1 else 0,
                failed=5 if broken and shared else 0,
            )
            cells.append(made)
            loss = losses[size] * weaker
            traces.append(
                trace(probe, signal, setting, loss=loss, period_s=6.0 if periodic else 0.0)
            )
        own = Setting(setting.chunk, (256, 0), shared)
        alone += [standalone(program, own, rate) for program, rate in ALONE.items()]
    return result(
        study="write-patterns",
        runs=18 * 5,
        planned=18 * 5,
        programs=list(ALONE),
        settings=settings,
        standalone=alone,
        cells=cells,
        traces=traces,
        serialised=[
            Serialised(
                OWC,
                OWC,
                settings[1],
                "one first",
                ["r0-p001", "r2-p001"],
                "open-write-close went first, then open-write-close, in 2 of 5 runs",
            )
        ],
        imprints=[imprint(t) for t in traces[:9]] if periodic else [],
        notes=[StudyNote("clock", "one host, one clock: slices agree to the microsecond", [])],
    )


def imprint(shown: Trace) -> Imprint:
    """The drops of a trace."""
    drops = [
        Drop(
            shown.start_ns + round(a * 1e9),
            shown.start_ns + round(b * 1e9),
            1e9,
            2e9,
            0.5 + 0.01 * i,
            0.001,
            seen=i != 3,
        )
        for i, (a, b) in enumerate(shown.bursts)
    ]
    seen = sum(drop.seen for drop in drops)
    return Imprint(
        shown.probe,
        shown.signal,
        shown.setting,
        shown.run,
        6.0,
        "log",
        drops,
        seen,
        len(drops),
        seen / len(drops),
        0.3,
        0.97,
        summary([0.5, 0.51, 0.52, 0.53]),
        0.02,
        "Mann-Whitney",
    )


def chunk_sizes() -> StudyResult:
    """Fig. 3.6 (b): degradation over chunk sizes on Lustre, with the break-even points."""
    sizes = [1 << k for k in range(9)]
    setting = Setting(MIB, (256, 256))
    lines = {
        (OWC, AW): [0.66, 0.64, 0.62, 0.60, 0.57, 0.55, 0.52, 0.50, 0.49],
        (AW, OWC): [0.10, 0.14, 0.19, 0.24, 0.30, 0.36, 0.41, 0.45, 0.49],
        (WS, AW): [0.68, 0.65, 0.61, 0.56, 0.50, 0.46, 0.43, 0.40, 0.38],
        (AW, WS): [0.12, 0.22, 0.33, 0.42, 0.50, 0.54, 0.57, 0.60, 0.62],
    }
    curves, cells = [], []
    for (probe, signal), losses in lines.items():
        points = []
        for size, loss, other in zip(sizes, losses, lines[signal, probe], strict=True):
            made = cell(probe, signal, Setting(size * MIB, (256, 256)), loss, other)
            cells.append(made)
            points.append(Point(size * MIB, made.degradation, made.degradation_best))
        curves.append(Curve("chunk", probe, signal, setting, points))
    return result(
        study="chunk-size",
        runs=90,
        programs=[OWC, WS, AW],
        cells=cells,
        curves=curves,
        settings=[Setting(size * MIB, (256, 256)) for size in sizes],
        break_even=[
            BreakEven(OWC, AW, setting, 256.0 * MIB, "equal at 256 MiB"),
            BreakEven(WS, AW, setting, 16.0 * MIB, "equal at 16 MiB, above it AW loses more"),
        ],
    )


def process_count() -> StudyResult:
    """Fig. 3.8 (a): open-write-close of 256 processes against 64, 128, 256 of aggregate-write."""
    counts, sizes = (64, 128, 256), (0.75, 0.82, 0.88)
    back = (0.32, 0.22, 0.12)
    cells = []
    for count, loss, other in zip(counts, sizes, back, strict=True):
        cells.append(cell(OWC, AW, Setting(MIB, (256, count)), loss, other))
        cells.append(cell(AW, OWC, Setting(MIB, (count, 256)), other, loss))
    points = [
        [
            Point(count, made.degradation, made.degradation_best)
            for count, made in zip(counts, cells[first::2], strict=True)
        ]
        for first in (0, 1)
    ]
    return result(
        study="process-count",
        runs=15,
        programs=[OWC, AW],
        cells=cells,
        settings=[made.setting for made in cells],
        curves=[
            Curve("signal processes", OWC, AW, cells[0].setting, points[0]),
            Curve("processes", AW, OWC, cells[1].setting, points[1]),
        ],
    )


#: Kuo table 3: (p, q) -> overall P, Q; overlap P, Q in MiB/s, of both modes.
TABLE_3 = {
    False: {
        (1, 12): (47.3, 51.8, 45.0, 52.5),
        (1, 36): (46.8, 74.8, 23.6, 77.0),
        (1, 60): (46.8, 82.0, 16.6, 87.1),
        (12, 36): (48.3, 69.2, 24.7, 71.6),
        (12, 60): (50.4, 78.8, 19.0, 83.1),
        (36, 60): (51.5, 59.9, 41.4, 64.9),
    },
    True: {
        (1, 12): (49.1, 45.1, 49.6, 43.1),
        (1, 36): (43.3, 51.5, 33.8, 54.7),
        (1, 60): (37.9, 45.6, 25.5, 50.6),
        (12, 36): (38.3, 50.8, 24.0, 54.4),
        (12, 60): (35.3, 47.8, 16.1, 53.7),
        (36, 60): (23.9, 23.7, 24.4, 33.3),
    },
}
#: Kuo tables 1 and 2 on disk, MiB/s.
TABLE_1 = {
    False: {1: 82.6, 12: 95.5, 36: 95.0, 60: 93.5},
    True: {1: 83.8, 12: 78.5, 36: 73.8, 60: 55.4},
}
VOLUME = 16_000


def _nodes(processes: int) -> int:
    return -(-processes // 12)


def _prediction(
    by: str, pair: tuple[int, int], alone: tuple[float, float], seen: tuple[float, float]
) -> Prediction:
    small, large = pair if by == "process" else (_nodes(pair[0]), _nodes(pair[1]))
    whole = small + large
    large_s, small_s = alone[1] * whole / large, alone[0] + alone[1]
    back_l = seen[1] * large / whole
    back_s = seen[0] - back_l
    return Prediction(
        by,
        large_s,
        small_s,
        large_s / seen[1] - 1,
        small_s / seen[0] - 1,
        back_l,
        back_s,
        back_l / alone[1] - 1,
        back_s / alone[0] - 1,
    )


#: The same on a disk in memory.
TABLE_1_RAM = {
    False: {1: 93.7, 12: 98.0, 36: 100.4, 60: 103.3},
    True: {1: 93.7, 12: 93.7, 36: 93.6, 60: 95.1},
}


def kuo_alone() -> StudyResult:
    """Kuo et al., tables 1 and 2: one writer by itself, with private files and a shared one."""
    alone = [
        standalone(
            "writer",
            Setting(16 * MIB, (size, 0), shared, more=(("store", store),)),
            rate * MIB,
            seconds=VOLUME / rate,
            nodes=_nodes(size),
        )
        for store, table in (("disk", TABLE_1), ("ram", TABLE_1_RAM))
        for shared, rates in table.items()
        for size, rate in rates.items()
    ]
    return result(study="standalone", runs=80, programs=["writer"], standalone=alone)


def servers() -> StudyResult:
    """Thesis fig. 3.3 and 3.4: six processes on three servers, as hashed, and two on each."""
    found = []
    for store, times in (("by-name", [2.1, 2.0, 6.2, 6.1, 6.0, 4.1]), ("by-node", [4.0, 4.2] * 3)):
        received = [[8e6 + place * 1e6] * 20 + [0.0] * (20 - 8 * place) for place in range(3)]
        spread = statistics.pstdev(times) / statistics.mean(times)
        found.append(
            Balance(
                "writer",
                Setting(MIB, (6, 0), False, more=(("store", store),)),
                [times] * 3,
                times,
                summary([spread] * 3),
                ["storage", "storage2", "storage3"],
                [0.1 * step for step in range(1, 25)],
                [(row + [0.0] * 24)[:24] for row in received],
            )
        )
    return result(study="servers", runs=6, programs=["writer"], balances=found)


def kuo() -> StudyResult:
    """Kuo et al.: unequal sizes of one writer, private and shared files."""
    rows, alone, cells, traces = [], [], [], []
    for shared, pairs in TABLE_3.items():
        rates = TABLE_1[shared]
        for size, rate in rates.items():
            alone.append(
                standalone(
                    "writer",
                    Setting(16 * MIB, (size, 0), shared),
                    rate * MIB,
                    seconds=VOLUME / rate,
                    nodes=_nodes(size),
                )
            )
            setting = Setting(16 * MIB, (size, size), shared)
            loss = 0.65 if shared and size == 60 else 0.48
            made = cell("writer", "writer", setting, loss, loss)
            cells.append(_timed(made, rate * MIB, VOLUME / rate, loss))
        for (p, q), (over_p, over_q, own, other) in pairs.items():
            setting = Setting(16 * MIB, (p, q), shared)
            seen = (VOLUME / over_p, VOLUME / over_q)
            by_itself = (VOLUME / rates[p], VOLUME / rates[q])
            rows.append(
                KuoRow(
                    small="writer",
                    large="writer",
                    setting=setting,
                    nodes=(_nodes(p), _nodes(q)),
                    overall=(over_p * MIB, over_q * MIB),
                    overall_ratio=over_q / over_p,
                    overlap=(own * MIB, other * MIB),
                    overlap_ratio=other / own,
                    expected_ratio=q / p,
                    small_s=summary([seen[0] * (1 + j) for j in JITTER]),
                    large_s=summary([seen[1] * (1 + j) for j in JITTER]),
                    small_alone_s=summary([by_itself[0]]),
                    large_alone_s=summary([by_itself[1]]),
                    predictions=[
                        _prediction(by, (p, q), by_itself, seen) for by in ("process", "node")
                    ],
                    equal_volume=True,
                    full_overlap=True,
                    saturated=not shared,
                    same_pattern=True,
                    holds=not shared,
                    why_not=["the disk behind the link was the limit"] if shared else [],
                    same_nodes=False,
                    shares=[other / (own + other) + j for j in JITTER],
                    spread=0.20 if shared else 0.06,
                    runs=5,
                    phases=Phases(
                        "r1-p010", own * MIB, rates[p] * MIB, rates[p] * MIB, seen[1], seen[0]
                    ),
                )
            )
            if (p, q) == (12, 60):
                traces.append(_two_phases(setting, own, other, rates[p], seen))
            cells.append(
                cell("writer", "writer", setting, 1 - own / rates[p], 1 - other / rates[q])
            )
            turned = setting.turned()
            cells.append(cell("writer", "writer", turned, 1 - other / rates[q], 1 - own / rates[p]))
    return result(
        study="unequal-sizes",
        slice_ns=4_000_000_000,
        runs=100,
        planned=100,
        programs=["writer"],
        settings=[made.setting for made in cells],
        standalone=alone,
        cells=cells,
        traces=traces,
        kuo=Kuo(rows, 0.082, 0.061, "node", 22),
    )


def _timed(made: Cell, rate: float, seconds: float, loss: float) -> Cell:
    """Give a cell's sides the rates and times of Kuo's standalone runs."""
    from dataclasses import replace

    repetitions = []
    for repetition, jitter in zip(made.repetitions, JITTER, strict=True):
        slower = 1 - loss + jitter
        sides = [
            replace(one, isolated=rate, overall=rate * slower, seconds=seconds / slower)
            for one in (repetition.probe, repetition.signal)
            if one
        ]
        repetitions.append(replace(repetition, probe=sides[0], signal=sides[1]))
    return replace(made, repetitions=repetitions)


def _two_phases(
    setting: Setting, own: float, other: float, alone: float, seen: tuple[float, float]
) -> Trace:
    """Fig. 5: the larger one in the middle of the smaller one's run."""
    slices, done = math.ceil(seen[0] / 4), math.ceil(seen[1] / 4)
    small, large = [], []
    for number in range(slices):
        wave = 1 + (0.12 if number < done else 0.03) * math.sin(number * 2.1)
        small.append((own if number < done else alone) * MIB * wave)
        large.append(other * MIB * wave if number < done else 0.0)
    return Trace(
        "writer",
        "writer",
        setting,
        "r1-p010",
        "bytes",
        "bytes",
        1_700_000_000 * 10**9,
        4_000_000_000,
        small,
        large,
        [alone * MIB] * round(VOLUME / alone / 4),
        0,
        (0, done - 3),
        (0, done - 2),
        [],
    )


def applications() -> StudyResult:
    """Fig. 3.10 to 3.14: applications against patterns, and against each other."""
    apps = tuple(APPLICATIONS)
    losses = {
        ("OpenFOAM", OWC): 0.80,
        ("OpenFOAM", WS): 0.50,
        ("OpenFOAM", AW): 0.92,
        ("MADbench2", OWC): -0.06,
        ("MADbench2", WS): 0.40,
        ("MADbench2", AW): 0.80,
        ("HACC-IO", OWC): 0.09,
        ("HACC-IO", WS): 0.50,
        ("HACC-IO", AW): 0.52,
        ("OpenFOAM", "OpenFOAM"): 0.45,
        ("OpenFOAM", "MADbench2"): 0.82,
        ("OpenFOAM", "HACC-IO"): 0.93,
        ("MADbench2", "OpenFOAM"): 0.12,
        ("MADbench2", "MADbench2"): 0.44,
        ("MADbench2", "HACC-IO"): 0.63,
        ("HACC-IO", "OpenFOAM"): 0.06,
        ("HACC-IO", "MADbench2"): 0.11,
        ("HACC-IO", "HACC-IO"): 0.52,
    }
    setting = Setting(None, (256, 256))
    cells = [
        cell(
            probe,
            signal,
            setting,
            loss,
            losses.get((signal, probe), 0.3),
            metric="closes" if probe == "OpenFOAM" else "bytes",
            failed=5 if (probe, signal) == ("HACC-IO", WS) else 0,
        )
        for (probe, signal), loss in losses.items()
    ]
    alone = [
        standalone(
            app,
            Setting(None, (256, 0)),
            APPLICATIONS[app],
            metric="closes" if app == "OpenFOAM" else "bytes",
        )
        for app in apps
    ]
    return result(
        study="applications",
        runs=99,
        planned=120,
        programs=[*apps, OWC, WS, AW],
        settings=[setting],
        standalone=alone,
        cells=cells,
        notes=[
            StudyNote("failed", "HACC-IO failed alongside write-seek in all 5 runs", ["r0-p001"])
        ],
    )
