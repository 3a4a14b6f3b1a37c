"""A small cluster on one machine: nodes, switches, a shared file system, all in namespaces.

One supervisor process owns a PID, network, mount and UTS namespace, and is the switches; the
storage and every node hang on it with namespaces of their own. When the supervisor ends, however
it ends, the kernel takes the whole lab with it. What remains is a state folder.
"""

from jostle.lab.checks import check_machine
from jostle.lab.lab import Lab, attach, down_all, labs, up
from jostle.lab.spec import LabError, LabSpec

__all__ = ["Lab", "LabError", "LabSpec", "attach", "check_machine", "down_all", "labs", "up"]
