"""The API describes fields by the docstrings of their dataclasses."""

from __future__ import annotations

import math

from pydantic import TypeAdapter

from jostle.analysis import JobDigest
from jostle.analysis.spread import Range
from jostle.server.schemas.docstrings import describe_fields
from jostle.values.plain_values import plain


def test_fields_are_described_by_docstrings() -> None:
    whole = TypeAdapter(JobDigest).json_schema()
    schemas = {**whole.pop("$defs"), "JobDigest": whole}
    describe_fields(schemas)
    assert not [name for name, one in schemas.items() if "Attributes:" in one["description"]]
    assert schemas["JobDigest"]["description"] == (
        "The digest of a job: its metrics, each with minimum, mean and maximum over its processes."
    )
    fields = schemas["GpuDigest"]["properties"]
    assert all("description" in field for field in fields.values())
    assert fields["to_served"]["description"].endswith("; null without such copies.")


def test_a_number_that_is_not_known_is_null() -> None:
    adapter = TypeAdapter(Range)
    reported = plain(Range(1.0, math.nan, math.inf))
    assert reported == {"min": 1.0, "mean": None, "max": None}
    adapter.validate_python(reported)  # and the description allows it
    assert {"type": "null"} in adapter.json_schema()["properties"]["mean"]["anyOf"]
