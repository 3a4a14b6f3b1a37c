"""Runs on the storage node: accepts connections, and starts an SFTP server for each.

Usage: `python -IS sftp_port.py ADDRESS:PORT READY-FILE SERVER`. It writes the address into
READY-FILE when it accepts connections; SERVER is the path of the SFTP server. It is a separate
program because the server gets the socket as its input and output, so that no data are copied.
"""

import os
import signal
import socket
import sys


def main(address: str, ready: str, server: str) -> None:
    """Accept connections until killed."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # no zombies: ended servers are not waited for
    host, _, port = address.rpartition(":")
    listener = socket.create_server((host, int(port)), backlog=64)
    with open(ready, "w") as file:
        file.write(address)
    while True:
        caller, _ = listener.accept()
        caller.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.dup2(caller.fileno(), 0)
            os.dup2(caller.fileno(), 1)
            os.execv(server, [server, "-e"])
        caller.close()


if __name__ == "__main__":
    main(*sys.argv[1:4])
