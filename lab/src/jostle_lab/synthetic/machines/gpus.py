"""Makes the counters of a node's GPUs that run a synthetic training job."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from jostle_lab.synthetic.machines.counters import Component, Stretch

#: PCI bus of each GPU of a node, and the root complex to which it is connected.
PLACES = tuple(
    (f"0000:{bus:02x}:00.0", f"pci0000:{root:02x}/0000:{root:02x}:01.0/0000:{bus:02x}:00.0")
    for root, bus in (
        (0x15, 0x1B),
        (0x37, 0x43),
        (0x48, 0x52),
        (0x59, 0x61),
        (0x97, 0x9D),
        (0xB7, 0xC3),
        (0xC7, 0xD1),
        (0xD7, 0xDF),
    )
)
MOST_GPUS = len(PLACES)
_CLOCK_KHZ, _IDLE_KHZ = 1_980_000, 345_000
_MEMORY = 85_899_345_920
_LIMIT_W, _IDLE_W = 700.0, 90.0
_STEPS = 45  # slices of training, then a pause that writes a checkpoint
_PAUSE = 4


def gpu_components(stretch: Stretch, row: int, gpus: int) -> Iterator[Component]:
    """Return the GPUs of a node, which run one training job.

    A fault `throttled GPU` affects the node's first GPU, `failing GPU` its last.

    Args:
        stretch: Span of time with its faults.
        row: Index of the node.
        gpus: Number of the node's GPUs, at most MOST_GPUS.
    """
    host, slice_ns = stretch.hosts[row], stretch.slice_s * 1e9
    number = np.round(stretch.seconds / stretch.slice_s).astype(np.int64)
    trains = (number + 7 * row) % (_STEPS + _PAUSE) < _STEPS
    size = len(number)
    for place, (name, path) in enumerate(PLACES[:gpus]):
        left = stretch.factor("throttled GPU", host) if place == 0 else np.ones(size)
        rate = np.zeros(size)
        for fault in stretch.faults:
            if fault.kind == "failing GPU" and fault.where == host and place == gpus - 1:
                rate += stretch.acting(fault) * fault.size * stretch.slice_s / 86_400
        busy = np.where(trains, 0.92 + 0.03 * stretch.rng.standard_normal(size), 0.02).clip(0, 1)
        clock = np.where(trains, _CLOCK_KHZ * left * (1 - 0.03 * busy), _IDLE_KHZ)
        watts = _IDLE_W + busy * (570 + 15 * stretch.rng.standard_normal(size))
        watts = np.where(trains & (left < 1), _LIMIT_W - 6, watts)
        moved = busy * stretch.slice_s
        yield Component(
            "gpu",
            name,
            "nvidia",
            path,
            values={
                "device_busy_ns": busy * slice_ns,
                "device_clock_khz": clock,
                "device_clock_limit_khz": np.full(size, _CLOCK_KHZ),
                "device_throttle_ns": np.where(trains & (left < 1), (1 - left) * 2 * slice_ns, 0),
                "device_peer_receive_bytes": 86e9 * moved,
                "device_peer_send_bytes": 85e9 * moved,
                "device_error_ops": stretch.rng.poisson(rate),
                "link_receive_bytes": 3.1e9 * moved,
                "link_send_bytes": 0.2e9 * moved + ~trains * 2e9,
                "link_rate_bytes": np.where(trains, 63_015_000_000, 7_877_000_000),
                "memory_used_bytes": np.full(size, 0.81 * _MEMORY),
                "memory_limit_bytes": np.full(size, _MEMORY),
                "power_energy_uj": watts * stretch.slice_s * 1e6,
                "power_limit_uw": np.full(size, _LIMIT_W * 1e6),
                "power_temperature_mc": 1000 * (34 + 36 * busy + 22 * (left < 1) * trains),
            },
        )
