"""Writes metrics as OpenMetrics text, version 1.0 (OpenMetrics specification, 2020)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

CONTENT_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8"
_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


class Family(NamedTuple):
    """Type, unit and description of a family of metrics.

    Attributes:
        kind: Type of the family.
        unit: Unit, with which the family's name ends; "": none.
        help: Description, one sentence.
    """

    kind: Literal["counter", "gauge", "histogram", "info"]
    unit: str
    help: str


class Sample(NamedTuple):
    """One sample of a family.

    Attributes:
        value: Value of the sample.
        labels: Names and values of its labels.
        suffix: Suffix of its name after that of the family, such as `_total` of a counter or
            `_info`.
    """

    value: float
    labels: Mapping[str, str] = {}
    suffix: str = ""


def openmetrics_text(
    families: Mapping[str, Family], samples: Mapping[str, Iterable[Sample]]
) -> bytes:
    """Return families with their samples as OpenMetrics text.

    Args:
        families: The families by name.
        samples: Samples of each family; a family without samples has its description only.
    """
    lines: list[str] = []
    for name, family in families.items():
        lines.append(f"# TYPE {name} {family.kind}")
        if family.unit:
            lines.append(f"# UNIT {name} {family.unit}")
        lines.append(f"# HELP {name} {family.help.translate(_ESCAPES)}")
        lines += [
            f"{name}{sample.suffix}{_labels(sample.labels)} {sample.value:.17g}"
            for sample in samples.get(name, ())
        ]
    return ("\n".join(lines) + "\n# EOF\n").encode(errors="replace")


def _labels(labels: Mapping[str, str]) -> str:
    if not labels:
        return ""
    pairs = (f'{name}="{value.translate(_ESCAPES)}"' for name, value in labels.items())
    return "{" + ",".join(pairs) + "}"
