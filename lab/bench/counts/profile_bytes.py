"""Counts bytes of a fixed workload's slices in a profile: counters only, by the encoder itself."""

from __future__ import annotations

from counts.figure import ROOT, Figure, Figures, compiled, run, variables, work_folder

_ENCODER = ("runtime/src/profile/encode.c", "runtime/src/jst_metrics.c")


def measure() -> Figures:
    """Count the bytes; return the counts by name."""
    with work_folder("profile-bytes") as folder:
        sources = [str(ROOT / path) for path in _ENCODER]
        sources += [f"-I{ROOT / 'runtime' / each}" for each in ("src", "include")]
        program = compiled(folder, "counted_bytes", *sources)
        lines = run([program], folder, variables(folder, is_bare=True)).splitlines()
    pairs = (line.split(" ", 1) for line in lines)
    return {f"1000 slices: {name}": Figure(int(count)) for count, name in pairs}
