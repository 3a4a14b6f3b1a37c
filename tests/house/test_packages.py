"""Packages for nodes and the host: each is installed in a disposable copy, used, and removed."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from conftest import native
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
# As on a machine that systemd started; what it is asked is in a file.
mkdir -p /run/systemd/system
rm -f /usr/bin/systemctl
printf '%s\\n' '#!/bin/sh' 'echo "$@" >>/tmp/asked' >/usr/bin/systemctl
chmod 755 /usr/bin/systemctl
rm -f /tmp/asked
{install}
grep -x 'try-restart jostle-agent-sampler jostle-ship' /tmp/asked
rm /tmp/asked
{upgrade}
grep -x 'try-restart jostle-agent-sampler jostle-ship' /tmp/asked
if grep disable /tmp/asked; then exit 1; fi
[ "$(stat -c %a:%U /var/spool/jostle)" = 1777:root ]
cd /tmp
unset LD_PRELOAD JOSTLE_SPOOL JOSTLE_CONFIG
/opt/jostle/bin/jostle-run --job trial dd if=/dev/zero of=written bs=4096 count=100
/opt/jostle/share/jostle/slurm/task_prolog >output
grep -x 'export LD_PRELOAD=/opt/jostle/lib/jostle-preload/$PLATFORM/libjostle.so' output
test /opt/jostle/lib/libjostle.so -ef /opt/jostle/lib/jostle-preload/x86_64/libjostle.so
test -f /opt/jostle/lib/jostle-preload/i686/libjostle.so
LD_PRELOAD=/opt/jostle/lib/libjostle.so JOSTLE_JOB=preloaded dd if=/dev/zero of=written count=7
cp /var/spool/jostle/*.js? /mnt/
for file in /opt/jostle/bin/* /opt/jostle/lib/*.so; do
    if ldd "$file" | grep 'not found'; then exit 1; fi
done
/opt/jostle/bin/jostle-agent --version
[ ! -e /usr/lib/systemd/system/jostle-receive.service ] && [ ! -e /opt/jostle/lib/systemd ]
grep ExecStart=/opt/jostle/bin/jostle-agent /usr/lib/systemd/system/jostle-agent-sampler.service
echo 'slice = 1s' >>/etc/jostle/jostle.conf
{remove}
grep -x 'disable --now jostle-agent-sampler jostle-ship' /tmp/asked
[ ! -e /opt/jostle ]
ls /var/spool/jostle/*.js?
{after}
"""
DEB = {
    "install": "dpkg -i /mnt/package",
    "upgrade": "dpkg -i /mnt/package",
    "remove": "dpkg -r jostle-node",
    "after": "grep 1s /etc/jostle/jostle.conf; dpkg -P jostle-node; [ ! -e /etc/jostle ]",
}
RPM = {  # the machine is no rpm one: what must be there is held against the list by hand
    "install": "rpm -i --nodeps /mnt/package",
    "upgrade": "rpm -U --force --nodeps /mnt/package",
    "remove": "rpm -e jostle-node",
    "after": "grep 1s /etc/jostle/jostle.conf.rpmsave",
}
#: What the operator of the repository's host does, up to a profile that a node's shipper sends.
SITE_TRIAL = """
[ ! -e /opt/jostle ] && [ ! -e /etc/jostle ] && [ ! -e /var/lib/jostle ]
dpkg -i /mnt/package
cd /tmp
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
unset LD_PRELOAD JOSTLE_SPOOL JOSTLE_CONFIG PYTHONPATH
fails() {{ if "$@"; then exit 1; fi; }}  # set -e passes over a `!`
jostle --version
[ -z "$(find /opt/jostle/venv -name direct_url.json)" ]
[ "$(stat -c %a:%U /var/lib/jostle)" = 700:jostle ]
fails grep '^[^#]' /etc/jostle/receive.toml /etc/jostle/site.conf
if command -v systemd-analyze; then
    systemd-analyze verify --man=no /usr/lib/systemd/system/jostle-*.service 2>verified || true
    fails grep jostle verified
fi
as_jostle() {{ setpriv --reuid jostle --regid jostle --clear-groups "$@"; }}
fails as_jostle jostle receive 2>refused
grep 'has no address to listen on' refused
token=$(jostle receive token node1)
chown jostle /etc/jostle/receive.tokens
cat >>/etc/jostle/receive.toml <<'END'
listen = "127.0.0.1:{port}"
tokens = "/etc/jostle/receive.tokens"
END
repository=/var/lib/jostle/repository
as_jostle jostle receive --config /etc/jostle/receive.toml --repository $repository >log 2>&1 &
receiver=$!
until grep 127.0.0.1 log; do kill -0 $receiver; sleep 0.2; done
mkdir spool
native=$(echo /opt/jostle/venv/lib/python3*/site-packages/jostle/_native)
$native/jostle-run --spool /tmp/spool --job trial dd if=/dev/zero of=written bs=4096 count=100
umask 077
echo not-the-one >token
printf '%s\n' 'receiver = http://127.0.0.1:{port}' 'spool = /tmp/spool' 'node = node1' \
    'token_file = /tmp/token' >agent.conf
fails /mnt/jostle-ship --config agent.conf --once
ls spool/*.js?
echo "$token" >token
/mnt/jostle-ship --config agent.conf --once
for try in $(seq 100); do
    as_jostle jostle jobs --repository $repository | grep trial && break
    sleep 0.2
done
as_jostle jostle jobs --repository $repository | grep trial
chmod 1777 spool
for user in alice bob; do
    useradd --no-create-home $user
    setpriv --reuid $user --clear-groups $native/jostle-run --spool /tmp/spool --job of-$user \
        dd if=/dev/zero of=/dev/null bs=4096 count=100
done
/mnt/jostle-ship --config agent.conf --once
for try in $(seq 100); do
    as_jostle jostle jobs --repository $repository | grep of-bob@bob && break
    sleep 0.2
done
umask 022
cd /etc/jostle
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -keyout key.pem -out cert.pem \
    -subj /CN=localhost -addext subjectAltName=DNS:localhost 2>/dev/null
printf '%s\n' 'url = "https://localhost:{page}"' 'audit = "/var/log/jostle/audit.jsonl"' \
    '[accounts]' 'file = "/etc/jostle/accounts"' >serve.toml
echo 'a password of alice' | jostle serve --add-user alice
chown jostle accounts key.pem
cd /tmp
as_jostle jostle serve --listen 0.0.0.0:{page} --tls-cert /etc/jostle/cert.pem \
    --tls-key /etc/jostle/key.pem --repository $repository --cache /var/cache/jostle >served 2>&1 &
server=$!
until grep https: served; do kill -0 $server || cat served; kill -0 $server; sleep 0.2; done
/opt/jostle/venv/bin/python /mnt/log_in.py
kill $server $receiver
wait $server $receiver || true
dpkg -r jostle-site
[ ! -e /opt/jostle ] && [ ! -e /usr/bin/jostle ]
grep {port} /etc/jostle/receive.toml
[ -d $repository ]
dpkg -P jostle-site
[ ! -e /etc/jostle/receive.toml ]
"""
#: Alice looks at the jobs, as her browser does.
LOG_IN = """
import json, ssl
from urllib.request import HTTPCookieProcessor, HTTPSHandler, Request, build_opener
trust = ssl.create_default_context(cafile="/etc/jostle/cert.pem")
browser = build_opener(HTTPSHandler(context=trust), HTTPCookieProcessor())
def ask(path, **entry):
    body = json.dumps(entry).encode() if entry else None
    request = Request("https://localhost:{page}/api/v1/" + path, body,
                      {{"Content-Type": "application/json"}})
    return json.load(browser.open(request, timeout=60))
assert ask("login", name="alice", password="a password of alice")["role"] == "user"
assert [job["job"] for job in ask("jobs")["jobs"]] == ["of-alice@alice"]
"""


@pytest.fixture(scope="module")
def packages() -> dict[str, Path]:
    if not (ROOT / "build/CPackConfig.cmake").exists():
        pytest.skip("there is no build in build/")
    if not shutil.which("dpkg-shlibdeps"):
        pytest.skip("no dpkg-shlibdeps here")
    done = subprocess.run(
        [ROOT / "tools/packages.sh", "deb", "rpm"], check=True, capture_output=True, text=True
    )
    paths = [ROOT / line for line in done.stdout.split() if "jostle-node" in line]
    return {path.suffix[1:]: path for path in paths}


def in_a_copy_of_the_machine(script: str, place: Path, out: Path) -> None:
    """Run a script there; the folder `out` is its /mnt."""
    if os.geteuid() != 0:
        pytest.skip("a copy of the machine needs root")
    place.mkdir()
    (out / "script").write_text(script)
    # With process numbers of its own, so that nothing that it started outlives it.
    own = ["unshare", "--mount", "--pid", "--fork", "--kill-child"]
    command = [*own, "sh", "-c", THROW_AWAY, "sh", place, out]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240)
    if "overlay" in done.stderr and "+" not in done.stderr:
        pytest.skip(f"no overlay here: {done.stderr}")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.in_turn
@pytest.mark.parametrize(("kind", "steps"), [("deb", DEB), ("rpm", RPM)])
def test_a_package_can_be_installed_used_and_removed(
    kind: str, steps: dict[str, str], packages: dict[str, Path], tmp_path: Path
) -> None:
    if kind not in packages:
        pytest.skip("no rpmbuild here")
    out = tmp_path / "out"
    out.mkdir()
    shutil.copy(packages[kind], out / "package")
    in_a_copy_of_the_machine(TRIAL.format(**steps), tmp_path / "place", out)
    assert not Path("/opt/jostle/lib/libjostle.so").exists(), "it was installed here"
    with Repository.of_spool([out]) as store:
        jobs = store.query(
            "SELECT job, sum(posix_write_bytes) AS bytes FROM mount_slices "
            "GROUP BY job ORDER BY job"
        ).to_pylist()
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


@pytest.mark.parametrize(
    ("package", "units"),
    [
        ("node", "jostle-agent-sampler jostle-ship"),
        ("site", "jostle-receive jostle-serve jostle-site-digest"),
    ],
)
@pytest.mark.parametrize(
    ("word", "ends"), [("remove", True), ("0", True), ("upgrade", False), ("1", False)]
)
def test_the_services_end_with_the_package(
    package: str, units: str, word: str, ends: bool, tmp_path: Path
) -> None:
    """As dpkg and rpm call the script; the new version restarts what runs (postinst)."""
    folder = ROOT / "packaging" / package
    (tmp_path / "systemctl").write_text(f'#!/bin/sh\necho "$@" >>{tmp_path}/asked\n')
    (tmp_path / "systemctl").chmod(0o755)
    script = (folder / "prerm").read_text().replace("/run/systemd/system", str(tmp_path))
    env = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    subprocess.run(["sh", "-c", script, "prerm", word], env=env, check=True, timeout=30)
    asked = tmp_path / "asked"
    assert (asked.read_text() if asked.exists() else "") == (
        f"disable --now {units}\n" if ends else ""
    )
    assert f"try-restart {units} ||" in (folder / "postinst").read_text()


@pytest.mark.nightly  # a minute and a half of CPU: part `host-package` of tools/nightly.py
def test_the_repositorys_host(tmp_path: Path) -> None:
    """From installing to the page on which a user sees her jobs alone.

    The .rpm has the files of the same folder.
    """
    for tool in ("dpkg-deb", "cpack"):
        if not shutil.which(tool):
            pytest.skip(f"no {tool} here")
    ship = native("jostle-ship")
    if ship is None:
        pytest.skip("no jostle-ship here")
    out = tmp_path / "out"
    out.mkdir()
    shutil.copy(ship, out)
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "wheel",
            "--quiet",
            "--no-deps",
            "--no-build-isolation",
            "--config-settings",
            "wheel.cmake=false",
            "--wheel-dir",
            tmp_path,
            ROOT,
        ],
        check=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel, "a") as archive:  # what the build is there for, built already
        for name in ("jostle-run", "libjostle.so", "libjostle-decode.so", "libjostle-timer.so"):
            archive.write(ship.parent / name, f"jostle/_native/{name}")
    command = [ROOT / "tools/package_site.sh", wheel, tmp_path, "deb"]
    done = subprocess.run(command, capture_output=True, text=True)
    if "No matching distribution" in done.stderr or "the distribution's" in done.stderr:
        pytest.skip(done.stderr)
    assert done.returncode == 0, done.stderr
    (package,) = tmp_path.glob("jostle-site*.deb")
    package.rename(out / "package")
    with socket.create_server(("", 0)) as one, socket.create_server(("", 0)) as other:
        port, page = one.getsockname()[1], other.getsockname()[1]
    (out / "log_in.py").write_text(LOG_IN.format(page=page))
    in_a_copy_of_the_machine(SITE_TRIAL.format(port=port, page=page), tmp_path / "place", out)
