"""When a run lost its time: the spans of an estimate add up to its loss."""

from __future__ import annotations

import dataclasses
import functools

import numpy as np
import pytest

from jostle.analysis import estimate, lost_between
from jostle.errors import UsageError
from jostle_lab.synthetic import SPECS, trace


@functools.cache
def estimated(method="jostle"):
    tables, truth = trace(SPECS["solver-calls"], 3)
    return estimate(tables, method=method), truth


@pytest.mark.parametrize("method", ["jostle", "thesis"])
def test_the_spans_of_a_run_add_up_to_its_loss(method):
    found, truth = estimated(method)
    edges = np.linspace(found.start_ns, found.end_ns, 8).astype(np.int64)
    spans = lost_between(found, edges)
    assert spans.shape == (7,) and (spans >= 0).all()
    assert truth.lost_s > 0 and found.lost_s.value > 0
    assert spans.sum() == pytest.approx(found.lost_s.value, rel=1e-3, abs=1e-3)
    # one span more, in which nothing ran
    more = lost_between(found, np.append(edges, edges[-1] + 10**9))
    assert more[-1] < 1e-6 and more[:-1] == pytest.approx(spans)


def test_hits_where_there_are_no_segments():
    found, _ = estimated()
    hits = found.hits[:2]
    without = dataclasses.replace(found, segments=found.segments.slice(0, 0), hits=hits)
    edges = np.array([hits[0].start_ns, hits[0].end_ns, hits[1].end_ns])
    assert lost_between(without, edges) == pytest.approx([hit.seconds for hit in hits])
    assert lost_between(dataclasses.replace(without, hits=[]), edges).tolist() == [0, 0]


@pytest.mark.parametrize("edges", [[], [5], [5, 4]])
def test_what_bounds_no_span(edges):
    with pytest.raises(UsageError, match="fewer than two"):
        lost_between(estimated()[0], np.array(edges, dtype=np.int64))
