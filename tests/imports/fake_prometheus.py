"""A stand-in for Prometheus: raw samples of selectors, from a table."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

#: Selector -> series: labels, and samples (s, value).
Table = dict[str, list[tuple[dict[str, str], list[tuple[float, float]]]]]
Answer = Callable[[str, float, float], tuple[int, bytes]]


def of_table(table: Table) -> Answer:
    """Answers with the rows that a table has for a selector."""

    def answer(selector: str, start: float, end: float) -> tuple[int, bytes]:
        result = [
            {"metric": labels, "values": [[t, str(v)] for t, v in samples if start <= t <= end]}
            for labels, samples in table.get(selector, ())
        ]
        return 200, matrix([row for row in result if row["values"]])

    return answer


def matrix(result: object) -> bytes:
    return json.dumps(
        {"status": "success", "data": {"resultType": "matrix", "result": result}}
    ).encode()


@contextmanager
def prometheus(answer: Answer) -> Iterator[tuple[str, list[str]]]:
    """Serve; yield the address, and the queries that come."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            query = parse_qs(urlsplit(self.path).query)
            asked.append(query["query"][0])
            match = re.fullmatch(r"(.+)\[(\d+)s\]", asked[-1])
            end = float(query["time"][0])
            assert match is not None
            status, body = answer(match[1], end - float(match[2]), end)
            self.send_response(status)
            if status == 302:
                self.send_header("Location", "file:///etc/passwd")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()
