"""Small files of fabrics for tests, and how they are read."""

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

#: Two switches and two adapters, as a discovery has them; NAME is filled in.
DISCOVERY = """
Switch	36 "S-00000000000000a1"		# "leaf" enhanced port 0 lid 1 lmc 0
[1]	"H-0000000000000001"[1](11) 		# "n1 HCA-1" lid 11 4xEDR
[2]	"H-0000000000000002"[1](21) 		# "NAME" lid 12 4xHDR
[3]	"S-00000000000000a2"[3]		# "spine" lid 2 4xSDR

Switch	36 "S-00000000000000a2"		# "spine" base port 0 lid 2 lmc 0
[3]	"S-00000000000000a1"[3]		# "leaf" lid 1 4xSDR
[ext 4]	"H-0000000000000002"[2](22) 		# "NAME" lid 13 2xNDR

Ca	2 "H-0000000000000001"		# "n1 HCA-1"
[1](11) 	"S-00000000000000a1"[1]		# lid 11 lmc 0 "leaf" lid 1 4xEDR

Ca	2 "H-0000000000000002"		# "NAME"
[1](21) 	"S-00000000000000a1"[2]		# lid 12 lmc 0 "leaf" lid 1 4xHDR
[2](22) 	"S-00000000000000a2"[4]		# lid 13 lmc 0 "spine" lid 2 2xNDR
"""


def read_texts(folder: Path, *texts: str, name: str = "fabric") -> list[Topology]:
    """Write texts as files, and read the fabrics that they describe together."""
    paths = []
    for number, text in enumerate(texts):
        paths.append(folder / f"file{number}")
        paths[-1].write_text(text)
    return read_files(paths, name)
