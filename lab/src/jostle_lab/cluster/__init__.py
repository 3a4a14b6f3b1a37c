"""A small cluster on one machine: nodes, switches, a shared file system, all in namespaces.

One supervisor process owns a PID, network, mount and UTS namespace. Its network namespace contains
the switches; the storage and every node are connected to them and have namespaces of their own.
When the supervisor ends for whatever reason, the kernel removes the whole lab. Only a state folder
remains.
"""

from jostle_lab.cluster.checks import check_machine
from jostle_lab.cluster.lab import Lab, attach, down_all, labs, up
from jostle_lab.cluster.spec import LabError, LabSpec

__all__ = ["Lab", "LabError", "LabSpec", "attach", "check_machine", "down_all", "labs", "up"]
