"""Compares the losses printed in the papers with those of our own studies, cell by cell.

Three files next to the page hold the data: `printed.csv` (what the papers print of each cell, from
their texts: the pictures themselves are not available), `printed-orders.csv` (which program loses
more than which, where a text says so) and `runs.csv` (one row for each run here). The tables, the
labels and the counts of the page are made of them by the rule in `RULE`, and by nothing else.
"""

from __future__ import annotations

import csv
import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from jostle_lab.analysis.study.intervals import summary
from jostle_lab.analysis.study.setting import Summary, size_label

DATA = Path(__file__).resolve().parents[3] / "docs/measurements/papers"
RUNS = DATA / "runs.csv"

#: The printed file systems in order: a cell is compared with the first that has it.
SYSTEMS = ("Lustre", "GPFS", "NFS")
FILE_SYSTEMS = {"sshfs": "SSHFS", "cephfs": "CephFS"}
NEAR = 10.0  # points within which a size agrees
ASPECTS = ("sign", "order", "size")

RULE = f"""A loss here is the median over the runs of a cell, in per cent of the throughput alone,
with the 95 % interval of the mean. Fewer than three runs have no interval, and decide nothing. A
cell is compared with what is printed of the same programs, chunk size, ratio of processes and
layout of files: of Lustre where that is printed, because it has a metadata server of its own, as
CephFS has; else of GPFS, or of Kuo's NFS.

- The *sign* agrees where both are a loss, or neither is: the interval is on the printed side of 0.
- The *order* agrees where each printed order of the cell that is decided holds, and at least one
  is decided. An order is printed where the text states who loses more; and where two printed ranges
  lie more than {NEAR:.0f} points apart, of cells with the same victim, with the two programs
  exchanged, or with the same programs at another chunk size. It holds where the measured difference
  is certainly above 0. It fails where the difference is certainly below half of the printed one
  (below 0, where no sizes are printed).
- The *size* agrees where the median lies within {NEAR:.0f} points of the printed range.

A figure is *reproduced* on a file system where sign, order and size agree in each cell that decides
something, *order reproduced* where sign and order do, *undecided (noise)* where no cell decides an
order or a sign, and else *not reproduced*. Printed cells that were not measured are left out of the
label, and counted with it."""


@dataclass(frozen=True)
class CellKey:
    """The key of a cell.

    Attributes:
        victim: Program that loses throughput.
        neighbour: Program that ran concurrently.
        chunk: Size of a write, such as `1 MiB`; if the victim is an application, that of the
            neighbour; "" if there is none.
        layout: Layout of files: `private`: one file per process; `shared`: one file for all.
        share: Number of the neighbour's processes divided by that of the victim's.
    """

    victim: str
    neighbour: str
    chunk: str
    layout: str = "private"
    share: float = 1.0

    def is_like(self, other: CellKey) -> bool:
        """Return whether two cells are so similar that their printed losses can be ordered."""
        if (self.layout, self.share) != (other.layout, other.share):
            return False
        mine, theirs = (self.victim, self.neighbour), (other.victim, other.neighbour)
        if self.chunk == other.chunk:
            return self.victim == other.victim or mine == theirs[::-1]
        return mine == theirs

    @property
    def text(self) -> str:
        """The cell in words, for a list."""
        parts = [self.chunk] if self.chunk else []
        parts += [f"{self.share:g} times its processes"] if self.share != 1 else []
        parts += ["shared file"] if self.layout == "shared" else []
        where = f" ({', '.join(parts)})" if parts else ""
        return f"{self.victim} alongside {self.neighbour}{where}"


@dataclass(frozen=True)
class PrintedCell:
    """A loss as printed: from `low` to `high` per cent, `words` as in the text."""

    table: str
    system: str
    key: CellKey
    low: float
    high: float
    words: str


@dataclass(frozen=True)
class PrintedOrder:
    """`more` loses more than `less`, as printed: by `gap` points, 0 where no sizes are printed."""

    table: str
    system: str
    more: CellKey
    less: CellKey
    gap: float
    words: str


@dataclass(frozen=True)
class ComparedCell:
    """A cell measured on a file system, and whether it agrees with what the papers print.

    Attributes:
        loss: Measured loss.
        agrees: For each aspect (sign, order, size) whether it agrees; None: undecided.
    """

    loss: Summary
    agrees: dict[str, bool | None]


def _rows(name: str) -> list[dict[str, str]]:
    with (DATA / name).open(newline="") as file:
        return list(csv.DictReader(file))


def printed_cells(table: str) -> list[PrintedCell]:
    """Read what is printed of the cells of a table or figure."""
    return [
        PrintedCell(
            table,
            row["system"],
            CellKey(
                row["victim"], row["neighbour"], row["chunk"], row["layout"], float(row["share"])
            ),
            float(row["at_least"]),
            float(row["at_most"]),
            row["words"],
        )
        for row in _rows("printed.csv")
        if row["table"] == table
    ]


def printed_orders(table: str) -> list[PrintedOrder]:
    """Read the printed orders of a table or figure: stated in its text, or clear from its ranges.

    The ranges give an order between any two cells of one printed file system whose ranges do not
    overlap.
    """
    found = []
    for row in _rows("printed-orders.csv"):
        if row["table"] == table:
            layout = "shared" if table == "figure 3.9" else "private"
            more, less = (
                CellKey(
                    row[f"{which}victim"],
                    row[f"{which}neighbour"],
                    row[f"{which}chunk"],
                    layout,
                    float(row[f"{which}share"]),
                )
                for which in ("", "than_")
            )
            found.append(PrintedOrder(table, row["system"], more, less, 0.0, row["words"]))
    for one, other in itertools.permutations(printed_cells(table), 2):
        gap = one.low - other.high
        if one.system == other.system and gap > NEAR and one.key.is_like(other.key):
            stated = PrintedOrder(table, one.system, one.key, other.key, 0.0, "")
            found = [each for each in found if replace(each, words="") != stated]
            words = f"{one.words}; {other.words}"
            found.append(replace(stated, gap=gap, words=words))
    return found


def measured(studies: Sequence[str], file_system: str) -> dict[CellKey, Summary]:
    """Summarise the runs of some studies on a file system, cell by cell, per cent."""
    runs: dict[CellKey, list[tuple[float, int]]] = {}
    for row in _rows(RUNS.name):
        if row["study"] in studies and row["file_system"] == file_system and row["loss_percent"]:
            share = int(row["neighbour_processes"]) / int(row["victim_processes"])
            key = CellKey(row["victim"], row["neighbour"], row["chunk"], row["layout"], share)
            runs.setdefault(key, []).append((float(row["loss_percent"]), int(row["runs"])))
    found = {}
    for key, losses in runs.items():
        each = summary([loss for loss, _ in losses])
        found[key] = replace(each, n=sum(count for _, count in losses))
    return found


def losses_for(table: str, studies: Sequence[str], file_system: str) -> dict[CellKey, Summary]:
    """Return the measured cells whose victim and neighbour a table has."""
    keys = {each.key for each in printed_cells(table)}
    keys |= {key for order in printed_orders(table) for key in (order.more, order.less)}
    pairs = {(key.victim, key.neighbour) for key in keys}
    victims, neighbours = ({pair[at] for pair in pairs} for at in (0, 1))
    return {
        key: loss
        for key, loss in measured(studies, file_system).items()
        if key.victim in victims and key.neighbour in neighbours
    }


def chosen_system(table: str) -> str:
    """Return the printed file system that a table's cells are compared with."""
    printed = {each.system for each in [*printed_cells(table), *printed_orders(table)]}
    return next((system for system in SYSTEMS if system in printed), "")


def order_holds(order: PrintedOrder, losses: dict[CellKey, Summary]) -> bool | None:
    """Return whether a printed order holds here; None: not measured, or not decided."""
    more, less = losses.get(order.more), losses.get(order.less)
    half = [
        (each.high - each.low) / 2
        for each in (more, less)
        if each and each.low is not None and each.high is not None
    ]
    if not more or not less or len(half) < 2 or more.mean is None or less.mean is None:
        return None
    difference, unsure = more.mean - less.mean, math.hypot(*half)
    if difference - unsure > 0:
        return True
    return False if difference + unsure < order.gap / 2 else None


def _sign_agrees(printed: PrintedCell, loss: Summary) -> bool | None:
    if loss.low is None or loss.high is None:
        return None
    if loss.low > 0:
        return printed.high > 0
    if loss.high < 0:
        return printed.low < 0
    return True if printed.low <= 0 <= printed.high else None


def _all_hold(held: Iterable[bool | None]) -> bool | None:
    decided = [each for each in held if each is not None]
    return all(decided) if decided else None


def compared(table: str, studies: Sequence[str], file_system: str) -> dict[CellKey, ComparedCell]:
    """Compare each measured cell that the papers print something of; see `RULE`.

    Args:
        table: Printed table or figure.
        studies: Names of the studies that measured it.
        file_system: File system of the studies, `sshfs` or `cephfs`.
    """
    losses, system = losses_for(table, studies, file_system), chosen_system(table)
    printed = {each.key: each for each in printed_cells(table) if each.system == system}
    orders = [each for each in printed_orders(table) if each.system == system]
    found = {}
    for key, loss in losses.items():
        mine = [order for order in orders if key in (order.more, order.less)]
        if key not in printed and not mine:
            continue
        sign = size = None
        if key in printed:
            sign = _sign_agrees(printed[key], loss)
            if loss.low is not None and loss.median is not None:
                low, high = printed[key].low - NEAR, printed[key].high + NEAR
                size = low <= loss.median <= high
        order = _all_hold(order_holds(each, losses) for each in mine)
        found[key] = ComparedCell(loss, {"sign": sign, "order": order, "size": size})
    return found


def label_of(cells: dict[CellKey, ComparedCell]) -> str:
    """Return the label of a figure on a file system, by `RULE`; "": no cell in common."""
    if not cells:
        return ""
    agrees = {
        aspect: _all_hold(cell.agrees[aspect] for cell in cells.values()) for aspect in ASPECTS
    }
    if agrees["sign"] is None and agrees["order"] is None:
        return "undecided (noise)"
    if agrees["sign"] is False or agrees["order"] is False:
        return "not reproduced"
    return "reproduced" if agrees["size"] else "order reproduced"


def printed_keys(table: str) -> set[CellKey]:
    """Return the cells for which a paper prints a size or an order on the chosen file system."""
    system = chosen_system(table)
    keys = {each.key for each in printed_cells(table) if each.system == system}
    orders = [each for each in printed_orders(table) if each.system == system]
    return keys | {key for order in orders for key in (order.more, order.less)}


def counts(table: str, cells: dict[CellKey, ComparedCell]) -> str:
    """Return for each aspect the number of decisive cells that agree, and of all decisive ones."""
    parts = []
    for aspect in ASPECTS:
        decided = [
            cell.agrees[aspect] for cell in cells.values() if cell.agrees[aspect] is not None
        ]
        if decided:
            name = f"{aspect} agrees" if not parts else aspect
            parts.append(f"{name} in {sum(map(bool, decided))} of {len(decided)}")
    said = ", ".join(parts) + " cells" if parts else "no cell decides anything"
    return f"{said}; measured {len(cells)} of {len(printed_keys(table))} printed"


def sentence(table: str, studies: Sequence[str]) -> str:
    """Return the text of a row of the page on a figure: label and counts on each file system."""
    parts = []
    for file_system, name in FILE_SYSTEMS.items():
        cells = compared(table, studies, file_system)
        if cells:
            parts.append(f"{name}: **{label_of(cells)}** ({counts(table, cells)})")
        elif losses_for(table, studies, file_system):
            parts.append(f"{name}: no printed cell was measured")
        else:
            parts.append(f"{name}: not measured yet")
    anchor = table.replace(" ", "-").replace(".", "").replace(",", "").lower()
    return f"{'; '.join(parts)}. [Cell by cell](#{anchor})"


# ---- tables ----


def _size(label: str) -> float:
    number, _, unit = label.partition(" ")
    return float(number) * {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30}[unit] if unit else 0.0


def _percent(value: float | None) -> str:
    return "" if value is None else f"{value:.0f}".replace("-0", "0")


def _loss(loss: Summary | None) -> str:
    if loss is None or loss.median is None:
        return ""
    runs = f"{loss.n} run{'s' if loss.n > 1 else ''}"
    if loss.low is None:
        return f"{_percent(loss.median)}, {runs}"
    return f"{_percent(loss.median)} ({_percent(loss.low)} to {_percent(loss.high)}), {runs}"


def _agreement(cell: ComparedCell | None) -> str:
    """Return which decided aspects of a cell agree and which do not: `sign, size; not order`."""
    if cell is None:
        return ""
    yes = [aspect for aspect, agrees in cell.agrees.items() if agrees]
    no = [aspect for aspect, agrees in cell.agrees.items() if agrees is False]
    parts = [", ".join(yes)] if yes else []
    return "; ".join([*parts, f"not {', '.join(no)}"] if no else parts)


def table_of(table: str, studies: Sequence[str]) -> list[str]:
    """Return the lines of a table: every cell that is printed or was measured."""
    printed = {(each.system, each.key): each for each in printed_cells(table)}
    systems = [name for name in SYSTEMS if any(system == name for system, _ in printed)]
    losses = {name: losses_for(table, studies, name) for name in FILE_SYSTEMS}
    cells = {name: compared(table, studies, name) for name in FILE_SYSTEMS}
    names = [name for name in FILE_SYSTEMS if losses[name]]
    keys = {key for _, key in printed} | {key for name in names for key in losses[name]}
    layouts = {key.layout for key in keys}
    shares = {key.share for key in keys}
    head = ["loss of", "alongside", "chunk"]
    head += ["files"] if len(layouts) > 1 else []
    head += ["processes"] if len(shares) > 1 else []
    head += [f"printed, {name}" for name in systems]
    head += [part for name in names for part in (FILE_SYSTEMS[name], "agrees")]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for key in sorted(
        keys, key=lambda k: (_size(k.chunk), k.layout, k.share, k.victim, k.neighbour)
    ):
        row = [key.victim, key.neighbour, key.chunk]
        row += [key.layout] if len(layouts) > 1 else []
        row += [f"{key.share:g} : 1"] if len(shares) > 1 else []
        words = {system: cell.words for (system, of), cell in printed.items() if of == key}
        row += [words.get(system, "") for system in systems]
        for name in names:
            row += [_loss(losses[name].get(key)), _agreement(cells[name].get(key))]
        lines.append("| " + " | ".join(row) + " |")
    return lines


def orders_of(table: str, studies: Sequence[str]) -> list[str]:
    """Return the lines of a table of the printed orders, and whether each holds here."""
    system = chosen_system(table)
    orders = [each for each in printed_orders(table) if each.system == system]
    losses = {name: losses_for(table, studies, name) for name in FILE_SYSTEMS}
    names = [name for name in FILE_SYSTEMS if losses[name]]
    if not orders or not names:
        return []
    head = [f"printed of {system}: this loses more", "than this", "in the text"]
    head += [FILE_SYSTEMS[name] for name in names]
    lines = ["", "| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for order in orders:
        row = [order.more.text, order.less.text, order.words]
        for name in names:
            there = order.more in losses[name] and order.less in losses[name]
            verdict = {True: "holds", False: "fails", None: "undecided"}
            row.append(verdict[order_holds(order, losses[name])] if there else "not measured")
        lines.append("| " + " | ".join(row) + " |")
    return lines


def section(table: str, studies: Sequence[str]) -> list[str]:
    """Return the lines of a figure's section: counts, all cells, all orders."""
    head = f"### {table[0].upper()}{table[1:]}"
    lines = [head, ""]
    for name, spoken in FILE_SYSTEMS.items():
        cells = compared(table, studies, name)
        if cells:
            lines.append(f"- {spoken}: {label_of(cells)}; {counts(table, cells)}.")
    if not lines[-1].startswith("- "):
        lines.append("No printed cell was measured here.")
    return [*lines, "", *table_of(table, studies), *orders_of(table, studies), ""]


def plain_table(studies: Sequence[str], file_system: str) -> list[str]:
    """Return a table of measured cells that no paper prints: victims in rows."""
    losses = measured(studies, file_system)
    cells = {(key.victim, key.neighbour): _loss(loss) for key, loss in losses.items()}
    neighbours = list(dict.fromkeys(neighbour for _, neighbour in cells))
    lines = ["| loss of | " + " | ".join(f"alongside {name}" for name in neighbours) + " |"]
    lines.append("|---|" + "---|" * len(neighbours))
    for victim in dict.fromkeys(victim for victim, _ in cells):
        row = [cells.get((victim, neighbour), "") for neighbour in neighbours]
        lines.append(f"| {victim} | {' | '.join(row)} |")
    return lines


# ---- storing measurements ----

COLUMNS = (
    "study",
    "file_system",
    "date",
    "victim",
    "neighbour",
    "chunk",
    "victim_processes",
    "neighbour_processes",
    "layout",
    "more",
    "loss_percent",
    "runs",
    "verdict",
)


def keep(study: str, file_system: str, date: str, cells: Sequence[dict[str, Any]]) -> None:
    """Put the runs of a measurement into `runs.csv`, instead of the measurement's former runs.

    Those of other measurements of the study stay: repetitions of several days add up.

    Args:
        study: Name of the study.
        file_system: File system of the study's files.
        date: Begin of the measurement.
        cells: Cells of the study, from `jostle study show --json`; the part of a program's name
            after a dot is the chunk size, which the cell has as well.
    """
    rows = [row for row in _rows(RUNS.name) if (row["study"], row["date"]) != (study, date)]
    for cell in cells:
        setting = cell["setting"]
        chunk = "" if setting["chunk"] is None else size_label(setting["chunk"])
        for each in cell["repetitions"]:
            side = each["probe"]
            kept = each["verdict"] == "kept" and side and side["degradation"] is not None
            values = (
                study,
                file_system,
                date,
                *(cell[name].partition(".")[0] for name in ("probe", "signal")),
                chunk,
                setting["processes"][0],
                setting["processes"][1],
                "shared" if setting["shared"] else "private",
                " ".join(f"{name} {value}" for name, value in setting["more"]),
                f"{100 * side['degradation']:.1f}" if kept else "",
                1,
                each["verdict"],
            )
            rows.append(dict(zip(COLUMNS, map(str, values), strict=True)))
    with RUNS.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
