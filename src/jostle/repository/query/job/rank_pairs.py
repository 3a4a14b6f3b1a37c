"""Reads the traffic between the ranks of a job, over the whole run."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from jostle.repository.query.engine import Engine, total
from jostle.repository.query.lifetimes import FOR_EVER

_SLACK_NS = 60 * 10**9  # a slice may begin before its job and end after it
_WORLD = """
WITH worlds AS (SELECT coalesce(world, '') AS world, count(*) AS many
                FROM {processes} WHERE job = $1 AND world_rank >= 0 GROUP BY ALL
                ORDER BY many DESC, world LIMIT 1),
ranks AS (SELECT process, world_rank AS rank, arg_max(host, revision) AS host,
                 max(world_size)::BIGINT AS size
          FROM {processes} WHERE job = $1 AND world_rank >= 0
            AND coalesce(world, '') = (SELECT world FROM worlds)
          GROUP BY process, world_rank)
"""


@dataclass(frozen=True)
class RankPairs:
    """Traffic between the ranks of a job's largest world.

    Attributes:
        ranks: The ranks: rank, host, size (of the world).
        pairs: Messages, as the sender counted them: rank (the sender), peer (the receiver), bytes,
            ops.
        collectives: Collective calls, added up over the ranks: communicator, ranks (a list),
            operation, root, ops, bytes.
    """

    ranks: pa.Table
    pairs: pa.Table
    collectives: pa.Table


def rank_pairs(engine: Engine, job: str) -> RankPairs:
    """Return the traffic between the ranks of a job (see Repository.rank_pairs)."""
    life = engine.lives.known().get(job, (0, 0))
    window = max(life[0] - _SLACK_NS, 0), min((life[1] or FOR_EVER[1]) + _SLACK_NS, FOR_EVER[1])

    def ask(question: str) -> pa.Table:
        def sql() -> str:
            timed = ("peer_slices", "collective_slices", "communicators")
            tables = {name: engine.stored(name, *window) for name in timed}
            return (_WORLD + question).format(processes=engine.stored("processes"), **tables)

        return engine.ask(sql, [job])

    return RankPairs(
        ask(
            "SELECT rank::BIGINT AS rank, coalesce(any_value(host), '') AS host, "
            "max(size) AS size FROM ranks GROUP BY rank ORDER BY rank"
        ),
        ask(
            "SELECT r.rank::BIGINT AS rank, p.peer::BIGINT AS peer, "
            f"{total('sent_bytes')} AS bytes, {total('sent_ops')} AS ops "
            "FROM {peer_slices} p JOIN ranks r USING (process) "
            "WHERE p.job = $1 AND p.peer >= 0 GROUP BY r.rank, p.peer "
            "HAVING bytes > 0 OR ops > 0 ORDER BY r.rank, p.peer"
        ),
        ask(
            "SELECT c.communicator, any_value(m.ranks) AS ranks, c.operation, c.root, "
            f"{total('c.ops')} AS ops, {total('c.bytes')} AS bytes "
            "FROM {collective_slices} c JOIN ranks r USING (process) LEFT JOIN "
            "(SELECT communicator, any_value(ranks) AS ranks FROM {communicators} "
            "WHERE job = $1 GROUP BY communicator) m ON m.communicator = c.communicator "
            "WHERE c.job = $1 GROUP BY c.communicator, c.operation, c.root "
            "ORDER BY c.communicator, c.operation, c.root"
        ),
    )
