"""The reader of profiles: decodes profiles and files of short-lived processes into Arrow tables.

Public interface:
    read_header: the process that wrote a file, its mounts, clock events and notes.
    read_profiles: the slices of many files, partners, collectives and GPUs, with no loop over rows.
    read_segments: their execution segments, with the calls that ended them, and peers.
    read_machines: the activity of the components of nodes and servers.
    read_files: the use of each file by processes.
    find_profiles: the files in spool folders.

The files are described byte by byte in docs/reference/profile-format.md; they may be truncated,
damaged or malicious. Whatever can be read is read, the rest is a warning, and a file from which
nothing can be read is a ProfileError.
"""

from __future__ import annotations

from jostle.reader.decode import (
    Bookmark,
    Decoded,
    Origin,
    ReadRequest,
    ReadResult,
    find_profiles,
    read_header,
    read_profiles,
)
from jostle.reader.errors import ProfileError
from jostle.reader.files import FILE_VALUES, FileTables, read_files
from jostle.reader.gpus import GPU_VALUES
from jostle.reader.header import (
    ClockEvent,
    Gpu,
    Mount,
    ProfileHeader,
    ProfileNote,
    ShortMount,
    ShortProcess,
    ShortsHeader,
)
from jostle.reader.machines import (
    Component,
    MachineHeader,
    MachineRead,
    MachineTables,
    read_machines,
)
from jostle.reader.segments import RULES, SegmentRead, SegmentResult, read_segments
from jostle.reader.traffic import COLLECTIVE_VALUES, PEER_VALUES
from jostle.schema.profile import SEGMENT_VALUES

__all__ = [
    "COLLECTIVE_VALUES",
    "FILE_VALUES",
    "GPU_VALUES",
    "PEER_VALUES",
    "RULES",
    "SEGMENT_VALUES",
    "Bookmark",
    "ClockEvent",
    "Component",
    "Decoded",
    "FileTables",
    "Gpu",
    "MachineHeader",
    "MachineRead",
    "MachineTables",
    "Mount",
    "Origin",
    "ProfileError",
    "ProfileHeader",
    "ProfileNote",
    "ReadRequest",
    "ReadResult",
    "SegmentRead",
    "SegmentResult",
    "ShortMount",
    "ShortProcess",
    "ShortsHeader",
    "find_profiles",
    "read_files",
    "read_header",
    "read_machines",
    "read_profiles",
    "read_segments",
]
