"""An estimate does not depend on how a run came into the repository: at once, or bit by bit."""

from __future__ import annotations

import pytest
from test_segment_tables import make_loop

from jostle.analysis import estimate
from jostle.repository import Repository


@pytest.mark.parametrize("method", ["jostle", "thesis"])
def test_ranks_ingested_one_by_one_and_compacted(tmp_path, method):
    found = []
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
        found.append(estimate(store.run_tables("alpha"), method=method).to_json())
    assert found[0] == found[1]
    assert found[0]["ranks"] == 4 and found[0]["run_s"] > 6
