"""The receiver: accepts profiles from nodes over HTTP, stores and ingests them.

The stored copies of all nodes' spools are the *mirror*; from there the profiles are ingested.

Public interface:
    Receiver: the receiver with its sockets and processes.
    ReceiveSettings, read_settings: the settings, and the function that reads receive.toml.
    add_token: creates the token of a node.
    tokens_file: finds the file with the hashes of the tokens.
"""

from __future__ import annotations

from jostle.receive.receiver import Receiver
from jostle.receive.settings import ReceiveSettings, read_settings, tokens_file
from jostle.receive.tokens import add_token

__all__ = ["ReceiveSettings", "Receiver", "add_token", "read_settings", "tokens_file"]
