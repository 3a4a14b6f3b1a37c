"""Converts tables of the C decoder into Arrow columns."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

from jostle.reader.native import DecoderBatch
from jostle.reader.texts import clean_text


def columns(
    batch: DecoderBatch, table: int, kinds: Mapping[str, pa.DataType]
) -> dict[str, pa.Array]:
    """Return the columns of a table of the C decoder, by name.

    Args:
        batch: The decoder's batch of files, with its tables.
        table: Number of the table in the decoder, such as PEER_SLICES.
        kinds: Name and type of each column, in the decoder's order.
    """
    return {
        name: batch.binary(table, i) if kind == pa.binary() else batch.column(table, i, kind)
        for i, (name, kind) in enumerate(kinds.items())
    }


def texts(column: pa.Array) -> pa.Array:
    """Return a column of byte strings as text; each distinct value is decoded once."""
    encoded = column.dictionary_encode()
    clean = [clean_text(raw) for raw in encoded.dictionary.to_pylist()]
    return pa.array(clean, pa.string()).take(encoded.indices)
