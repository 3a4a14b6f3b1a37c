"""The reader of profiles: decodes profiles and files of short-lived processes into Arrow tables.

Public interface:
    read_header: reads the header of one profile: its process, mounts, clock events and notes.
    read_profiles: reads the slices of many profiles, with partners, collectives and GPUs.
    read_segments: reads the execution segments of many profiles, and the calls that ended them.
    read_machines: reads the activity of the components of nodes and servers.
    read_files: reads how the processes of many profiles used each file.
    find_profiles: lists the profiles in spool folders.

Profiles are described byte by byte in docs/reference/profile-format.md; they may be truncated,
damaged or malicious. Whatever can be read is read. Each part that cannot be read gives a warning; a
profile of which no part can be read gives a ProfileError.
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
