"""Reads series of a Prometheus server, or of a compatible service, over HTTP.

Requests are instant queries of a range, which return the raw samples with their times. Range
queries would return values at fixed steps, without the times of the samples. The server is not
trusted: its answers are checked, and limited in bytes and time.
"""

from __future__ import annotations

import http.client
import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urlsplit

import numpy as np

from jostle.imports.counters.components import Series, components_of, host_of, wanted
from jostle.imports.counters.importer import CounterImport, CounterReport, blocks
from jostle.imports.counters.mapping import CounterMap
from jostle.imports.counters.slices import interval_ns, slice_length
from jostle.imports.errors import ImportFailedError
from jostle.repository import Repository
from jostle.values.plain_values import one_line

_NS = 1_000_000_000
_TIMEOUT_S, _MOST_SECONDS = 30.0, 120.0
_MOST_BYTES = 64 << 20  # of one answer
_MOST_LABELS = 64
_PIECE = 1 << 16
#: How far before and after the slices samples are requested: slices lie between samples.
_MARGIN_S = 300
_SHORTEST_S = 60
_FIRST_LOOK_S = 600

Progress = Callable[[int, int, str], None]


class _TooMuchError(Exception):
    """An answer is larger than allowed, so that a shorter span must be requested."""


@dataclass(frozen=True)
class _Span:
    start_s: int
    end_s: int


class PrometheusClient:
    """Client of one Prometheus server."""

    def __init__(self, url: str, *, most_bytes: int = _MOST_BYTES) -> None:
        """Create the client without sending a request.

        Args:
            url: URL of the server: http or https, with the path before /api, if there is one.
            most_bytes: Largest size of one answer.

        Raises:
            ImportFailedError: The text is not a URL of this form.
        """
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username:
            raise ImportFailedError(
                f"{url} is not the URL of a Prometheus server.",
                hint="For example http://prometheus.site:9090, without a user name.",
                exit_code=2,
            )
        self._url = url.rstrip("/")
        self._most_bytes = most_bytes
        # No redirects, no files: only the named server is contacted.
        self._opener = urllib.request.OpenerDirector()
        for handler in (
            urllib.request.ProxyHandler(),
            urllib.request.HTTPHandler(),
            urllib.request.HTTPSHandler(),
            urllib.request.HTTPDefaultErrorHandler(),
            urllib.request.HTTPErrorProcessor(),
        ):
            self._opener.add_handler(handler)

    def samples(self, selector: str, start_s: int, end_s: int) -> list[Series]:
        """Return the raw samples of all series of a selector.

        Args:
            selector: Selector of series, without a range.
            start_s: Time after which samples are returned, s since the epoch.
            end_s: Time up to which samples are returned.

        Raises:
            ImportFailedError: The server cannot be reached, or its answer cannot be used.
        """
        pieces = [_Span(start_s, end_s)]
        found: dict[str, list[Series]] = {}
        while pieces:
            span = pieces.pop(0)
            try:
                several = self._ask(selector, span)
            except _TooMuchError as error:
                middle = (span.start_s + span.end_s) // 2
                if span.end_s - span.start_s <= _SHORTEST_S:
                    raise ImportFailedError(
                        f"{self._url} sends more than {self._most_bytes >> 20} MiB for "
                        f"{span.end_s - span.start_s} s of `{selector}`.",
                        hint="Select fewer series in the map, by labels in braces.",
                    ) from error
                pieces[:0] = [_Span(span.start_s, middle), _Span(middle, span.end_s)]
                continue
            for each in several:
                found.setdefault(json.dumps(each.labels, sort_keys=True), []).append(each)
        return [
            Series(
                parts[0].labels,
                np.concatenate([part.times for part in parts]),
                np.concatenate([part.values for part in parts]),
            )
            for parts in found.values()
        ]

    def _ask(self, selector: str, span: _Span) -> list[Series]:
        query = f"{selector}[{span.end_s - span.start_s}s]"
        answer = self._get({"query": query, "time": str(span.end_s)})
        data = answer.get("data")
        if not isinstance(data, dict) or data.get("resultType") != "matrix":
            raise self._no_answer("it is no matrix of samples")
        result = data.get("result")
        if not isinstance(result, list):
            raise self._no_answer("it has no result")
        return [series for row in result if (series := _series(row, span)) is not None]

    def _get(self, asked: dict[str, str]) -> dict[str, Any]:
        where = f"{self._url}/api/v1/query?{urlencode(asked)}"
        request = urllib.request.Request(where, headers={"Accept": "application/json"})
        try:
            with self._opener.open(request, timeout=_TIMEOUT_S) as answer:
                text = self._body(answer)
        except urllib.error.HTTPError as error:
            with error:
                raise self._no_answer(self._said(error)) from None
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", None) or error
            raise ImportFailedError(
                f"{self._url} cannot be reached: {one_line(str(reason))[:200]}.",
                hint="Check the address, and that this machine reaches it: "
                f"curl '{self._url}/api/v1/status/buildinfo'",
            ) from None
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            raise self._no_answer("it is no JSON") from None
        if not isinstance(value, dict) or value.get("status") != "success":
            raise self._no_answer(_error_of(value))
        return value

    def _body(self, answer: Any) -> bytes:
        """Read an answer, within bounds of bytes and time."""
        until, pieces, size = time.monotonic() + _MOST_SECONDS, [], 0
        while piece := answer.read1(_PIECE):
            pieces.append(piece)
            size += len(piece)
            if size > self._most_bytes:
                raise _TooMuchError
            if time.monotonic() > until:
                raise TimeoutError(f"an answer took more than {_MOST_SECONDS:g} s")
        return b"".join(pieces)

    def _said(self, error: urllib.error.HTTPError) -> str:
        """Return the message of a server's error."""
        try:
            said = _error_of(json.loads(error.read(_PIECE)))
        except (OSError, ValueError, RecursionError, http.client.HTTPException):
            said = ""
        return f"status {error.code}{': ' + said if said else ''}"

    def _no_answer(self, why: str) -> ImportFailedError:
        return ImportFailedError(
            f"The answer of {self._url} cannot be used: {why or 'no reason was given'}.",
            hint="Give the URL of Prometheus itself, such as http://prometheus.site:9090; "
            "or a selector of the map is wrong.",
        )


def _error_of(value: Any) -> str:
    said = value.get("error") if isinstance(value, dict) else None
    return one_line(said)[:200] if isinstance(said, str) else ""


def _series(row: Any, span: _Span) -> Series | None:
    """Return a series of an answer; None if the row is not valid."""
    if not isinstance(row, dict):
        return None
    labels, values = row.get("metric"), row.get("values")
    if not isinstance(labels, dict) or not isinstance(values, list) or len(labels) > _MOST_LABELS:
        return None
    times, numbers = [], []
    for each in values:
        try:
            at, number = float(each[0]), float(each[1])
        except (TypeError, ValueError, IndexError, KeyError, OverflowError):
            continue
        if span.start_s <= at <= span.end_s:
            times.append(round(at * 1000) * 1_000_000)
            numbers.append(number)
    texts = {str(name): str(text) for name, text in labels.items()}
    return Series(texts, np.array(times, dtype=np.int64), np.array(numbers, dtype=np.float64))


def import_prometheus(
    store: Repository,
    client: PrometheusClient,
    counters: CounterMap,
    start_ns: int,
    end_ns: int,
    progress: Progress | None = None,
) -> CounterReport:
    """Import the series of a map between two instants.

    Args:
        store: The repository.
        client: Client of the server.
        counters: The map of series to metrics.
        start_ns: The first instant, ns since the epoch.
        end_ns: The last instant, ns since the epoch.
        progress: Function that is called with hours done, number of hours, and the current step.

    Raises:
        ImportFailedError: The server cannot be reached, or has none of the series.
        RepositoryError: The repository cannot be read or written.
    """
    begin = time.monotonic()
    report = CounterReport()
    asked = wanted(counters)
    report.usual_ns = _usual(client, counters, start_ns, end_ns)
    report.slice_ns = slice_length(report.usual_ns)
    importer = CounterImport(store, "prometheus", counters.title)
    grids = list(blocks(start_ns, end_ns, report.slice_ns))
    seen: set[tuple[str, str]] = set()
    for number, grid in enumerate(grids):
        if progress is not None:
            progress(number, len(grids), f"{report.samples} samples")
        lo, hi = int(grid.edges[0]) // _NS - _MARGIN_S, int(grid.edges[-1]) // _NS + _MARGIN_S
        found = []
        for want in asked:
            several = client.samples(want.series.series, lo, hi)
            found.append((want, several))
            if several:
                seen.add((want.component.kind, want.metric))
            report.samples += sum(len(each.times) for each in several)
        report.series = max(report.series, sum(len(several) for _, several in found))
        hosts = _hosts(client, counters, lo, hi)
        importer.add(components_of(counters, found, hosts, grid, report.usual_ns), grid, report)
    report.missing = _missing(counters, seen)
    report.seconds = time.monotonic() - begin
    return report


def _usual(client: PrometheusClient, counters: CounterMap, start_ns: int, end_ns: int) -> int:
    """Return the usual time between two samples, ns, from short parts of the span.

    The parts are tried in turn until one has samples: at the end, the start and in the middle.
    """
    for at in (end_ns // _NS, start_ns // _NS + _FIRST_LOOK_S, (start_ns + end_ns) // 2 // _NS):
        for want in _distinct_first(counters):
            several = client.samples(want, at - _FIRST_LOOK_S, at)
            if usual := interval_ns([np.unique(each.times) for each in several]):
                return usual
    raise ImportFailedError(
        f"There are no samples of {counters.title} in this time.",
        hint="Check --from and --to, that the map fits the server's data, and on its web page that "
        "it has one of these series: " + ", ".join(_distinct_first(counters)[:3]),
        exit_code=2,
    )


def _distinct_first(counters: CounterMap) -> list[str]:
    """Return the selector of one series for each kind of components, without duplicates."""
    firsts = [next(iter(each.metrics.values()))[0].series for each in counters.component]
    return list(dict.fromkeys(firsts))


def _hosts(client: PrometheusClient, counters: CounterMap, lo: int, hi: int) -> dict[str, str]:
    if counters.lookup is None:
        return {}
    where = counters.lookup
    found: Iterator[dict[str, str]] = (each.labels for each in client.samples(where.series, lo, hi))
    return {
        labels[where.by]: host_of(labels[where.label])
        for labels in found
        if where.by in labels and where.label in labels
    }


def _missing(counters: CounterMap, seen: set[tuple[str, str]]) -> dict[str, list[str]]:
    """Return, for kinds of components of which series were found, the metrics without any."""
    kinds = {kind for kind, _ in seen}
    missing = {
        each.kind: [metric for metric in each.metrics if (each.kind, metric) not in seen]
        for each in counters.component
        if each.kind in kinds
    }
    return {kind: metrics for kind, metrics in missing.items() if metrics}
