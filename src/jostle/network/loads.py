"""What each link of a fabric carried, slice by slice, and for whom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from jostle.topology import Topology

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LinkLoads:
    """Loads of the links of one fabric on an axis of slices, bytes per slice.

    Attributes:
        topology: The fabric; columns of all matrices are its links.
        axis: Start ns, length ns and number of the slices; rows of all matrices.
        jobs: Name of a job -> its load, shape (slices, links): routed, with the minimal routes
            where a range is possible. "" is what belongs to no job that is known.
        low: The least that all jobs together can have put there (minimal routing).
        high: The most (Valiant), where routing is adaptive; else equal to low.
        measured: What the ports counted; only where `is_measured`.
        is_measured: Of each link, whether its port has counters.
        modelled: Of each job, the part of its load that comes from expanded collectives, 0 to 1.
        lost: Of each job, the bytes that no route was found for (nodes that are not in the fabric).
    """

    topology: Topology
    axis: tuple[int, int, int]
    jobs: dict[str, csr_array]
    low: csr_array
    high: csr_array
    measured: csr_array
    is_measured: NDArray[np.bool_]
    modelled: dict[str, float]
    lost: dict[str, float]
