"""Parses OpenMetrics text by the rules of its specification, independently of its writer."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess

SUFFIXES = {
    "counter": {"_total"},
    "gauge": {""},
    "histogram": {"_bucket", "_count", "_sum"},
    "info": {"_info"},
}
_LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"')
_SAMPLE = re.compile(r"([a-z_:]+)(?:\{(.*)\})? (-?[0-9.e+-]+|NaN|[+-]Inf)")
_ESCAPED = {r"\\": "\\", r"\"": '"', r"\n": "\n"}

Sample = tuple[str, dict[str, str], float]


def families(text: str) -> dict[str, list[Sample]]:
    """Take a text apart: name of a family -> samples (suffix, labels, value)."""
    lines = text.split("\n")
    assert lines[-2:] == ["# EOF", ""]
    found: dict[str, list[Sample]] = {}
    kind = name = ""
    for line in lines[:-2]:
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            assert name not in found
            found[name] = []
        elif line.startswith("# UNIT "):
            assert line.split(" ")[2] == name
            assert name.endswith("_" + line.split(" ")[3])
            assert kind != "info"
        elif line.startswith("# HELP "):
            assert line.split(" ")[2] == name
        else:
            sample = _SAMPLE.fullmatch(line)
            assert sample, line
            suffix = sample[1].removeprefix(name)
            assert suffix in SUFFIXES[kind], line
            found[name].append((suffix, labels(sample[2] or ""), float(sample[3])))
    for samples in found.values():
        keys = [(suffix, *sorted(named.items())) for suffix, named, _ in samples]
        assert len(set(keys)) == len(keys), "two samples of one series"
    return found


def labels(text: str) -> dict[str, str]:
    found, place = {}, 0
    while place < len(text):
        label = _LABEL.match(text, place)
        assert label and label[1] not in found, text
        found[label[1]] = re.sub(r'\\[\\"n]', lambda each: _ESCAPED[each[0]], label[2])
        place = label.end()
        assert text[place : place + 1] in ("", ","), text
        place += 1
    return found


def check_by_others(text: str) -> None:
    """Let the parsers of Prometheus read a text, those that are here."""
    if importlib.util.find_spec("prometheus_client"):
        from prometheus_client.openmetrics.parser import text_string_to_metric_families

        read = {family.name: family.samples for family in text_string_to_metric_families(text)}
        own = families(text)
        assert read.keys() == own.keys()
        for name, samples in own.items():
            ours = sorted((name + suffix, sorted(named.items())) for suffix, named, _ in samples)
            theirs = sorted((each.name, sorted(each.labels.items())) for each in read[name])
            assert [one for one, _ in ours] == [one for one, _ in theirs]
            if not any("le" in dict(named) for _, named in ours):
                assert ours == theirs
    if shutil.which("promtool"):  # it reads the older text, which has no units and no end
        lines = [
            line
            for line in text.splitlines()
            if not line.startswith(("# UNIT", "# EOF")) and not line.startswith("jostle_job_info")
        ]
        older = "\n".join(line.replace(" info", " gauge") for line in lines) + "\n"
        done = subprocess.run(
            ["promtool", "check", "metrics"], input=older, capture_output=True, text=True
        )
        assert "error" not in done.stderr.lower(), done.stderr
