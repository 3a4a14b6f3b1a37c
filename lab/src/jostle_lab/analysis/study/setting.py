"""Types of the settings and summaries in study results."""

from __future__ import annotations

from dataclasses import dataclass

_UNITS = ((30, "GiB"), (20, "MiB"), (10, "KiB"))


def size_label(size: int) -> str:
    """Format a number of bytes as the papers do: 2 KiB, 1 MiB, 381.5 MiB."""
    for bits, unit in _UNITS:
        if size >= 1 << bits:
            return f"{round(size / (1 << bits), 1):g} {unit}"
    return f"{size} B"


@dataclass(frozen=True)
class Setting:
    """The setting that the runs of a cell share besides their programs; hashable.

    Attributes:
        chunk: Chunk size, bytes; None if the study has none.
        processes: Numbers of processes of probe and signal; the second is 0 for standalone runs.
        shared: Whether all processes use one shared file instead of a file each.
        periodic: Whether the signal was periodic.
        more: Further axes of the study, by name, sorted.
    """

    chunk: int | None
    processes: tuple[int, int]
    shared: bool = False
    periodic: bool = False
    more: tuple[tuple[str, str], ...] = ()

    @property
    def label(self) -> str:
        """The setting as text, for tables."""
        own, other = self.processes
        parts = [] if self.chunk is None else [size_label(self.chunk)]
        if other:
            parts.append(f"{own} against {other} processes")
        else:
            parts.append(f"{own} processes" if own != 1 else "1 process")
        parts += ["shared file"] if self.shared else []
        parts += ["periodic"] if self.periodic else []
        return ", ".join([*parts, *(f"{name} {value}" for name, value in self.more)])

    def is_alone_of(self, pair: Setting) -> bool:
        """Return whether this is the setting of a standalone run of a pair's probe."""
        axes = dict(pair.more)
        return (self.chunk, self.processes[0], self.shared) == (
            pair.chunk,
            pair.processes[0],
            pair.shared,
        ) and all(axes.get(name, value).split(" against ")[0] == value for name, value in self.more)

    def turned(self) -> Setting:
        """Return the setting from the side of the other program."""
        own, other = self.processes
        return Setting(self.chunk, (other, own), self.shared, self.periodic, self.more)


@dataclass(frozen=True)
class Summary:
    """Statistics of one quantity over repetitions.

    Attributes:
        n: Number of repetitions that count.
        median: Median.
        min: Least.
        max: Greatest.
        mean: Mean.
        low: Lower end of the 95 % interval (Student's t; Welch's for ratios); None below n = 3:
            two runs do not show how much they vary.
        high: The interval's upper end.
    """

    n: int
    median: float | None
    min: float | None
    max: float | None
    mean: float | None
    low: float | None
    high: float | None
