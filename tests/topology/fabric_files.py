"""Small files of fabrics, and what reads them in tests."""

from __future__ import annotations

from pathlib import Path

from jostle.topology import Topology
from jostle.topology.reading import read_files

CONF = """# a tree
SwitchName=leaf1 Nodes=n[1-4] LinkSpeed=100
SwitchName=leaf2 Nodes=n[5-8]
SwitchName=top Switches=leaf[1-2]
"""
LINKS = """source,target,rate,lanes
n1,leaf1,100Gbit,1
n2,leaf1,100Gbit,1
n3,leaf2,100Gbit,1
n4,leaf2,100Gbit,1
leaf1,spine1,400Gbit,2
leaf1,spine2,400Gbit,2
leaf2,spine1,400Gbit,2
leaf2,spine2,400Gbit,2
"""


def read_texts(folder: Path, *texts: str, name: str = "fabric") -> list[Topology]:
    """Write texts as files, and read the fabrics that they describe together."""
    paths = []
    for number, text in enumerate(texts):
        paths.append(folder / f"file{number}")
        paths[-1].write_text(text)
    return read_files(paths, name)
