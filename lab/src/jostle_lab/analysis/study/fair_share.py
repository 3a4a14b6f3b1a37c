"""Predicts run times of two unequal programs on one link by the model of Kuo et al., 2013."""

from __future__ import annotations

from dataclasses import dataclass

from jostle_lab.analysis.study.model import Prediction

#: The link counts as saturated if each program alone, and both together, reach this share of the
#: highest rate observed on it.
SATURATED = 0.8
#: Volumes that differ by at most this share are equal.
EQUAL = 0.01
#: Programs whose begins differ by at most this share of the shorter run began together.
TOGETHER = 0.05


def concurrent(np_l: float, np_s: float, t_l: float, t_s: float) -> tuple[float, float]:
    """Predict concurrent run times from standalone ones (equations 1 and 2).

    The equations hold if both programs have the same volume and pattern, begin at the same time,
    and saturate a link that is shared fairly among their processes, with np_l >= np_s. If the link
    is shared fairly among nodes, pass numbers of nodes instead of processes.

    Args:
        np_l: Processes of the larger program.
        np_s: Processes of the smaller program.
        t_l: Standalone run time of the larger program, in seconds.
        t_s: Standalone run time of the smaller program, in seconds.

    Returns:
        Concurrent run times of the larger and of the smaller, in seconds.
    """
    return t_l * (np_l + np_s) / np_l, t_s + t_l


def standalone(np_l: float, np_s: float, t_l: float, t_s: float) -> tuple[float, float]:
    """Predict standalone run times from concurrent ones (equations 3 and 4).

    Args:
        np_l: Processes of the larger program.
        np_s: Processes of the smaller program.
        t_l: Concurrent run time of the larger program, in seconds.
        t_s: Concurrent run time of the smaller program, in seconds.

    Returns:
        Standalone run times of the larger and of the smaller, in seconds.
    """
    alone = t_l * np_l / (np_l + np_s)
    return alone, t_s - alone


def relative_error(predicted: float, observed: float) -> float:
    """Return (predicted - observed) / observed."""
    return (predicted - observed) / observed


@dataclass(frozen=True)
class Times:
    """Run times of two programs, s: alone and together, larger first."""

    large_alone: float
    small_alone: float
    large: float
    small: float


def predict(np_l: int, np_s: int, times: Times, by: str = "process") -> Prediction:
    """Compare the model with observed run times (Kuo et al., 2013, section 4.3).

    Args:
        np_l: Processes (or nodes) of the larger program.
        np_s: Processes (or nodes) of the smaller program.
        times: Observed run times.
        by: "process" or "node": the unit of the numbers.

    Returns:
        Predictions of equations 1-4 with their relative errors.
    """
    large, small = concurrent(np_l, np_s, times.large_alone, times.small_alone)
    large_alone, small_alone = standalone(np_l, np_s, times.large, times.small)
    return Prediction(
        by,
        large,
        small,
        relative_error(large, times.large),
        relative_error(small, times.small),
        large_alone,
        small_alone,
        relative_error(large_alone, times.large_alone),
        relative_error(small_alone, times.small_alone),
    )
