"""Packages for nodes: each is installed in a throw-away copy of this machine, used, and removed."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from jostle.repository import Repository

ROOT = Path(__file__).parents[2]
#: Runs a script on this machine's files as a new root: what it writes lies in memory, and is gone.
THROW_AWAY = """set -eu
place=$1 out=$2
mount -t tmpfs none "$place"
mkdir "$place/up" "$place/work" "$place/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$place/up,workdir=$place/work" "$place/root"
mount -t proc proc "$place/root/proc"
mount --rbind /dev "$place/root/dev"
mount --bind "$out" "$place/root/mnt"
exec chroot "$place/root" sh -eux /mnt/script
"""
#: What an operator does with the package, and what must hold. It runs in the copy.
TRIAL = """
[ ! -e /opt/jostle ] && [ ! -e /etc/jostle ] && [ ! -e /var/spool/jostle ]
{install}
[ "$(stat -c %a:%U /var/spool/jostle)" = 1777:root ]
cd /tmp
unset LD_PRELOAD JOSTLE_SPOOL JOSTLE_CONFIG
/opt/jostle/bin/jostle-run --job trial dd if=/dev/zero of=written bs=4096 count=100
/opt/jostle/share/jostle/slurm/task_prolog >told
grep -x 'export LD_PRELOAD=/opt/jostle/lib/libjostle.so' told
LD_PRELOAD=/opt/jostle/lib/libjostle.so JOSTLE_JOB=preloaded dd if=/dev/zero of=written count=7
cp /var/spool/jostle/*.js? /mnt/
for file in /opt/jostle/bin/* /opt/jostle/lib/*.so; do
    if ldd "$file" | grep 'not found'; then exit 1; fi
done
/opt/jostle/bin/jostle-agent --version
grep ExecStart=/opt/jostle/bin/jostle-agent /usr/lib/systemd/system/jostle-agent-sampler.service
echo 'slice = 1s' >>/etc/jostle/jostle.conf
{remove}
[ ! -e /opt/jostle ]
ls /var/spool/jostle/*.js?
{after}
"""
DEB = {
    "install": "dpkg -i /mnt/package",
    "remove": "dpkg -r jostle-node",
    "after": "grep 1s /etc/jostle/jostle.conf; dpkg -P jostle-node; [ ! -e /etc/jostle ]",
}
RPM = {  # the machine is no rpm one: what must be there is held against the list by hand
    "install": "rpm -i --nodeps /mnt/package",
    "remove": "rpm -e jostle-node",
    "after": "grep 1s /etc/jostle/jostle.conf.rpmsave",
}


@pytest.fixture(scope="module")
def packages() -> dict[str, Path]:
    if not (ROOT / "build/CPackConfig.cmake").exists():
        pytest.skip("there is no build in build/")
    if not shutil.which("dpkg-shlibdeps"):
        pytest.skip("no dpkg-shlibdeps here")
    done = subprocess.run(
        [ROOT / "tools/packages.sh", "deb", "rpm"], check=True, capture_output=True, text=True
    )
    paths = [ROOT / line for line in done.stdout.split()]
    return {path.suffix[1:]: path for path in paths}


@pytest.mark.parametrize(("kind", "steps"), [("deb", DEB), ("rpm", RPM)])
def test_a_package_can_be_installed_used_and_removed(
    kind: str, steps: dict[str, str], packages: dict[str, Path], tmp_path: Path
) -> None:
    if kind not in packages:
        pytest.skip("no rpmbuild here")
    if os.geteuid() != 0:
        pytest.skip("a copy of the machine needs root")
    place, out = tmp_path / "place", tmp_path / "out"
    place.mkdir()
    out.mkdir()
    shutil.copy(packages[kind], out / "package")
    (out / "script").write_text(TRIAL.format(**steps))
    command = ["unshare", "-m", "sh", "-c", THROW_AWAY, "sh", place, out]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if "overlay" in done.stderr and "+" not in done.stderr:
        pytest.skip(f"no overlay here: {done.stderr}")
    assert done.returncode == 0, done.stdout + done.stderr
    assert not Path("/opt/jostle/lib/libjostle.so").exists(), "it was installed here"
    with Repository.of_spool([out]) as store:
        jobs = store.query("SELECT job, sum(posix_write_bytes) AS bytes FROM mount_slices "
                           "GROUP BY job ORDER BY job").to_pylist()  # fmt: skip
    assert jobs == [{"job": "preloaded", "bytes": 7 * 512}, {"job": "trial", "bytes": 409600}]


def test_nodes_need_no_mpi(packages: dict[str, Path]) -> None:
    """Adapters are loaded into programs of their MPI; a node without it needs nothing of it."""
    for kind, command in (("deb", ["dpkg-deb", "-f", "Depends"]), ("rpm", ["rpm", "-qpR"])):
        if kind not in packages:
            continue
        words = [command[0], command[1], packages[kind], *command[2:]]
        needs = subprocess.run(words, check=True, capture_output=True, text=True).stdout
        assert "libc" in needs
        assert not [word for word in ("mpi", "python", "jostle.so") if word in needs], needs
