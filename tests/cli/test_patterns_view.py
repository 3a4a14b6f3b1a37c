"""Access patterns in words, from the results of the analysis."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jostle.analysis import AccessPattern, AccessPhase, PatternShare, Period
from jostle.cli.views.access_patterns import pattern_text, phase_text

MIB = 1 << 20
PHASE = AccessPhase(
    pattern="write-seek",
    start_ns=0,
    end_ns=10**11,
    active_slices=20,
    bytes=100 * MIB,
    share=1.0,
    calls=100,
    chunk_bytes=MIB,
    calls_per_chunk=1.0,
    gapped=0.0,
    scattered=False,
    parts=[PatternShare("write-seek", 1.0, 100 * MIB, 100, MIB)],
    period=None,
    evidence="100 writes.",
)
PERIOD = Period(24.0, 23.8, 24.2, 12.0, 9, 0.0005)


@pytest.mark.parametrize(
    ("phase", "text"),
    [
        (PHASE, "write-seek, 1.00 MiB chunks"),
        (
            replace(PHASE, period=PERIOD),
            "write-seek, 1.00 MiB chunks, bursts every 24.0 s (on 12.0 s)",
        ),
        (
            replace(
                PHASE,
                scattered=True,
                gapped=0.9,
                pattern="unknown",
                chunk_bytes=None,
                evidence="Writes jump back and ahead in turn: 9 writes.",
            ),
            "unknown (writes jump back and ahead in turn)",
        ),
        (
            replace(PHASE, pattern="open-write-close", chunk_bytes=2048.0),
            "open-write-close, files of 2.00 KiB",
        ),
        (
            replace(PHASE, pattern="aggregate-write", chunk_bytes=512.0, gapped=0.9),
            "aggregate-write, 512 B writes, with gaps",
        ),
        (
            replace(
                PHASE, pattern="unknown", chunk_bytes=None, evidence="Too few files: 2 writes."
            ),
            "unknown (too few files)",
        ),
        (
            replace(
                PHASE,
                pattern="mixed",
                chunk_bytes=None,
                parts=[
                    PatternShare("open-write-close", 0.6, 60, 6, 10.0),
                    PatternShare("aggregate-write", 0.4, 40, 0, None),
                ],
            ),
            "mixed: 60 % open-write-close + 40 % aggregate-write",
        ),
    ],
)
def test_phase(phase: AccessPhase, text: str) -> None:
    """A line per phase."""
    assert phase_text(phase) == text


def test_several_phases() -> None:
    """Different phases make a mixed mount; among similar ones the heaviest is reported."""
    small = replace(PHASE, bytes=10, chunk_bytes=10.0)
    alike = AccessPattern("m", "write-seek", MIB, None, 100, True, [small, PHASE])
    assert pattern_text(alike) == "write-seek, 1.00 MiB chunks"
    differ = AccessPattern(
        "m", "mixed", None, None, 100, True, [PHASE, replace(PHASE, pattern="none")]
    )
    assert pattern_text(differ) == "mixed, 2 phases"
