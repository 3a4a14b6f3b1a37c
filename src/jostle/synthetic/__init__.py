"""Made-up data whose truth is known: to tune and to score what judges real data.

Public door:
    plant: a repository of any size, of jobs that hurt each other in known ways.
    Spec, Planted, PlantedJob: what it is to hold, and the truth about it; LARGE: 1000 jobs.
"""

from __future__ import annotations

from jostle.synthetic.planted.model import LARGE, Planted, PlantedJob, Spec
from jostle.synthetic.repository import plant

__all__ = ["LARGE", "Planted", "PlantedJob", "Spec", "plant"]
