"""Writes findings for CI pipelines: JUnit XML, annotations for GitHub, code quality for GitLab."""

from __future__ import annotations

import hashlib
import json
import os
import re
import xml.etree.ElementTree as Xml
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

#: failed: the program is at fault; skipped: the run says nothing about the program.
Outcome = Literal["passed", "failed", "skipped"]

#: Where GitLab's own examples put a report on code quality.
GITLAB_FILE = "gl-code-quality-report.json"
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_GITHUB_LEVELS: Mapping[Outcome, str] = {
    "passed": "notice",
    "failed": "error",
    "skipped": "warning",
}
_GITLAB_SEVERITIES: Mapping[Outcome, str] = {"failed": "major", "skipped": "info"}


@dataclass(frozen=True)
class Case:
    """One finding of a gate, as a test case.

    Attributes:
        suite: Command that made the finding: `jostle run` or `jostle compare`.
        name: Subject of the finding; it is the same in every run of the pipeline, so that runs can
            be compared.
        outcome: Outcome of the test case: passed, failed or skipped.
        message: The finding, one sentence.
        seconds: Run time, in seconds.
        properties: Further facts by their names.
        path: File of the checked-out project at which the finding is shown; "": none.
    """

    suite: str
    name: str
    outcome: Outcome
    message: str
    seconds: float
    properties: Mapping[str, str] = field(default_factory=dict)
    path: str = ""


def junit(cases: Sequence[Case]) -> bytes:
    """Return findings as JUnit XML, one suite with a test case for each.

    Args:
        cases: Findings of one suite, at least one.
    """
    counts = {
        "tests": len(cases),
        "failures": sum(case.outcome == "failed" for case in cases),
        "errors": 0,
        "skipped": sum(case.outcome == "skipped" for case in cases),
        "time": f"{sum(case.seconds for case in cases):.3f}",
    }
    numbers = {key: str(value) for key, value in counts.items()}
    root = Xml.Element("testsuites", numbers)
    suite = Xml.SubElement(root, "testsuite", {"name": cases[0].suite, **numbers})
    for case in cases:
        named = {"classname": case.suite, "name": _xml(case.name), "time": f"{case.seconds:.3f}"}
        test = Xml.SubElement(suite, "testcase", named)
        if case.properties:
            properties = Xml.SubElement(test, "properties")
            for name, value in case.properties.items():
                Xml.SubElement(properties, "property", {"name": name, "value": _xml(value)})
        if case.outcome == "passed":
            Xml.SubElement(test, "system-out").text = _xml(case.message)
        else:
            kind = "failure" if case.outcome == "failed" else "skipped"
            Xml.SubElement(test, kind, {"message": _xml(case.message)})
    Xml.indent(root)
    text: bytes = Xml.tostring(root, "utf-8", xml_declaration=True)
    return text + b"\n"


def github(cases: Sequence[Case]) -> list[str]:
    """Return findings as workflow commands, of which GitHub makes annotations."""
    lines = []
    for case in cases:
        facts = {"file": case.path, "title": f"{case.suite}: {case.name}"}
        words = ",".join(f"{key}={_property(value)}" for key, value in facts.items() if value)
        lines.append(f"::{_GITHUB_LEVELS[case.outcome]} {words}::{_escaped(case.message)}")
    return lines


def gitlab(cases: Sequence[Case], fallback: str) -> str:
    """Return findings as a report on code quality, which GitLab shows in merge requests.

    Args:
        cases: The findings; those that passed are left out.
        fallback: File for findings without one, since GitLab requires a file.
    """
    entries = [
        {
            "description": f"{case.name}: {case.message}",
            "check_name": case.suite,
            "fingerprint": hashlib.sha256(f"{case.suite}\0{case.name}".encode()).hexdigest(),
            "severity": _GITLAB_SEVERITIES[case.outcome],
            "location": {"path": case.path or fallback, "lines": {"begin": 1}},
        }
        for case in cases
        if case.outcome in _GITLAB_SEVERITIES
    ]
    return json.dumps(entries, indent=1) + "\n"


def own_file(words: Sequence[str]) -> str:
    """Return the first word of a command that is a file below the current folder; "": none is."""
    for word in words:
        path = Path(word)
        if not path.is_absolute() and ".." not in path.parts and path.is_file():
            return os.path.normpath(word)
    return ""


def _xml(text: str) -> str:
    """Return a text without the characters that XML cannot hold, even escaped."""
    return _NOT_XML.sub("?", text)


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")
