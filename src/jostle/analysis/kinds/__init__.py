"""Classifies loads on file systems into kinds, and predicts what two loads cost each other."""

from jostle.analysis.kinds.distance import positions
from jostle.analysis.kinds.fair_share import by_process, by_request, loss_of
from jostle.analysis.kinds.from_profile import kinds_of
from jostle.analysis.kinds.met import by_kind, pairs_met
from jostle.analysis.kinds.model import LoadKind, parse_kind
from jostle.analysis.kinds.pair_model import PairModel, PairSample
from jostle.analysis.kinds.predict import Capacity, Prediction, capacity, predict

__all__ = [
    "Capacity",
    "LoadKind",
    "PairModel",
    "PairSample",
    "Prediction",
    "by_kind",
    "by_process",
    "by_request",
    "capacity",
    "kinds_of",
    "loss_of",
    "pairs_met",
    "parse_kind",
    "positions",
    "predict",
]
