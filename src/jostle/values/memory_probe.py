"""Converts the times of the runtime's probe of main memory (memory_probe.c) to its speed."""

from __future__ import annotations

#: Reads of `memory_latency_ns`, each of which waits for the one before.
LATENCY_READS = 64
#: Bytes of `memory_stream_ns`.
STREAM_BYTES = 32768
#: Weight of the stream's time in one number with the latency's: without load its reads overlap
#: about thirtyfold, and there are eight times as many. So both count about equally.
STREAM_WEIGHT = 4


def latency_ns(time_ns: float, count: float) -> float:
    """Return the latency of one read in nanoseconds.

    Args:
        time_ns: Value of metric `memory_latency_ns`.
        count: Value of metric `memory_probe_count`, above 0.
    """
    return time_ns / (count * LATENCY_READS)


def bandwidth(time_ns: float, count: float) -> float:
    """Return the bandwidth of one thread, in bytes per second; 0 where it took no time.

    Args:
        time_ns: Value of metric `memory_stream_ns`.
        count: Value of metric `memory_probe_count`.
    """
    return STREAM_BYTES * count / time_ns * 1e9 if time_ns > 0 else 0.0
