"""Measures which share of an MPI run is in recurring kinds of segments, and the segments' bytes."""

from __future__ import annotations

from measure import Bench, Row, joined, say
from mpi import emptied, variants
from profiles import records
from rows.mpi.mpi_cases import HYBRID, ICOFOAM, LAMMPS, SOLVER, WAVEFRONT, Case, prepare

CASES = [LAMMPS, ICOFOAM, SOLVER, WAVEFRONT, HYBRID]
SECONDS = 15.0
TARGET = 90.0  # %


def stored_bytes(bench: Bench) -> int:
    """Bytes of the records with segments in all profiles of the spool."""
    from jostle.reader import find_profiles

    found = 0
    for path in find_profiles([bench.disk / "spool-mpi-segments"]):
        found += sum(record.size for record in records(path)[1] if record.kind == "G")
    return found


def case_row(bench: Bench, case: Case) -> Row:
    """Measure one run of ten seconds and more under jostle by its segments in the repository."""
    from jostle.repository import Repository

    target = f">= {TARGET:.0f} %"
    prepared = prepare(bench, case, SECONDS)
    spool = emptied(bench.disk / "spool-mpi-segments")
    seconds = prepared.once(bench, variants(bench, spool, with_peers=False)["jostle"])
    with Repository.of_spool(spool) as repository:
        worlds = repository.segments("bench").worlds
    if not worlds:
        raise RuntimeError("no segments")
    world = worlds[0]
    share = 100 * world.coverage
    stored = sum(world.rank_segments)
    notes = [
        f"{world.verdict}, {seconds:.0f} s, {stored} segments of {world.world_size} ranks",
        f"{stored_bytes(bench) / max(stored, 1):.0f} B each",
        "rules: " + ", ".join(f"{name} {part:.0%}" for name, part in world.rules.items()),
        f"merged: {world.boundaries} boundaries, {100 * world.merged_coverage:.0f} %",
        *world.notes,
    ]
    what = f"segments: {case.name}"
    return Row("mpi-segments", what, "%", target, share >= TARGET, ours=share, note=joined(notes))


def rows(bench: Bench) -> list[Row]:
    """Measure all programs that are installed."""
    found: list[Row] = []
    for case in CASES:
        what, target = f"segments: {case.name}", f">= {TARGET:.0f} %"
        if not case.installed:
            found.append(Row("mpi-segments", what, "%", target, note="not installed", skipped=True))
            continue
        say(f"  {case.name}")
        try:
            found.append(case_row(bench, case))
        except Exception as error:  # other programs may reach it
            note = f"failed: {type(error).__name__}: {error}"
            found.append(Row("mpi-segments", what, "%", target, note=note))
    return found
