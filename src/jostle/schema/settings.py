"""The settings of the runtime: their names.

Made by tools/generate.py from schema/settings.toml; do not edit.
"""

from typing import Final

#: Keys of the operator's file.
KEYS: Final = (
    "enabled",
    "slice",
    "spool",
    "segments",
    "segment_span",
    "core_probe",
    "memory_probe",
    "peers",
    "papi",
    "perf",
    "digest",
    "command_lines",
    "files",
    "exclude_programs",
    "exclude_paths",
    "unprofiled",
    "lock",
)
#: Variable of the environment by key.
VARIABLES: Final = {
    "enabled": "JOSTLE",
    "slice": "JOSTLE_SLICE",
    "spool": "JOSTLE_SPOOL",
    "segments": "JOSTLE_SEGMENTS",
    "segment_span": "JOSTLE_SEGMENT_SPAN",
    "core_probe": "JOSTLE_CORE_PROBE",
    "memory_probe": "JOSTLE_MEMORY_PROBE",
    "peers": "JOSTLE_PEERS",
    "papi": "JOSTLE_PAPI",
    "perf": "JOSTLE_PERF",
    "digest": "JOSTLE_DIGEST",
    "command_lines": "JOSTLE_COMMAND_LINES",
    "files": "JOSTLE_FILES",
    "exclude_programs": "JOSTLE_EXCLUDE_PROGRAMS",
    "exclude_paths": "JOSTLE_EXCLUDE_PATHS",
}
DEFAULT_SPOOL: Final = "/tmp/jostle"
#: Size of the largest operator's file that is read.
MAX_FILE_BYTES: Final = 65536
#: Lengths of a time slice.
SHORTEST_SLICE_NS: Final = 100_000_000
DEFAULT_SLICE_NS: Final = 4_000_000_000
LONGEST_SLICE_NS: Final = 60_000_000_000
