"""The sampler with a stand-in for NVIDIA's library (agent/test/fake_nvml.c)."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

from conftest import ROOT, native
from jostle.reader import ReadRequest, read_machines


def test_gpus_are_in_the_profile(tmp_path: Path) -> None:
    subprocess.run(
        [
            "cc",
            "-shared",
            "-fPIC",
            str(ROOT / "agent/test/fake_nvml.c"),
            "-o",
            str(tmp_path / "libnvidia-ml.so.1"),
        ],
        check=True,
    )
    play = tmp_path / "play"
    play.write_text("clock 1755 energy 10 gpm21 100 by_heat 0 nvlink 2")
    spool = tmp_path / "spool"
    spool.mkdir()
    sampler = subprocess.Popen(
        [str(native("jostle-agent")), "sample"],
        env=os.environ
        | {
            "JOSTLE_SPOOL": str(spool),
            "JOSTLE_SLICE": "100ms",
            "FAKE_NVML": str(play),
            "LD_LIBRARY_PATH": str(tmp_path),
        },
    )
    try:
        time.sleep(0.8)
        later = tmp_path / "later"
        later.write_text("clock 900 energy 510 gpm21 100 by_heat 77000 nvlink 2")
        later.rename(play)
        time.sleep(0.5)
        sampler.send_signal(signal.SIGTERM)
        assert sampler.wait(timeout=20) == 0
    finally:
        sampler.kill()
    (path,) = spool.glob("machine.*.jsm")
    tables = read_machines([ReadRequest(path, 0)])
    head = tables.results[0].header
    assert head
    gpus = {each.name: number for number, each in enumerate(head.components) if each.kind == "gpu"}
    assert set(gpus) == {"0000:3b:00.0", "0000:af:00.0", "MIG-0000-1"}
    sources = [head.components[number].source for number in sorted(gpus.values())]
    assert sorted(sources) == ["", "0000:3b:00.0", "0000:3b:00.0"]  # an instance has no NVLink
    rows = tables.slices.to_pylist()
    first = [row for row in rows if row["component"] == gpus["0000:3b:00.0"]]
    assert sum(row["power_energy_uj"] for row in first) == 500_000
    # Times are kept with the precision of all times in a profile.
    assert abs(sum(row["device_throttle_ns"] for row in first) - 77_000) < 0.1 * 77_000
    assert first[-1]["device_clock_khz"] == 900_000
    received = sum(row["link_receive_bytes"] for row in first)
    assert 0.5 * 104_857_600 < received < 2 * 104_857_600
