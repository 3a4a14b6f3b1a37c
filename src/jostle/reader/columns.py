"""Converts tables of the C decoder into Arrow columns."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

from jostle.reader.native import DecoderBatch
from jostle.reader.texts import clean_text


def columns(
    batch: DecoderBatch, table: int, kinds: Mapping[str, pa.DataType]
) -> dict[str, pa.Array]:
    """Return the columns of a table of the decoder, in the decoder's order.

    Args:
        batch: Batch of decoded files.
        table: Number of the table.
        kinds: Name and type of each column.
    """
    return {
        name: batch.binary(table, i) if kind == pa.binary() else batch.column(table, i, kind)
        for i, (name, kind) in enumerate(kinds.items())
    }


def texts(column: pa.Array) -> pa.Array:
    """Return byte strings as text; only few values are different."""
    encoded = column.dictionary_encode()
    clean = [clean_text(raw) for raw in encoded.dictionary.to_pylist()]
    return pa.array(clean, pa.string()).take(encoded.indices)
