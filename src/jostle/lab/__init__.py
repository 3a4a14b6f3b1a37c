"""A small cluster on one machine: nodes, switches, a shared file system, all in namespaces.

One supervisor process owns a PID, network, mount and UTS namespace. Its network namespace contains
the switches; the storage and every node are connected to them and have namespaces of their own.
When the supervisor ends for whatever reason, the kernel removes the whole lab. Only a state folder
remains.
"""

from jostle.lab.checks import check_machine
from jostle.lab.lab import Lab, attach, down_all, labs, up
from jostle.lab.spec import LabError, LabSpec

__all__ = ["Lab", "LabError", "LabSpec", "attach", "check_machine", "down_all", "labs", "up"]
