"""Result types of the comparison of components with their peers."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from datetime import date, timedelta
from typing import Any

from jostle.analysis.interval import Interval


@dataclass(frozen=True)
class DayOfPeers:
    """One day of a component and its peers.

    Attributes:
        day: The day, in days since the epoch, UTC.
        value: Difference of the component from the median of its peers, percent; for a rate, the
            rate itself.
        low: Lower end of the range that contains nine of ten peers.
        high: Upper end of that range.
        worse: Whether the component was significantly worse (p < 0.05): by chance, peers differ as
            much on fewer than one day in twenty.
    """

    day: int
    value: float
    low: float
    high: float
    worse: bool


@dataclass(frozen=True)
class Difference:
    """A component that is persistently worse than its peers by one figure (measure).

    Attributes:
        host: Node or server of the component.
        role: Role of the host: node or server.
        kind: Kind of the component.
        component: Name of the component.
        figure: Name of the figure by which it is worse.
        worse: Whether the component has "more" or "less" of this figure than its peers.
        unit: For a rate, the unit of its divisor; else "".
        percent: Difference of the component from the median of its peers, percent, with a 95 %
            interval.
        own: For a rate, the component's rate since `since_day`; else None.
        peers_rate: For a rate, the median of the peers' rates since `since_day`; else None.
        since_day: First day of the difference, days since the epoch.
        last_day: Last day on which the component was compared, days since the epoch.
        worse_days: Number of days since `since_day` on which it was significantly worse (p < 0.05).
        days: Number of days since `since_day` on which it was compared.
        peers: Number of components with which it was compared.
        evidence: E-value over the days: the larger, the less likely is the difference by chance.
            For healthy components its mean is at most 1.
        course: The component and its peers on each day.
    """

    host: str
    role: str
    kind: str
    component: str
    figure: str
    worse: str
    unit: str
    percent: Interval
    own: float | None
    peers_rate: float | None
    since_day: int
    last_day: int
    worse_days: int
    days: int
    peers: int
    evidence: float
    course: list[DayOfPeers] = field(default_factory=list)


@dataclass(frozen=True)
class Unassessed:
    """Components that could not be evaluated for one reason.

    Attributes:
        why: The reason: "too few peers" or "too few days".
        kind: Kind of the components.
        components: Number of these components.
        hosts: Names of some of their hosts.
        most: Greatest number of peers (or days) that any of these components had.
        least: Number of peers (or days) that a component needs to be evaluated.
    """

    why: str
    kind: str
    components: int
    hosts: list[str]
    most: int
    least: int


@dataclass(frozen=True)
class NodeDifferences:
    """The persistent differences of a site's components.

    Attributes:
        differences: The differences, the one with the strongest evidence first.
        first_day: First day with data, days since the epoch; 0 without data.
        days: Number of days with data.
        machines: Number of machines that were compared.
        components: Number of components that were evaluated by at least one figure.
        comparisons: Number of evaluated pairs of component and figure.
        unassessed: Components that could not be evaluated, by reason.
        fdr: Upper bound of the expected share of healthy components among the differences.
    """

    differences: list[Difference]
    first_day: int
    days: int
    machines: int
    components: int
    comparisons: int
    unassessed: list[Unassessed]
    fdr: float

    def to_json(self) -> dict[str, Any]:
        """Return all fields as JSON-compatible values, with days as dates."""
        plain = asdict(self)
        plain["first_day"] = date_of(self.first_day) if self.days else None
        for row in plain["differences"]:
            row["since"] = date_of(row.pop("since_day"))
            row["last"] = date_of(row.pop("last_day"))
            for each in row["course"]:
                each["day"] = date_of(each["day"])
        return plain


def date_of(day: int) -> str:
    """Return a day since the epoch as a date, such as 2026-11-26."""
    return (date(1970, 1, 1) + timedelta(days=day)).isoformat()
