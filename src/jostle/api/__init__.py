"""The Python API: `import jostle` in scripts and notebooks.

Public interface:
    open: opens the repository of a site.
    Site: the jobs of a site, and SQL queries of the repository's tables.
    Job: the activity of a job, and its loss to interference.
    Table: rows, as objects or as a data frame.
    Process, Mount, Gpu, FileUse, Step, Machine, Component: types of a table's rows.
    Digest, Estimate, Interference, Verdict, Background: results of the analysis with a display.
    JostleWarning: warning that an answer lacks data.
    MissingPackageError: error that a Python package is missing.

Each number is computed by the function that also computes it for the command line.
docs/reference/python.md describes the API.
"""

from __future__ import annotations

from jostle.api.background import Background
from jostle.api.errors import JostleWarning, MissingPackageError
from jostle.api.job import Job
from jostle.api.machines import Component, Machine
from jostle.api.results import Digest, Estimate, Interference, Verdict
from jostle.api.rows import FileUse, Gpu, Mount, Process, Step
from jostle.api.site import Site, open  # noqa: A004
from jostle.api.table import Table

__all__ = [
    "Background",
    "Component",
    "Digest",
    "Estimate",
    "FileUse",
    "Gpu",
    "Interference",
    "Job",
    "JostleWarning",
    "Machine",
    "MissingPackageError",
    "Mount",
    "Process",
    "Site",
    "Step",
    "Table",
    "Verdict",
    "open",
]
