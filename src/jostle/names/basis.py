"""The basis of a job's recorded times (profile or imported log), and the analyses that it allows.

A profile has bytes, calls and time of every slice, and execution segments. Imported jobs have less.
Column `basis` of table processes says what: "" for a profile, else source and resolution, such as
"darshan:bins".
"""

from __future__ import annotations

from dataclasses import dataclass

#: Kinds of data that an answer may need of a job, as parts of a sentence.
BYTES = "bytes per slice"
TIMES = "the time of calls per slice"
SEGMENTS = "execution segments"
MESSAGES = "messages between ranks"
#: Kinds of data that a job has, by the resolution of its basis.
_HAS = {
    "": frozenset({BYTES, TIMES, SEGMENTS, MESSAGES}),
    "operations": frozenset({BYTES, TIMES}),
    "bins": frozenset({BYTES}),
    "totals": frozenset(),
}
#: What each answer needs. Where it lacks BYTES, an answer about one job is given with a caveat;
#: whatever else it lacks, there is none. Matrix, trends and interference compare runs without TIMES
#: as wholes. A verdict (a light, and what to change) needs the slices of the one job.
NEEDS = {
    "digest": frozenset(),
    "neighbours": frozenset(),
    "timeline": frozenset({BYTES}),
    "background": frozenset({BYTES}),
    "bursts": frozenset({BYTES}),
    "matrix": frozenset(),
    "trends": frozenset(),
    "interference": frozenset(),
    "verdict": frozenset({TIMES}),
    "estimate": frozenset({SEGMENTS}),
    "compare": frozenset({SEGMENTS}),
    "placement": frozenset({MESSAGES}),
}
#: What the sentence about the basis of an imported job begins with.
RESTS_ON = "Based on a log of"
#: How to obtain data that is missing.
_REMEDIES = {
    SEGMENTS: "profile a run: `jostle run -- CMD`",
    MESSAGES: "profile a run: `jostle run -- CMD`",
    TIMES: "let Darshan trace operations (DXT_ENABLE_IO_TRACE=1), or profile a run",
    BYTES: "let Darshan keep heat maps, as it does from version 3.4 on",
}
_KNOWN = {
    "operations": "every read and write was traced: bytes, calls and their time are known per "
    "slice",
    "bins": "bytes are known per slice; calls and their time only for the whole run, in which they "
    "follow the bytes",
    "totals": "bytes, calls and their time are known for the whole run only; they are spread "
    "evenly between first and last access of a file",
}


@dataclass(frozen=True)
class Basis:
    """The basis of a job's recorded times: its source, and the resolution of the times.

    Attributes:
        source: Source of the data: "" for a profile, or darshan.
        resolution: Resolution of the times: "" for a profile; operations, bins or totals.
    """

    source: str = ""
    resolution: str = ""

    @property
    def has(self) -> frozenset[str]:
        """Kinds of data that the basis provides."""
        return _HAS.get(self.resolution, frozenset())

    def lacks(self, answer: str) -> frozenset[str]:
        """Return the kinds of data that an answer needs and that are missing.

        Args:
            answer: Name of an answer, a key of NEEDS.
        """
        return NEEDS[answer] - self.has


def basis_of(text: str | None) -> Basis:
    """Return the basis that a value of column `basis` stands for."""
    source, _, resolution = (text or "").partition(":")
    return Basis(source, resolution)


def basis_words(basis: Basis, clock_error_us: int) -> str:
    """Return the basis of a job's times as a sentence; "" for a profile.

    Args:
        basis: Basis of the job's times.
        clock_error_us: Largest error of its clock because of its precision, µs.
    """
    if not basis.source:
        return ""
    clock = ""
    if clock_error_us >= 1000:
        clock = f"; its clock is known to {clock_error_us / 1e6:g} s"
    known = _KNOWN.get(basis.resolution, "what is known of time is not known")
    return f"{RESTS_ON} {basis.source.title()}: {known}{clock}."


def remedy_of(lacking: frozenset[str]) -> str:
    """Return how to record the missing kinds of data, as a sentence."""
    remedies = list(dict.fromkeys(_REMEDIES[what] for what in sorted(lacking)))
    text = "; or ".join(remedies)
    return f"{text[:1].upper()}{text[1:]}." if text else ""
