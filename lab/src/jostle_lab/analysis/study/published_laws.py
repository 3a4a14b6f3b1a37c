"""Checks whether published laws of interference hold in a study."""

from __future__ import annotations

from collections.abc import Sequence

from jostle_lab.analysis.study.imprint import probability
from jostle_lab.analysis.study.intervals import (
    NOTHING,
    known,
    median,
    median_interval,
    pooled_loss,
    summary,
)
from jostle_lab.analysis.study.model import Cell, Imprint, KuoRow, Law, Repetition, StudyResult
from jostle_lab.analysis.study.setting import Summary, size_label

#: Expected values with tolerances: equal writers lose half; four against one get four fifths.
HALF, HALF_WITHIN = 0.5, 0.03
FOUR, FOUR_WITHIN = 4, 0.05
MODEL_WITHIN = 0.10


def laws(result: StudyResult) -> list[Law]:
    """Return the laws of the papers that a study can test, with 95 % intervals.

    Args:
        result: Results of the study.

    Returns:
        The laws for which the study has runs: two equal writers lose half each; processes on one
        mount get equal shares; Kuo's model predicts concurrent run times; a periodic signal shows
        in every period; how likely a burst hits the other half of an MPI job; small chunks suffer
        from large writes.
    """
    stated = [
        _equal_writers(result),
        _shares(result),
        _model(result),
        _imprints(result),
        _hits(result),
        _small_chunks(result),
    ]
    return [law for law in stated if law is not None]


def _rows(result: StudyResult) -> Sequence[KuoRow]:
    """Return the pairs with a file per process; if there are none, those with one shared file.

    With one shared file processes also contend for the file, which the laws do not cover (Kuo et
    al., 2013, section 4.2, report a spread of 20 % there, and of 6 % otherwise).
    """
    rows = result.kuo.rows if result.kuo else []
    return [row for row in rows if not row.setting.shared] or rows


def _shared_left_out(result: StudyResult) -> str:
    some = result.kuo is not None and len(_rows(result)) < len(result.kuo.rows)
    return " Pairs in one shared file are left out." if some else ""


def _verdict(estimate: Summary, least: float, most: float) -> bool | None:
    """Return True if the interval lies in a range, False if outside of it, else None."""
    return _inside(estimate.low, estimate.high, least, most)


def _inside(low: float | None, high: float | None, least: float, most: float) -> bool | None:
    if low is None or high is None:
        return None
    if least <= low and high <= most:
        return True
    return False if high < least or low > most else None


def _equal_writers(result: StudyResult) -> Law | None:
    equal = {
        (row.small, row.setting): row.saturated
        for row in _rows(result)
        if row.small == row.large and row.expected_ratio == 1
    }
    cells = [
        cell
        for cell in result.cells
        if cell.probe == cell.signal
        and cell.metric == "bytes"
        and equal.get((cell.probe, cell.setting))
    ]
    pooled = pooled_loss([(_alone(result, cell), _each(cell)) for cell in cells])
    if pooled.mean is None:
        return None
    runs = sum(len(_kept(cell)) for cell in cells)
    inside = _verdict(pooled, HALF - HALF_WITHIN, HALF + HALF_WITHIN)
    worst = max(cells, key=_off_half)
    slack = [
        name if setting.chunk is None else f"{name} ({size_label(setting.chunk)})"
        for (name, setting), saturated in equal.items()
        if saturated is False
    ]
    why = (
        f"Largest deviation: {worst.probe}, {worst.setting.label}: "
        f"{_percent(1 - (median(_each(worst)) or 0.0))}."
    )
    if slack:
        why += f" Left out, as the link is not their limit: {', '.join(dict.fromkeys(slack))}."
    return Law(
        "equal writers",
        f"Two equal writers on the saturated link lose {_percent(pooled.mean)} each"
        f"{_range(pooled.low, pooled.high)}: "
        f"{_count(runs, 'run')} in {_count(len(cells), 'cell')}.",
        pooled.mean,
        pooled.low,
        pooled.high,
        runs,
        "50 % ± 3 points each",
        inside,
        why + _shared_left_out(result),
    )


def _each(cell: Cell) -> list[float]:
    """Return for each valid run the mean of both programs' rates, relative to standalone rates."""
    means = []
    for repetition in _kept(cell):
        sides = [side for side in (repetition.probe, repetition.signal) if side is not None]
        rates = known(
            [
                side.interfered / side.isolated
                for side in sides
                if side.isolated and side.interfered is not None
            ]
        )
        means += [sum(rates) / len(rates)] if rates else []
    return means


def _alone(result: StudyResult, cell: Cell) -> list[float]:
    """Return the standalone rates of a cell's probe, relative to their median."""
    for standalone in result.standalone:
        same = standalone.program == cell.probe and standalone.setting.is_alone_of(cell.setting)
        if same and standalone.rate.median:
            kept = [
                rate
                for rate, out in zip(standalone.rates, standalone.outlier, strict=True)
                if not out
            ]
            return [rate / standalone.rate.median for rate in kept]
    return [1.0]


def _off_half(cell: Cell) -> float:
    return max((abs(1 - value - HALF) for value in _each(cell)), default=0.0)


def _kept(cell: Cell) -> list[Repetition]:
    return [repetition for repetition in cell.repetitions if repetition.verdict == "kept"]


def _shares(result: StudyResult) -> Law | None:
    rows = [row for row in _rows(result) if row.expected_ratio == FOUR and row.same_pattern]
    one_mount = [row for row in rows if row.same_nodes]
    shares = [share for row in one_mount for share in row.shares]
    if not shares:
        return None
    shared = summary(shares)
    goal = FOUR / (FOUR + 1)
    inside = _verdict(shared, goal - FOUR_WITHIN, goal + FOUR_WITHIN)
    spreads = median([row.spread for row in one_mount])
    why = f"Bytes written per process differ by {_percent(spreads)} (deviation over mean)."
    apart = [share for row in rows if not row.same_nodes for share in row.shares]
    if apart:
        why += f" On separate mounts the larger program got {_percent(median(apart))}."
    return Law(
        "share by processes",
        f"Four processes against one on one mount get {_percent(shared.mean)} of the bandwidth"
        f"{_range(shared.low, shared.high)}.",
        shared.mean,
        shared.low,
        shared.high,
        shared.n,
        "0.8 ± 0.05",
        inside,
        why + _shared_left_out(result),
    )


def _model(result: StudyResult) -> Law | None:
    kuo = result.kuo
    if kuo is None or kuo.error_process is None:
        return None
    # On one mount programs share by process, on separate mounts by node; each row has its rule.
    errors: list[float] = []
    others: dict[str, list[float]] = {"process": [], "node": []}
    for row in _rows(result):
        if row.holds and row.setting.processes[0] != row.setting.processes[1]:
            for prediction in row.predictions:
                missed = [abs(prediction.large_error), abs(prediction.small_error)]
                others[prediction.by] += missed
                errors += missed if prediction.by == _rule(row) else []
    value = median(errors)
    low, high = median_interval(errors)
    why = ""
    if others["node"]:
        why = f"With shares by process the error is {_percent(median(others['process']))}"
        why += f", with shares by node {_percent(median(others['node']))}."
    unequal = [row for row in _rows(result) if row.setting.processes[0] != row.setting.processes[1]]
    doubts = [
        f"{row.small}, {row.setting.label}: {row.why_not[0]}" for row in unequal if not row.holds
    ]
    if doubts:
        why += f" Left out {len(doubts)}: {doubts[0]}" + (" ..." if len(doubts) > 1 else ".")
    return Law(
        "Kuo's model",
        f"Kuo's model misses the concurrent run times of unequal pairs by {_percent(value)} in the "
        f"median{_range(low, high)}, {len(errors)} run times.",
        value,
        low,
        high,
        len(errors),
        "median relative error under 10 %",
        _inside(low, high, 0.0, MODEL_WITHIN),
        (why + _shared_left_out(result)).strip(),
    )


def _rule(row: KuoRow) -> str:
    return "process" if row.same_nodes or len(row.predictions) < 2 else "node"


def _imprints(result: StudyResult) -> Law | None:
    imprints = [imprint for imprint in result.imprints if not _is_split(imprint)]
    seen, total = (
        sum(imprint.seen for imprint in imprints),
        sum(imprint.total for imprint in imprints),
    )
    if not total:
        return None
    value, low, high = probability(seen, total)
    why = _dents_in_words(imprints)
    missed = sorted(
        (imprint for imprint in imprints if imprint.seen < imprint.total),
        key=lambda imprint: imprint.total - imprint.seen,
    )
    for imprint in reversed(missed[-3:]):
        depth = median([drop.depth for drop in imprint.drops])
        why += (
            f" {imprint.probe} alongside {imprint.signal} "
            f"({imprint.setting.label}): {imprint.seen} of {imprint.total}"
        )
        why += f", drops of {_percent(depth)}."
    return Law(
        "imprint",
        f"The periodic signal shows in {seen} of {total} periods{_range(low, high)}.",
        value,
        low,
        high,
        total,
        "seen in every period",
        seen == total,
        why,
    )


def _hits(result: StudyResult) -> Law | None:
    """Return the probability that noise of half of the ranks hits the rest (Shah et al., 2013)."""
    imprints = [imprint for imprint in result.imprints if _is_split(imprint)]
    seen, total = (
        sum(imprint.seen for imprint in imprints),
        sum(imprint.total for imprint in imprints),
    )
    if not total:
        return None
    value, low, high = probability(seen, total)
    return Law(
        "burst hits",
        f"A burst of one half of the ranks hits the other with probability {_percent(value)}"
        f"{_range(low, high)}, {total} bursts.",
        value,
        low,
        high,
        total,
        "40 to 50 % on the papers' machine, none with collectives only",
        None,
        _dents_in_words(imprints),
    )


def _is_split(imprint: Imprint) -> bool:
    return imprint.setting.processes[1] == 0


def _dents_in_words(imprints: Sequence[Imprint]) -> str:
    depth = median([drop.depth for imprint in imprints for drop in imprint.drops])
    false_rate = median([imprint.false_rate for imprint in imprints])
    why = f"Median depth of the drops {_percent(depth)}."
    if false_rate is not None:
        why += f" Without a signal the same test reports a drop in {_percent(false_rate)} of the"
        why += " periods."
    return why


def _small_chunks(result: StudyResult) -> Law | None:
    patterns = {standalone.program: standalone.pattern for standalone in result.standalone}
    pairs = [
        cell
        for cell in result.cells
        if (patterns.get(cell.probe), patterns.get(cell.signal))
        == ("open-write-close", "aggregate-write")
        and not cell.setting.periodic
        and cell.setting.chunk is not None
        and cell.setting.processes[0] == cell.setting.processes[1]
        and cell.degradation.n
    ]
    if not pairs:
        return None
    cell = min(pairs, key=lambda pair: (pair.setting.shared, pair.setting.chunk or 0))
    gap = _gap(cell)
    size = size_label(cell.setting.chunk or 0)
    return Law(
        "small chunks",
        f"At {size}, {cell.probe} loses {_percent(cell.degradation.median)} alongside "
        f"{cell.signal}, "
        f"which loses {_percent(cell.signal_degradation.median)}: "
        f"{_points(gap.mean)} points{_range(gap.low, gap.high)}.",
        gap.mean,
        gap.low,
        gap.high,
        gap.n,
        "open-write-close loses more than aggregate-write",
        _verdict(gap, 0.0, 1.0),
        _why_small(cell),
    )


def _gap(cell: Cell) -> Summary:
    """Return by how much more the probe loses than the signal.

    What one program gains, the other loses, so their errors may add up: the half-widths are added.
    """
    own, other = cell.degradation, cell.signal_degradation
    if own.mean is None or other.mean is None:
        return NOTHING
    gap = own.mean - other.mean
    ends = (own.low, own.high, other.low, other.high)
    if any(end is None for end in ends):
        return Summary(own.n, gap, gap, gap, gap, None, None)
    half = ((own.high or 0) - (own.low or 0) + (other.high or 0) - (other.low or 0)) / 2
    return Summary(own.n, gap, gap, gap, gap, gap - half, gap + half)


def _why_small(cell: Cell) -> str:
    """Explain the losses by the time that one call takes, alone and with the other program."""
    sentences = []
    for name, sides in (
        (cell.probe, [repetition.probe for repetition in _kept(cell)]),
        (cell.signal, [repetition.signal for repetition in _kept(cell)]),
    ):
        alone = median([side.service_alone_ns if side else None for side in sides])
        alongside = median([side.service_ns if side else None for side in sides])
        if alone and alongside:
            sentences.append(
                f"a call of {name} takes {alone / 1e6:.3g} ms alone and {alongside / 1e6:.3g} ms "
                f"together ({alongside / alone:.1f} times)"
            )
    return (
        f"According to the slices, {' and '.join(sentences)}."
        if sentences
        else "Service times are not known."
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _percent(value: float | None) -> str:
    return "?" if value is None else f"{value * 100:.1f} %"


def _points(value: float | None) -> str:
    return "?" if value is None else f"{value * 100:+.1f}"


def _range(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return ""
    return f" (95 % interval {low * 100:.1f} to {high * 100:.1f})"
