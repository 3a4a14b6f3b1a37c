"""The receiver: accepts profiles of nodes over HTTP, stores them in a mirror, and ingests this.

Public interface:
    Receiver: the receiver with its sockets and processes.
    ReceiveSettings, read_settings: the operator's file.
    add_token, tokens_file: create a token of a node, and find the file of the tokens' hashes.
"""

from __future__ import annotations

from jostle.receive.receiver import Receiver
from jostle.receive.settings import ReceiveSettings, read_settings, tokens_file
from jostle.receive.tokens import add_token

__all__ = ["ReceiveSettings", "Receiver", "add_token", "read_settings", "tokens_file"]
