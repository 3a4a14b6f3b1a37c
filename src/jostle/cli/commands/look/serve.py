"""`jostle serve`: serves the web pages of a repository."""

from __future__ import annotations

import contextlib
import html
import os
import pwd
import re
import socket
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import click

from jostle.cli.options.common import open_repository, repository_flag, repository_option
from jostle.cli.output import show, warn
from jostle.errors import JostleError, UsageError
from jostle.files.regular_files import open_regular
from jostle.files.repository_address import shown
from jostle.names.batch_jobs import batch_job_of

if TYPE_CHECKING:
    from jostle.server import Access
    from jostle.server.access.settings import AlertSettings

_PLACE = re.compile(r"(\[[0-9a-fA-F:.]+\]|[^\s:\[\]/]+):(\d{1,5})")
_HERE = ("127.0.0.1", "localhost", "[::1]")


@click.command("serve")
@click.argument("job", required=False)
@click.option(
    "--listen",
    default="127.0.0.1:8642",
    show_default=True,
    metavar="HOST:PORT",
    help="Address to listen on; on a network address, users must log in.",
)
@click.option("--open", "browse", is_flag=True, help="Open the page in a browser.")
@click.option("--behind-proxy", is_flag=True, help="A proxy in front of jostle provides TLS.")
@click.option(
    "--tls-cert",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Certificate with its chain (PEM).",
)
@click.option(
    "--tls-key",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Private key of the certificate (PEM).",
)
@click.option(
    "--config",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="File of users and their rights [/etc/jostle/serve.toml].",
)
@click.option(
    "--cache",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder for cached verdicts [$XDG_CACHE_HOME/jostle/serve].",
)
@click.option(
    "--add-user",
    metavar="NAME",
    help="Ask for a password, create or change the local account NAME, and exit.",
)
@repository_option
def command(
    job: str | None,
    listen: str,
    browse: bool,
    behind_proxy: bool,
    tls_cert: Path | None,
    tls_key: Path | None,
    config: Path | None,
    cache: Path | None,
    add_user: str | None,
    repository: Path,
) -> None:
    """Show the repository in a browser: jobs, which loads slowed them, when, and by how much.

    If JOB is given, the URL that is printed and opened is that of its page. On a local address,
    only users who know the URL have access. On a network address, users log in and see their own
    jobs.
    """
    if add_user is not None:
        _add_user(add_user, config)
        return
    host, port = _place(listen)
    _check_tls(tls_cert, tls_key, behind_proxy=behind_proxy)
    secure = tls_cert is not None or behind_proxy
    if host not in _HERE and not secure:
        raise UsageError(
            f"Without TLS, others on the network could read the traffic of {listen}.",
            hint="Name a certificate with --tls-cert and --tls-key, or add --behind-proxy where a "
            "proxy in front has one.",
        )
    store = open_repository(repository)
    page = _page(store.resolve_parts(job)) if job else "/"
    from jostle.server import Server, create_app

    access, alerts = _site(config, behind_proxy=behind_proxy) if secure else (_here(config), None)
    # The command is copied to another terminal: an unusual repository is named in full.
    flag = repository_flag(repository) and repository_flag(repository.absolute())
    app = create_app(repository, access, cache, flag, alerts)
    with _listening(host.strip("[]"), port) as place:
        url = f"{access.url}{page}"
        if not access.url:
            url = f"http://{host}:{place.getsockname()[1]}{page}"
            url += f"{'&' if '?' in page else '?'}token={access.token}"
        show(f"jostle shows {shown(repository)} at", f"  {url}", "Ctrl-C ends it.")
        browser = _opened(url) if browse else contextlib.nullcontext()
        with browser, contextlib.suppress(KeyboardInterrupt):
            Server(app, access, tls_cert, tls_key).run(sockets=[place])


def _page(jobs: list[str]) -> str:
    """Return the path of a job's page, or of the list of a batch job's parts."""
    batch = batch_job_of(jobs[0])
    if len(jobs) > 1 and batch is not None:
        return f"/jobs?batch={quote(batch.name, safe='')}"
    return f"/jobs/{quote(jobs[0], safe='')}"


@contextlib.contextmanager
def _listening(host: str, port: int) -> Iterator[socket.socket]:
    """Bind the address before it is printed."""
    try:
        address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[
            0
        ]
        place = socket.create_server(address[4][:2], family=address[0], backlog=2048)
    except OSError as error:
        hint = "Is another `jostle serve` running? `--listen 127.0.0.1:0` takes any free port."
        raise JostleError(f"{host}:{port} cannot be used: {error.strerror}.", hint=hint) from None
    with place:
        # Connections inherit it: without it a body waits 40 ms for the acknowledgement of its
        # header.
        place.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        yield place


def _place(listen: str) -> tuple[str, int]:
    place = _PLACE.fullmatch(listen)
    if not place or int(place[2]) > 65535:
        raise UsageError(
            f"`{listen}` is not an address to listen on.",
            hint="For example: --listen 127.0.0.1:8642",
        )
    return place[1], int(place[2])


def _check_tls(cert: Path | None, key: Path | None, *, behind_proxy: bool) -> None:
    """Refuse incomplete TLS settings, and a key that all users may read."""
    if (cert is None) != (key is None):
        raise UsageError("--tls-cert and --tls-key belong together.", hint="Give both options.")
    if cert is None or key is None:
        return
    if behind_proxy:
        raise UsageError(
            "--behind-proxy means that the proxy provides TLS, --tls-cert that jostle does.",
            hint="Leave out one of them.",
        )
    for file in (cert, key):
        try:
            open_regular(file).close()
        except OSError as error:
            raise UsageError(
                f"{file} cannot be read: {error.strerror}.",
                hint="Check the name and the owner of the file.",
            ) from error
    if key.stat().st_mode & 0o007:
        raise UsageError(f"All users may read the key {key}.", hint=f"chmod 0640 {key}")


def _site(config: Path | None, *, behind_proxy: bool) -> tuple[Access, AlertSettings | None]:
    """Create access control and alerts for a network address from the operator's file."""
    from jostle.server.access.settings import SERVE_CONFIG, read_settings

    settings = read_settings(config or SERVE_CONFIG)
    with _site_packages():
        return settings.access(behind_proxy=behind_proxy), settings.alerts()


def _here(config: Path | None) -> Access:
    """Create the access control for loopback."""
    from jostle.server import Access

    if config is not None:
        raise UsageError(
            "On a local address no log-in is needed, so --config would have no effect.",
            hint="Leave --config out, or add --behind-proxy or --tls-cert and --tls-key.",
        )
    return Access()


def _add_user(name: str, config: Path | None) -> None:
    """Write a local account; the password is never in a command line."""
    from jostle.server.access.accounts import add_account
    from jostle.server.access.settings import SERVE_CONFIG, read_settings

    file = read_settings(config or SERVE_CONFIG).accounts
    try:
        pwd.getpwnam(name)
    except KeyError:
        warn(
            [
                f"this system knows no user {name}: with that name nobody owns a job here, and the "
                "account sees none of its own"
            ]
        )
    password = _password(name)
    with _site_packages():
        is_new = add_account(file, name, password)
    show(f"{name} {'is added to' if is_new else 'has a new password in'} {file}.")


def _is_interactive() -> bool:
    """Return whether standard input is a terminal, where a user can answer."""
    return sys.stdin.isatty()


def _password(name: str) -> str:
    """Ask for a password twice; from scripts, read the first line of standard input."""
    if not _is_interactive():
        return sys.stdin.readline().rstrip("\n")
    asked: str = click.prompt(
        f"Password of {name}", hide_input=True, confirmation_prompt="Repeat the password", err=True
    )
    return asked


@contextlib.contextmanager
def _site_packages() -> Iterator[None]:
    """Turn an error of a package that log-in lacks into one that says what to install."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise UsageError(
            f"Log-in needs {error.name}, which is not installed.", hint="pip install 'jostle[site]'"
        ) from None


@contextlib.contextmanager
def _opened(url: str) -> Iterator[None]:
    """Open a URL in the browser by a private file, since all users can read command lines."""
    import webbrowser

    with tempfile.TemporaryDirectory(
        prefix="jostle-", dir=os.environ.get("XDG_RUNTIME_DIR") or None
    ) as folder:
        page = Path(folder) / "open.html"
        page.write_text(
            f'<meta http-equiv="refresh" content="0; url={html.escape(url)}">', encoding="utf-8"
        )
        webbrowser.open(page.as_uri())
        yield
