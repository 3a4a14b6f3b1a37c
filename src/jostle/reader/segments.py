"""Decodes execution segments, the calls that ended them (tokens), and ranks' partners (peers)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from jostle.reader.columns import columns, texts
from jostle.reader.decode import MAX_ROWS, FileRead, ReadRequest, add_file, error_of, warnings_of
from jostle.reader.errors import ProfileError
from jostle.reader.header import ProfileHeader, parse_header
from jostle.reader.native import PEERS, PROFILE, SEGMENT_ROWS, SEGMENTS, TOKENS, DecoderBatch
from jostle.schema.profile import SEGMENT_RULES, SEGMENT_VALUES

RULES = (*SEGMENT_RULES, "unknown")

_SEGMENT_FIRST = {
    "process": pa.int32(),
    "number": pa.int64(),
    "start_ns": pa.int64(),
    "end_ns": pa.int64(),
    "rule": pa.int8(),
    "level": pa.int8(),
    "token_hash": pa.uint32(),
    "globals": pa.int64(),
    "globals_before": pa.int64(),
    "sequence_hash": pa.uint16(),
    "occurrence": pa.int64(),
    "signature_sum": pa.uint32(),
    "signature_set": pa.uint64(),
}
_SEGMENT_LAST = {"bin_shift": pa.int8(), "wait_bins": pa.binary(), "offcpu_bins": pa.binary()}
_SEGMENT = _SEGMENT_FIRST | dict.fromkeys(SEGMENT_VALUES, pa.int64()) | _SEGMENT_LAST
_TOKEN = {
    "process": pa.int32(),
    "number": pa.int64(),
    "hash": pa.uint32(),
    "function": pa.binary(),
    "bytes": pa.int64(),
    "site": pa.int64(),
    "module": pa.binary(),
}
_PEER = {
    "process": pa.int32(),
    "rank": pa.int64(),
    "sent_ops": pa.int64(),
    "sent_bytes": pa.int64(),
    "recv_ops": pa.int64(),
    "recv_room": pa.int64(),
}


@dataclass(frozen=True, slots=True)
class SegmentRead:
    """Result of reading one file.

    Attributes:
        request: The request.
        header: Header of the profile, without names of mounts, clock events and notes. None after
            an error, and for a file of short-lived processes, which has no segments.
        error: Reason why nothing could be read; None if the file was read.
        warnings: One sentence per omission, with its position in the file.
        next_number: Value of first_number for the next reading.
        segments: Rows of the file in SegmentResult.segments, (first, count).
        tokens: Rows of the file in SegmentResult.tokens, (first, count).
        peers: Rows of the file in SegmentResult.peers, (first, count).
        complete: Whether the whole file was read; if max_rows stopped the reading, continue from
            next_number.
        state: What a later reading of the file needs to know of its entries up to here, see
            ReadRequest.stream_state; empty: the whole file must be read again.
    """

    request: ReadRequest
    header: ProfileHeader | None
    error: ProfileError | None
    warnings: list[str]
    next_number: int
    segments: tuple[int, int] = (0, 0)
    tokens: tuple[int, int] = (0, 0)
    peers: tuple[int, int] = (0, 0)
    complete: bool = True
    state: bytes = b""


@dataclass(frozen=True, slots=True)
class SegmentResult:
    """The segments of many files.

    Attributes:
        segments: One row per segment, by process and time; the segments of a process have no gaps
            between them. The columns:
            process (int32), number (int64: of the segment's entry in the file),
            start_ns and end_ns (CLOCK_REALTIME),
            rule (dictionary: why it ended there, see RULES),
            level (2^level delimiters were coalesced into the one at its end),
            token_hash (uint32: the call that ended it; 0: none),
            globals (int64: global collectives that ended in it),
            globals_before (int64: global collectives that ended in all segments before it),
            sequence_hash (uint16: of all global collectives so far),
            occurrence (int64: how often the call that ended it had occurred by then; 0: that does
            not matter),
            signature_sum (uint32) and signature_set (uint64) of the calls in it,
            SEGMENT_VALUES (int64; times in ns; 0 if the file has no value),
            bin_shift, wait_bins and offcpu_bins (binary: one byte per bin of 10 ms << bin_shift;
            255: the process spent all of the bin waiting or off the CPU). Bins are counted from
            the epoch; the first is the one with start_ns, and the last overlaps the segment.
        tokens: One row per call that ended a segment: process, number (of the call's entry in the
            file), hash (uint32), function, bytes, site (offset in module), module (base name).
        peers: One row per partner of a process: process, rank (in the world; 4294967295: all
            partners for which the process's table had no entry), sent_ops, sent_bytes, recv_ops,
            recv_room (bytes of posted buffers).
        results: One per request, in the order of the requests.
    """

    segments: pa.Table
    tokens: pa.Table
    peers: pa.Table
    results: list[SegmentRead]


def read_segments(requests: Sequence[ReadRequest], max_rows: int = MAX_ROWS) -> SegmentResult:
    """Read the execution segments of many files.

    To follow a growing file, read it again from SegmentRead.next_number on, with SegmentRead.state:
    the rows are the same wherever a reading begins. A file that cannot be read does not stop the
    others: see SegmentRead.error.

    Args:
        requests: Requests for the files; from_record and remainder are not used.
        max_rows: Number of rows of all tables together at which reading stops. See
            SegmentRead.complete.
    """
    batch = DecoderBatch((), (), (), max_rows)
    results = []
    for request in requests:
        entry = add_file(batch, request, request.first_number, SEGMENTS)
        results.append(_result(request, entry))
    segments = columns(batch, SEGMENT_ROWS, _SEGMENT)
    segments["rule"] = pa.DictionaryArray.from_arrays(segments["rule"], pa.array(RULES))
    tokens = columns(batch, TOKENS, _TOKEN)
    for name in ("function", "module"):
        tokens[name] = texts(tokens[name])
    return SegmentResult(
        pa.table(segments), pa.table(tokens), pa.table(columns(batch, PEERS, _PEER)), results
    )


def _result(request: ReadRequest, entry: FileRead | ProfileError) -> SegmentRead:
    if isinstance(entry, ProfileError):
        return SegmentRead(request, None, entry, [], request.first_number)
    raw = entry.result
    if raw.error.text:
        return SegmentRead(request, None, error_of(request, raw), [], request.first_number)
    is_profile = raw.kind == PROFILE
    header = parse_header(bytes(raw.head), entry.owner, alive=entry.alive) if is_profile else None
    return SegmentRead(
        request,
        header,
        None,
        warnings_of(request.path, raw),
        # A file that became shorter must not make the next reading begin earlier than this one.
        max(raw.records_read, request.first_number),
        (raw.first_segment, raw.segments),
        (raw.first_token, raw.tokens),
        (raw.first_peer, raw.peers),
        bool(raw.complete),
        entry.state,
    )
