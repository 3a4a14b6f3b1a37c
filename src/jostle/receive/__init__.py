"""The receiver: accepts nodes' spools over HTTP, stores a mirror of them, and ingests it.

Public interface:
    Receiver: the receiver, ready to run.
    ReceiveSettings, read_settings: the operator's file.
    add_token, tokens_file: a new token of a node, and the file of tokens' hashes.
"""

from __future__ import annotations

from jostle.receive.receiver import Receiver
from jostle.receive.settings import ReceiveSettings, read_settings, tokens_file
from jostle.receive.tokens import add_token

__all__ = ["ReceiveSettings", "Receiver", "add_token", "read_settings", "tokens_file"]
