"""Takes what sites have already into a repository: logs of Darshan, and accounting."""

from jostle.imports.darshan.importer import DarshanImport, DarshanReport
from jostle.imports.errors import ImportFailedError, MissingPackageError

__all__ = ["DarshanImport", "DarshanReport", "ImportFailedError", "MissingPackageError"]
