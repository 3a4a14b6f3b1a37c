"""Takes what sites have already into a repository: logs of Darshan, and accounting."""

from jostle.imports.accounting.importer import AccountingImport, AccountingReport
from jostle.imports.accounting.lsf import read_lsf
from jostle.imports.accounting.model import AccountingError
from jostle.imports.accounting.pbs import read_pbs
from jostle.imports.accounting.sacct import read_sacct
from jostle.imports.darshan.importer import DarshanImport, DarshanReport
from jostle.imports.errors import ImportFailedError, MissingPackageError

__all__ = [
    "AccountingError",
    "AccountingImport",
    "AccountingReport",
    "DarshanImport",
    "DarshanReport",
    "ImportFailedError",
    "MissingPackageError",
    "read_lsf",
    "read_pbs",
    "read_sacct",
]
