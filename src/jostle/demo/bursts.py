"""Fill a SQLite database in bursts: work for two seconds, rest for three.

usage: python3 bursts.py DATABASE SECONDS
"""

import os
import sqlite3
import sys
import time

BURST_S, PERIOD_S = 2.0, 5.0


def main(database: str, seconds: float) -> None:
    """Write bursts into `database` for `seconds`."""
    connection = sqlite3.connect(database)
    connection.execute("CREATE TABLE log (number INTEGER PRIMARY KEY, body BLOB)")
    begin = time.monotonic()
    time.sleep(PERIOD_S - BURST_S)
    while (now := time.monotonic()) < begin + seconds:
        while time.monotonic() < now + BURST_S:
            rows = ((os.urandom(4096),) for _ in range(512))
            with connection:
                connection.executemany("INSERT INTO log (body) VALUES (?)", rows)
        with connection:
            connection.execute("DELETE FROM log")
        time.sleep(max(0.0, now + PERIOD_S - time.monotonic()))
    connection.close()


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
