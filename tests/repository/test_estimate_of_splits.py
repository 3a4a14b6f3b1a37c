"""An estimate does not depend on how a run was ingested: at once, or in parts."""

from __future__ import annotations

from test_segment_tables import make_loop

from jostle.analysis import estimate
from jostle.repository import Repository


def test_ranks_ingested_one_by_one_and_compacted(tmp_path):
    runs = []
    for name, together in (("once", True), ("split", False)):
        spool = tmp_path / name
        spool.mkdir()
        store = Repository(tmp_path / f"{name}-repository", create=True)
        for rank in range(4):
            make_loop(rank, level=rank % 3).write(spool)
            if not together:
                store.ingest([spool])
        store.ingest([spool])
        if not together:
            store.compact()
        runs.append(store.run_tables("alpha"))
    for method in ("jostle", "thesis"):
        once, split = (estimate(run, method=method).to_json() for run in runs)
        assert once == split
        assert once["ranks"] == 4 and once["run_s"] > 6
