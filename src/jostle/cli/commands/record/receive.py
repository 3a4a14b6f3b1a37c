"""`jostle receive`: receives the profiles of nodes over HTTP, and ingests them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from jostle.cli.next_step import steps
from jostle.cli.options.common import open_repository, repository_flag, repository_option
from jostle.cli.output import next_steps, show, warn
from jostle.errors import UsageError
from jostle.files.repository_address import shown
from jostle.report.format.values import byte_count

if TYPE_CHECKING:
    from jostle.receive import ReceiveSettings

_PATH = click.Path(path_type=Path)


@click.group("receive", invoke_without_command=True)
@click.option(
    "--listen",
    metavar="HOST:PORT",
    help="Address for requests of nodes, such as 0.0.0.0:8643 [only the proxy's socket].",
)
@click.option(
    "--mirror",
    type=_PATH,
    metavar="DIR",
    help="Folder for the files of nodes [/var/lib/jostle/mirror].",
)
@click.option(
    "--tokens", type=_PATH, metavar="FILE", help="Accept tokens of nodes, whose hashes are in FILE."
)
@click.option("--munge", is_flag=True, help="Accept MUNGE credentials of nodes.")
@click.option(
    "--proxy-socket",
    type=_PATH,
    metavar="FILE",
    help="Unix socket for nginx as a proxy, which verifies the certificates of nodes.",
)
@click.option(
    "--config",
    type=_PATH,
    metavar="FILE",
    help="File with these and further settings [/etc/jostle/receive.toml].",
)
@repository_option
@click.pass_context
def command(
    ctx: click.Context,
    listen: str | None,
    mirror: Path | None,
    tokens: Path | None,
    munge: bool,
    proxy_socket: Path | None,
    config: Path | None,
    repository: Path,
) -> None:
    """Receive the profiles that nodes send, keep a mirror (copy) of them, and ingest the mirror.

    An HTTP POST request is answered after its bytes are on disk. Several receivers may fill one
    repository.
    """
    if ctx.invoked_subcommand is not None:
        _refuse_options(ctx, {"tokens", "config"})
        ctx.obj = {**(ctx.obj or {}), "tokens": tokens, "config": config}
        return
    from jostle.receive import Receiver, read_settings

    settings = read_settings(
        config, listen=listen, mirror=mirror, tokens=tokens, munge=munge, proxy_socket=proxy_socket
    )
    open_repository(repository, create=True)
    receiver = Receiver(settings, repository, lambda text: warn([text]))
    receiver.run(lambda address: _say(settings, address, repository))
    show("Stopped; all acknowledged data is in the mirror.")


def _say(settings: ReceiveSettings, address: str, repository: Path) -> None:
    places = [address] if address else []
    places += [f"the proxy's socket {settings.proxy_socket}"] if settings.proxy_socket else []
    ways = ["tokens"] if settings.tokens else []
    ways += ["MUNGE credentials"] if settings.munge else []
    ways += ["certificates, by the proxy"] if settings.proxy_socket else []
    show(
        f"Receiving at {' and '.join(places)}",
        f"  credentials  {', '.join(ways)}",
        f"  mirror       {settings.mirror}, at most {byte_count(settings.node_bytes)} per node",
        f"  repository   {shown(repository)}",
        "Ctrl-C ends it.",
    )
    if address:
        show(f"State of the receiver: curl {address}/health, and {address}/metrics for Prometheus.")
    next_steps(*steps("receive", "posts", flag=repository_flag(repository)))


@command.command("token", short_help="Make a token for a node, and print it.")
@click.argument("node", metavar="NODE")
@click.option(
    "--tokens",
    type=_PATH,
    metavar="FILE",
    help="File of the hashes [`tokens` of the receiver's file, or /etc/jostle/receive.tokens].",
)
@click.pass_context
def token(ctx: click.Context, node: str, tokens: Path | None) -> None:
    """Create a token for NODE, and print it; the earlier token of NODE becomes invalid.

    The token alone is printed to standard output: give it to the node's agent, in a file that only
    the agent may read.
    """
    from jostle.receive import add_token, tokens_file

    of_receiver = ctx.obj["tokens"]
    if tokens and of_receiver and tokens != of_receiver:
        raise UsageError(
            f"--tokens names both {of_receiver} and {tokens}.",
            hint="Name only one of the two files.",
        )
    click.echo(add_token(tokens or of_receiver or tokens_file(ctx.obj["config"]), node))


def _refuse_options(ctx: click.Context, taken: set[str]) -> None:
    """Refuse options before a subcommand, where they have no effect."""
    for option in ctx.command.params:
        name = option.name or ""
        source = ctx.get_parameter_source(name)
        if name not in taken and source is click.core.ParameterSource.COMMANDLINE:
            raise UsageError(
                f"{option.opts[0]} has no effect on `{ctx.command_path} {ctx.invoked_subcommand}`.",
                hint="Leave the option out.",
            )
