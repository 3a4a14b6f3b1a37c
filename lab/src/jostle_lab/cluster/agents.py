"""Runs the agents of a lab: samplers, and shippers that send to a receiver on the storage.

A lab with a topology has one more, on the machine `switches`: it counts the ports of all switches.

Without Slurm there is no MUNGE, and so no shipper: samplers write to the spool in each host's own
folder, where studies collect the files.

The receiver is not part of the lab: a test of a site starts `jostle receive` on the storage, with
the configuration in the lab's folder. Nodes show MUNGE credentials, so it needs Slurm.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from jostle import native_path
from jostle_lab.cluster import network
from jostle_lab.cluster.filesystems.cephfs import SOCKETS
from jostle_lab.cluster.registry import filesystem
from jostle_lab.cluster.service import Host, Need, Service

_LOOP_MAJOR = 7
#: The supervisor, whose network namespace has the ports of all switches.
_SWITCHES = Host(network.SWITCHES, 1, network.SWITCHES_ADDRESS, network.SWITCHES_ADDRESS)
#: Port of the receiver on the storage.
PORT = 8643
#: RATIONALE: waiting for storage is counted by the kernel, which all hosts share. Where the lab's
#: storage is memory nothing in it waits: whatever is counted comes from the rest of this machine.
_WITHOUT_PRESSURE = (
    *("unshare", "--mount", "sh", "-c"),
    'mount -t tmpfs none /proc/pressure 2>/dev/null; exec "$@"',
    "sampler",
)
_SHIP = """\
# agent.conf of {host}
spool = {spool}
node = {host}
receiver = http://{address}:{port}
munge = on
munge_socket = {munge}
interval = {interval}
"""
_RECEIVE = """\
# receive.toml of this lab: jostle receive --config FILE
listen = "0.0.0.0:{port}"
mirror = "{folder}/mirror"
munge = true
munge_socket = "{munge}"
free_bytes = 67108864
"""


class Agents(Service):
    """A sampler on every host, and a shipper where there is Slurm."""

    name = "agents"
    needs: ClassVar[tuple[Need, ...]] = ()

    def start(self) -> None:
        """Start the agents; shippers retry until the receiver answers."""
        site = self.site
        hosts = (*site.servers, *site.nodes, *([_SWITCHES] if site.spec.topology else []))
        if site.spec.slurm:
            self._configure(hosts)
        for host in hosts:
            self._start_on(host)

    def _configure(self, hosts: Sequence[Host]) -> None:
        """Write the configurations of the shippers, and of the receiver that they send to."""
        site = self.site
        munge = site.folder / "slurm" / "munge.socket"
        receive = _RECEIVE.format(port=PORT, folder=site.local(site.storage), munge=munge)
        (site.folder / "receive.toml").write_text(receive)
        for host in hosts:
            conf = site.local(host) / "agent.conf"
            conf.write_text(
                _SHIP.format(
                    host=host.name,
                    spool=self._spool(host),
                    port=PORT,
                    munge=munge,
                    address=network.storage_address(network.STORAGE_NUMBER),
                    interval=site.spec.agents,
                )
            )

    @classmethod
    def status(cls, facts: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Return the lines of the agents for `lab status`."""
        if facts.get("ship"):
            return [("agents", f"send to port {PORT} of the storage: jostle receive")]
        return [("agents", "write to here/spool on every host")]

    def facts(self) -> dict[str, Any]:
        """Return whether profiles are sent to a receiver."""
        return {"ship": self.site.spec.slurm}

    def _spool(self, host: Host) -> str:
        return str(self.site.local(host) / "spool")

    def _loop(self) -> int | None:
        """Return the number of the store's loop device; None if the store is in memory."""
        both = self.site.spec.store == "both"
        device = os.stat(self.site.store / "disk" if both else self.site.store).st_dev
        return os.minor(device) if os.major(device) == _LOOP_MAJOR else None

    def _start_on(self, host: Host) -> None:
        site = self.site
        served = filesystem(site.spec.fs)(site).source
        by = ",".join(
            ["eth1", *([f"loop{number}"] if (number := self._loop()) is not None else [])]
        )
        words = (
            ["--serves", served, "--serves-by", by] if host in site.servers else ["--role", "node"]
        )
        # Never the disks of this machine, which are not the lab's.
        words += ["--ceph", str(site.local(host) / SOCKETS)]
        environment = {"JOSTLE_SPOOL": self._spool(host), "JOSTLE_SLICE": site.spec.agents}
        sampler = [str(native_path("jostle-agent")), "sample", *words]
        if site.spec.store == "ram":
            sampler = [*_WITHOUT_PRESSURE, *sampler]
        site.spawn(host, sampler, log=f"sampler-{host.name}", env=environment)
        if not site.spec.slurm:
            return
        conf = site.local(host) / "agent.conf"
        shipper = [str(native_path("jostle-ship")), "--config", str(conf)]
        site.spawn(host, shipper, log=f"shipper-{host.name}", env=environment)
