"""Runs Slurm in a lab: munge, a controller on the storage, one slurmd per node; no systemd.

Every job is profiled, as on a cluster whose operator installed the SPANK plugin or set Slurm's
TaskProlog (`integrations/slurm/`). The profiles are written to each node's own spool.
"""

from __future__ import annotations

import os
import secrets
import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from jostle import NativeMissingError, native_path
from jostle.files.loadable import is_loadable
from jostle_lab.cluster.service import Need, Service
from jostle_lab.cluster.spec import LabError
from jostle_lab.cluster.watch import listens

_PORT = 6817
#: Cores that a node reports: more than any machine of a lab has, so that ranks may share cores.
_CPUS = 64

_CONFIGURATION = """\
ClusterName={name}
SlurmctldHost=storage({address})
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
MailProg=/bin/true
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
TaskProlog={folder}/task_prolog
Prolog={folder}/prolog
Epilog={folder}/epilog
MpiDefault={mpi}
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
ReturnToService=2
EnforcePartLimits=ALL
KillWait=5
JobCompType=jobcomp/none
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
{submit}
{nodes}
PartitionName=lab Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""

# NOTE: nodes share a kernel and /tmp, and each has two networks: MPI uses eth0 only, and must
# not take two nodes for one.
_MPI = {
    "OMPI_MCA_btl": "tcp,self",
    "OMPI_MCA_btl_tcp_if_include": "eth0",
    "OMPI_MCA_oob_tcp_if_include": "eth0",
    "OMPI_MCA_pml": "ob1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "UCX_TLS": "tcp,self",
    "UCX_NET_DEVICES": "eth0",
}

_TASK_PROLOG = """\
#!/bin/sh
# What the tasks of a lab's jobs need; what they have already, they keep.
{lines}
{finish}
{preload}
"""

# slurmd's prolog and epilog, with the spool that sites set in jostle.conf.
_JOB_SCRIPT = """\
#!/bin/sh
JOSTLE_SPOOL={spool}
export JOSTLE_SPOOL
exec {script}
"""

_PLUGSTACK = "optional {plugin} library={library} min_slice=100ms max_slice=10s\n"

# Preloaded, so that MPICH programs end on nodes of one machine (integrations/mpich).
_FINISH = """\
case :$LD_PRELOAD: in
*{name}*) ;;
*)
    export LD_PRELOAD="${{LD_PRELOAD:+$LD_PRELOAD:}}"{path}
    echo "export LD_PRELOAD=$LD_PRELOAD"
    ;;
esac"""


class Slurm(Service):
    """The daemons of Slurm in a lab: munged, slurmctld, and a slurmd on every node."""

    name = "slurm"
    needs: ClassVar[tuple[Need, ...]] = (
        Need("munged", "munge"),
        Need("slurmctld", "slurmctld"),
        Need("slurmd", "slurmd"),
        Need("srun", "slurm-client"),
    )

    def start(self) -> None:
        """Start the daemons, and return when every node is idle."""
        site = self.site
        for folder in ("state", "pmix", *(node.name for node in site.nodes)):
            (self._folder / folder).mkdir(parents=True, mode=0o755)
        self._configure()
        self._authenticate()
        site.spawn(site.storage, ["slurmctld", "-D"], log="slurmctld", env=self._environment())
        site.wait_for(lambda: listens(site.storage, _PORT), "slurmctld")
        for node in site.nodes:
            self._start_node(node.name)
        site.wait_for(self._all_idle, "Slurm's nodes")

    def facts(self) -> dict[str, Any]:
        """Return the configuration by which Slurm's commands find this cluster."""
        return {"env": {"SLURM_CONF": str(self._folder / "slurm.conf")}}

    @classmethod
    def status(cls, facts: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Return the line of Slurm for `lab status`."""
        says = "partition lab; srun, sbatch, squeue on any node"
        if not _pmix():
            says += "; no --mpi=pmix (apt-get install libpmix-dev)"
        return [("slurm", says)]

    @property
    def _folder(self) -> Path:
        return self.site.folder / "slurm"

    def _environment(self) -> dict[str, str]:
        ours = {key: value for key, value in os.environ.items() if not key.startswith("SLURM")}
        return ours | {"SLURM_CONF": str(self._folder / "slurm.conf")}

    def _configure(self) -> None:
        site, folder = self.site, self._folder
        nodes = "\n".join(
            f"NodeName={node.name} NodeAddr={node.address} CPUs={_CPUS}" for node in site.nodes
        )
        text = _CONFIGURATION.format(
            name=site.spec.name,
            address=site.storage.address,
            folder=folder,
            nodes=nodes,
            mpi="pmix" if _pmix() else "none",
            submit=self._submit_plugin(),
        )
        (folder / "slurm.conf").write_text(text)
        # Not "autodetect": that searches for control groups, which are not needed here.
        (folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
        (folder / "mpi.conf").write_text(f"PMIxCliTmpDirBase={folder}/pmix\n")
        plugin = _plugin() if site.spec.slurm_preload == "plugin" else None
        spool = site.folder / "here" / "spool"
        scripts = {"task_prolog": _task_prolog(folder, spool, plugin)}
        for name in ("prolog", "epilog"):
            script = shlex.quote(str(native_path(f"slurm/{name}")))
            scripts[name] = _JOB_SCRIPT.format(spool=shlex.quote(str(spool)), script=script)
        for name, text in scripts.items():
            (folder / name).write_text(text)
            (folder / name).chmod(0o755)
        if plugin is not None:
            library = native_path("libjostle.so")
            (folder / "plugstack.conf").write_text(
                _PLUGSTACK.format(plugin=plugin, library=library)
            )

    def _submit_plugin(self) -> str:
        """Return the line that loads job_submit.lua from the folder of slurm.conf; "" if it cannot.

        It changes no job until there is a table in the same folder (integrations/slurm/README.md).
        """
        try:
            script = native_path("slurm/job_submit.lua")
        except NativeMissingError:
            return ""
        if not any(Path("/usr").glob("lib*/**/job_submit_lua.so")):
            return ""
        shutil.copy(script, self._folder)
        return "JobSubmitPlugins=lua"

    def _authenticate(self) -> None:
        """Start munged with a new key; its socket serves all hosts."""
        folder = self._folder
        key = folder / "munge.key"
        key.touch(mode=0o600)
        key.write_bytes(secrets.token_bytes(128))
        self.site.spawn(
            self.site.storage,
            [
                "munged",
                "--foreground",
                "--force",
                "--num-threads=2",
                f"--key-file={key}",
                f"--socket={folder}/munge.socket",
                f"--pid-file={folder}/munged.pid",
                f"--seed-file={folder}/munged.seed",
                f"--log-file={folder}/munged.log",
            ],
            log="munged",
        )
        self.site.wait_for((folder / "munge.socket").exists, "munged")

    def _start_node(self, name: str) -> None:
        site = self.site
        node = next(node for node in site.nodes if node.name == name)
        # Steps with the same number on two nodes share this folder; PMIx then fails with "File
        # exists".
        site.run(node, ["mount", "-t", "tmpfs", "-o", "mode=755", "pmix", f"{self._folder}/pmix"])
        command = ["slurmd", "-D", "-N", name]
        site.spawn(node, command, log=f"slurmd-{name}", env=self._environment())

    def _all_idle(self) -> bool:
        command = ["sinfo", "--noheader", "--Node", "--format=%T"]
        try:
            states = self.site.run(self.site.storage, command, env=self._environment())
        except LabError:
            return False
        return states.split() == ["idle"] * len(self.site.nodes)


def _plugin() -> Path | None:
    """Return the path of the SPANK plugin; None if it is not built (it needs Slurm's headers)."""
    try:
        return native_path("spank_jostle.so")
    except NativeMissingError:
        return None


def _task_prolog(folder: Path, spool: Path, plugin: Path | None) -> str:
    """Return the TaskProlog: the lab's environment; without the plugin, also the preloading."""
    variables = {"JOSTLE_SPOOL": str(spool), "SLURM_CONF": str(folder / "slurm.conf"), **_MPI}
    lines = "\n".join(
        f'[ -n "${key}" ] || echo {shlex.quote(f"export {key}={value}")}'
        for key, value in variables.items()
    )
    preload = ""
    if plugin is None:
        preload = "exec " + shlex.quote(str(native_path("slurm-task-prolog")))
    return _TASK_PROLOG.format(lines=lines, finish=_finish(), preload=preload)


def _finish() -> str:
    """Return the lines that preload the lab's fix for MPICH; empty if it is not built."""
    name = "libjostle_lab_mpich.so"
    try:
        return _FINISH.format(name=name, path=shlex.quote(str(native_path(name))))
    except NativeMissingError:
        return ""


def _pmix() -> bool:
    """Return whether Slurm's plugin for PMIx finds its library (libpmix.so without a version)."""
    patterns = ("lib/*/pmix2/lib/libpmix.so", "lib/*/libpmix.so", "lib64/libpmix.so")
    return any(is_loadable(path) for pattern in patterns for path in Path("/usr").glob(pattern))
