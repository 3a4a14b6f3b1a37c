"""Imports existing records of sites: Darshan logs, batch accounting, and counters of machines."""

from jostle.imports.accounting.importer import AccountingImport, AccountingReport
from jostle.imports.accounting.lsf import read_lsf
from jostle.imports.accounting.model import AccountingError
from jostle.imports.accounting.pbs import read_pbs
from jostle.imports.accounting.sacct import read_sacct
from jostle.imports.counters.importer import CounterReport
from jostle.imports.counters.ldms import LdmsReport, import_ldms
from jostle.imports.counters.mapping import CounterMap, CounterMapError, read_map, shipped
from jostle.imports.counters.prometheus import PrometheusClient, import_prometheus
from jostle.imports.darshan.importer import DarshanImport, DarshanReport
from jostle.imports.errors import ImportFailedError, MissingPackageError

__all__ = [
    "AccountingError",
    "AccountingImport",
    "AccountingReport",
    "CounterMap",
    "CounterMapError",
    "CounterReport",
    "DarshanImport",
    "DarshanReport",
    "ImportFailedError",
    "LdmsReport",
    "MissingPackageError",
    "PrometheusClient",
    "import_ldms",
    "import_prometheus",
    "read_lsf",
    "read_map",
    "read_pbs",
    "read_sacct",
    "shipped",
]
