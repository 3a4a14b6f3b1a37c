"""Formats and groups the results of a study, for the terminal and the figures.

Degradation and dilation are different numbers: every text here names which one it is about.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from jostle.analysis import LEAST_RUNS
from jostle.plot.charts import share_label, slug, tied
from jostle.report.format.values import byte_count, count, duration
from jostle.report.format.values import rate as said_rate
from jostle_lab.analysis.study.model import Cell, Setting, StudyResult, Summary, size_label

PATTERNS = (
    "open-write-close",
    "write-seek",
    "aggregate-write",
    "read",
    "write-seek-read",
    "ping",
    "all-to-all",
    "incast",
    "memory",
    "cache",
    "cpu",
    "metadata",
    "create-files",
    "stat-files",
    "list-folder",
    "unlink-files",
    "lock-file",
)
#: Metrics that are bytes, and the text behind the figure.
_BYTES = {"bytes": "", "read_bytes": " read", "message_bytes": " sent"}
#: What each number means, for small print.
DEGRADATION = "degradation = (alone − with the signal) / alone, of the probe's throughput"
DILATION = "dilation = run time with the signal / run time alone − 1"


def rate_label(rate: float | None, metric: str) -> str:
    """Return a rate in the format of its metric; `-` if unknown."""
    if rate is None or not math.isfinite(rate):
        return "-"
    if metric in _BYTES:
        return f"{byte_count(rate)}/s{_BYTES[metric]}"
    return said_rate(rate, metric)


def metric_label(metric: str) -> str:
    """Return the name of the unit in which progress is counted."""
    return "CPU s" if metric == "cpu_ns" else metric


def seconds_label(seconds: float | None) -> str:
    """Return seconds as a span of time; `-` if unknown."""
    if seconds is None or not math.isfinite(seconds):
        return "-"
    return duration(seconds * 1e9)


def signed_label(share: float | None) -> str:
    """Return a relative error with its sign: `+6.7 %`."""
    if share is None or not math.isfinite(share):
        return "-"
    return f"{100 * share:+.1f} %"


def significant_signed(value: float) -> str:
    """Return a number with two or three digits: `43`, `8.1`, `-6.4`."""
    return f"{value:.0f}" if abs(value) >= 9.95 else f"{value:.1f}"


def interval_label(summary: Summary, *, scale: float = 100.0, unit: str = " %") -> str:
    """Return the 95 % interval of a mean: `39 to 47 %`; `-` where there is none."""
    if summary.low is None or summary.high is None:
        return "-"
    low, high = significant_signed(scale * summary.low), significant_signed(scale * summary.high)
    return f"{low} to {high}{unit}"


def processes_label(number: int) -> str:
    """Return a number of processes in words."""
    return f"{count(number)} process" + ("" if number == 1 else "es")


def patterns(result: StudyResult) -> set[str]:
    """Return the programs that are patterns of `jostle signal` rather than applications."""
    patterned = {alone.program: bool(alone.pattern) for alone in result.standalone}
    return {name for name in result.programs if patterned.get(name, name in PATTERNS)}


@dataclass(frozen=True)
class Group:
    """The cells of one matrix: they differ only in programs, process counts and chunk sizes.

    Attributes:
        shared: Whether processes use one shared file.
        periodic: Whether the signals are periodic.
        more: Further axes of the study that are the same in all of its cells.
        cells: Cells of the group, at least one, in the order of the study.
        sized: Whether programs run with several process counts, which labels must then name.
        programs: All programs of the study, in the order of labels.
    """

    shared: bool
    periodic: bool
    more: tuple[tuple[str, str], ...]
    cells: tuple[Cell, ...]
    sized: bool
    programs: tuple[str, ...]

    @property
    def words(self) -> list[str]:
        """Description of the settings that distinguish this group."""
        words = [f"{name} {value}" for name, value in self.more]
        words += ["shared file"] if self.shared else []
        return words + (["periodic signal"] if self.periodic else [])

    @property
    def suffix(self) -> str:
        """Suffix of the names of this group's figure files; other groups have other suffixes."""
        return "".join(f"-{slug(word)}" for word in self.words)

    @property
    def chunks(self) -> list[int | None]:
        """Chunk sizes, ascending; [None] if the study has no chunk sizes."""
        sizes = {cell.setting.chunk for cell in self.cells}
        return sorted(sizes, key=lambda chunk: -1 if chunk is None else chunk)

    def probe_label(self, cell: Cell) -> str:
        """Name the probe, with its processes where they vary."""
        return self._label(cell.probe, cell.setting.processes[0])

    def signal_label(self, cell: Cell) -> str:
        """Name the signal, with its processes where they vary."""
        return self._label(cell.signal, cell.setting.processes[1])

    def _label(self, program: str, processes: int) -> str:
        return f"{program} ×{processes}" if self.sized else program

    @property
    def probes(self) -> list[str]:
        """Labels of the probes, in the order of the study, fewer processes first."""
        return self._ordered(
            (cell.probe, cell.setting.processes[0], self.probe_label(cell)) for cell in self.cells
        )

    @property
    def signals(self) -> list[str]:
        """Labels of the signals, in the order of the study, fewer processes first."""
        return self._ordered(
            (cell.signal, cell.setting.processes[1], self.signal_label(cell)) for cell in self.cells
        )

    def _ordered(self, entities: Iterable[tuple[str, int, str]]) -> list[str]:
        rank = {name: number for number, name in enumerate(self.programs)}
        ranked = sorted(set(entities), key=lambda one: (rank.get(one[0], len(rank)), *one))
        return list(dict.fromkeys(label for _, _, label in ranked))

    def find(self, probe: str, signal: str, chunk: int | None) -> Cell | None:
        """Return the cell of a probe's and a signal's label at a chunk size."""
        for cell in self.cells:
            if (
                cell.setting.chunk == chunk
                and self.probe_label(cell) == probe
                and self.signal_label(cell) == signal
            ):
                return cell
        return None


def groups(cells: Sequence[Cell], programs: Sequence[str]) -> list[Group]:
    """Sort cells into matrices: one per sharing, periodicity and further axes.

    Args:
        cells: Cells of a study.
        programs: All programs of the study, in its order.
    """
    cells_by_key: dict[tuple[bool, bool, tuple[tuple[str, str], ...]], list[Cell]] = {}
    for cell in cells:
        key = (cell.setting.shared, cell.setting.periodic, cell.setting.more)
        cells_by_key.setdefault(key, []).append(cell)
    return [
        Group(*key, tuple(own), _sized(own), tuple(programs)) for key, own in cells_by_key.items()
    ]


def _sized(cells: Iterable[Cell]) -> bool:
    """Return whether a program appears with several process counts, or two with unequal ones."""
    return len({number for cell in cells for number in cell.setting.processes}) > 1


def parts(group: Group, known: set[str]) -> list[tuple[Group, str]]:
    """Separate pairs of an application and a pattern from pairs of two (fig. 3.10, 3.14)."""
    kinds: dict[str, list[Cell]] = {}
    for cell in group.cells:
        probe, signal = cell.probe in known, cell.signal in known
        kind = (
            "patterns"
            if probe and signal
            else "applications-against-patterns"
            if signal
            else "patterns-against-applications"
            if probe
            else "applications-against-applications"
        )
        kinds.setdefault(kind, []).append(cell)
    if len(kinds) == 1 and next(iter(kinds)) in ("patterns", "applications-against-applications"):
        return [(group, "")]
    return [(replace(group, cells=tuple(cells)), f"-{kind}") for kind, cells in kinds.items()]


def few_chunks(chunks: Sequence[int | None], most: int = 4) -> list[int | None]:
    """Choose at most `most` chunk sizes: the ends and evenly spaced ones between."""
    if len(chunks) <= most:
        return list(chunks)
    places = [round(place * (len(chunks) - 1) / (most - 1)) for place in range(most)]
    return [chunks[place] for place in dict.fromkeys(places)]


def chunk_label(chunk: int | None) -> str:
    """Return a chunk size in words."""
    return "no chunk size" if chunk is None else size_label(chunk)


def verdicts(cell: Cell) -> dict[str, int]:
    """Count the repetitions of a cell by verdict: kept, discarded, failed, unusable."""
    counts = dict.fromkeys(("kept", "discarded", "failed", "unusable"), 0)
    for repetition in cell.repetitions:
        counts[repetition.verdict] = counts.get(repetition.verdict, 0) + 1
    return counts


def why_empty(cell: Cell) -> str:
    """Return one word on why a cell has no value."""
    counts = verdicts(cell)
    counts.pop("kept")
    worst = max(counts, key=lambda verdict: counts[verdict])
    return worst if counts[worst] else "not measured"


def values_of(cell: Cell, measure: str) -> list[float]:
    """Return the probe's degradation or dilation of every repetition kept."""
    measured = [
        getattr(repetition.probe, measure)
        for repetition in cell.repetitions
        if repetition.verdict == "kept" and repetition.probe is not None
    ]
    return [value for value in measured if value is not None and math.isfinite(value)]


def summary_of(cell: Cell, measure: str) -> Summary:
    """Return a cell's degradation or dilation."""
    return cell.degradation if measure == "degradation" else cell.dilation


def median_of(cell: Cell, measure: str) -> float:
    """Return the median degradation or dilation of a cell; NaN where there is none."""
    value = summary_of(cell, measure).median
    return math.nan if value is None else value


def kept_label(counts: Iterable[int]) -> str:
    """Return the number of repetitions that count: `n = 5`, `n = 3 to 5`."""
    numbers = sorted(set(counts))
    if not numbers:
        return "n = 0"
    return f"n = {numbers[0]}" if len(numbers) == 1 else f"n = {numbers[0]} to {numbers[-1]}"


def whiskers(counts: Iterable[int]) -> str:
    """Return a caption's text on intervals: part of a sentence, "" for single runs.

    Args:
        counts: How many runs count, one number per thing that is drawn.
    """
    most = max(counts, default=0)
    if most >= LEAST_RUNS:
        return "; whiskers: 95 % interval of their mean"
    return "; two runs have no interval" if most > 1 else ""


def single_runs(counts: Iterable[int]) -> str:
    """Return the caveat of a figure that shows single runs: a sentence with a space before it.

    Args:
        counts: How many runs count, one number per thing that is drawn.
    """
    numbers = {number for number in counts if number}
    if 1 not in numbers:
        return ""
    if len(numbers) == 1:
        return " One run each: how far runs differ is not known."
    return " Where n = 1, how far runs differ is not known."


def several(cells: Iterable[Cell]) -> bool:
    """Return whether any cell has more than one run that counts: only then is there a spread."""
    return any(verdicts(cell)["kept"] > 1 for cell in cells)


def about_size(size: float) -> str:
    """Return an interpolated size with three digits: `949 KiB`."""
    for bits, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if size >= 0.9995 * (1 << bits):
            return f"{size / (1 << bits):.3g} {unit}"
    return f"{size:.0f} B"


def metrics_note(cells: Iterable[Cell]) -> str:
    """Return a sentence on the units of progress that are not bytes; "" if there are none."""
    counted = {cell.probe: cell.metric for cell in cells if cell.metric}
    others = {one: metric_label(metric) for one, metric in counted.items() if metric != "bytes"}
    if not others:
        return ""
    if len(counted) > 1 and len(others) == len(counted) and len(set(others.values())) == 1:
        return f" Progress is counted in {next(iter(others.values()))}."
    return "".join(f" {name}: counted in {metric}." for name, metric in others.items())


def metric_of(result: StudyResult, program: str) -> str:
    """Return the unit of a program's progress in pairs."""
    return next((cell.metric for cell in result.cells if cell.probe == program), "bytes")


def source(result: StudyResult) -> str:
    """Return a figure's small print: study, place, slices, runs."""
    runs = f"{count(result.runs)} runs" if result.runs != 1 else "1 run"
    return (
        f"study {result.study} · place: {result.place} · "
        f"slices of {duration(result.slice_ns)} · {runs}"
    )


def without_chunk(setting: Setting) -> Setting:
    """Return a setting without its chunk size."""
    return replace(setting, chunk=None)


def _words(setting: Setting) -> dict[str, str]:
    """Return the parts of a setting in words, by name."""
    own, other = setting.processes
    parts = {
        "chunk": "" if setting.chunk is None else size_label(setting.chunk),
        "processes": f"{own} against {other} processes" if other else processes_label(own),
        "shared": "shared file" if setting.shared else "private files",
        "periodic": "periodic" if setting.periodic else "sustained",
    }
    return parts | {name: f"{name} {value}" for name, value in setting.more}


def brief(setting: Setting, among: Iterable[Setting]) -> str:
    """Return a description of the parts of a setting that differ from others; "" if none do."""
    others = [_words(other) for other in among]
    settings = [
        value
        for name, value in _words(setting).items()
        if value and any(other.get(name) != value for other in others)
    ]
    return ", ".join(settings)


def common(among: Sequence[Setting]) -> str:
    """Return a description of what settings have in common, without the usual parts."""
    every = [_words(setting) for setting in among]
    if not every:
        return ""
    same = [
        value
        for name, value in every[0].items()
        if value not in ("", "private files", "sustained")
        and all(other.get(name) == value for other in every)
    ]
    return ", ".join(same)


def finding(group: Group, measure: str = "degradation") -> str:
    """Return a sentence on the greatest and the least loss in a matrix."""
    known = [cell for cell in group.cells if math.isfinite(median_of(cell, measure))]
    if not known:
        return f"No {measure} could be measured"
    worst = max(known, key=lambda cell: median_of(cell, measure))
    least = min(known, key=lambda cell: median_of(cell, measure))
    chunked = len(group.chunks) > 1
    values = [median_of(cell, measure) for cell in known]
    sentence = _loss(group, worst, measure, chunked=chunked) + tied(values, max(values))
    if len(known) == 1 or share_label(max(values)) == share_label(min(values)):
        return sentence
    return f"{sentence}; {_loss(group, least, measure, chunked=chunked, short=True)}"


def _loss(group: Group, cell: Cell, measure: str, *, chunked: bool, short: bool = False) -> str:
    value = median_of(cell, measure)
    at = f" at {chunk_label(cell.setting.chunk)}" if chunked else ""
    probe, signal = group.probe_label(cell), group.signal_label(cell)
    alongside = f"alongside {'itself' if probe == signal else signal}"
    if measure == "dilation":
        if value < 0:
            return f"{probe} gets faster {alongside}{at}"
        long = f"{1 + value:.1f} times as long" if value >= 1 else f"{share_label(value)} longer"
        return f"{probe} takes {long} {alongside}{at}"
    if short:
        ending = share_label(value) if value > 0.005 else "nothing"
        return f"{probe} loses {ending} {alongside}{at}"
    return f"{probe} loses {share_label(value)} of its throughput {alongside}{at}"
