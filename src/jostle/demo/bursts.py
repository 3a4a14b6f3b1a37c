"""Fill SQLite databases in bursts: two seconds of work, three of rest.

usage: python3 bursts.py FOLDER SECONDS
"""

import os
import sqlite3
import sys
import time
from pathlib import Path

BURST_S, PERIOD_S = 2.0, 5.0


def burst(database: Path) -> None:
    """Insert rows for two seconds, 2 MiB to a transaction; then remove the database."""
    end = time.monotonic() + BURST_S
    connection = sqlite3.connect(database)
    connection.execute("CREATE TABLE log (number INTEGER PRIMARY KEY, body BLOB)")
    while time.monotonic() < end:
        with connection:
            rows = ((os.urandom(1024),) for _ in range(2048))
            connection.executemany("INSERT INTO log (body) VALUES (?)", rows)
    connection.close()
    database.unlink()


def main(folder: str, seconds: float) -> None:
    """Let a burst follow each rest for `seconds`."""
    begin = time.monotonic()
    for number in range(round(seconds / PERIOD_S)):
        start = begin + number * PERIOD_S + PERIOD_S - BURST_S
        time.sleep(max(0.0, start - time.monotonic()))
        burst(Path(folder) / f"log-{number}.sqlite")


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
