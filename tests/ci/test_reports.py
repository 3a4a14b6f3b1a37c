"""Reports for pipelines: JUnit XML, GitHub's workflow commands, GitLab's code quality."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as Xml

import pytest

from jostle.ci.reports import Case, github, gitlab, junit

CASES = [
    Case("jostle run", "./bench -n 4", "passed", "clean: at most 7.5 % was lost", 2.5),
    Case("jostle run", "./slow, <really>\x00", "skipped", "lost 31 %\nto others", 1.25),
    Case(
        "jostle run", "./bad", "failed", "ended with 9 (100 %)", 0.5, {"job": "bad\x1b"}, "bad.sh"
    ),
]


def test_junit_is_xml_with_counts_that_agree() -> None:
    root = Xml.fromstring(junit(CASES))
    (suite,) = root
    assert root.tag == "testsuites"
    for element in (root, suite):
        counts = {name: element.attrib[name] for name in ("tests", "failures", "errors", "skipped")}
        assert counts == {"tests": "3", "failures": "1", "errors": "0", "skipped": "1"}
        assert float(element.attrib["time"]) == pytest.approx(4.25)
    tests = list(suite)
    assert [test.attrib["name"] for test in tests] == ["./bench -n 4", "./slow, <really>?", "./bad"]
    assert {test.attrib["classname"] for test in tests} == {"jostle run"}
    assert tests[0].find("system-out").text == "clean: at most 7.5 % was lost"
    assert tests[1].find("skipped").attrib["message"] == "lost 31 %\nto others"
    assert tests[2].find("failure").attrib["message"] == "ended with 9 (100 %)"
    assert tests[2].find("properties/property").attrib == {"name": "job", "value": "bad?"}
    # What the schema of JUnit requires in this order: properties, the result, then output.
    for test in tests:
        tags = [child.tag for child in test]
        assert tags == sorted(tags, key=["properties", "failure", "skipped", "system-out"].index)


def unescaped(text: str) -> str:
    """Read a text as GitHub's runner does."""
    codes = {"%0A": "\n", "%0D": "\r", "%3A": ":", "%2C": ",", "%25": "%"}
    return re.sub("%0A|%0D|%3A|%2C|%25", lambda found: codes[found[0]], text)


def test_github_reads_back_what_was_written() -> None:
    lines = github(CASES)
    parts = [re.fullmatch("::(notice|warning|error) (.*?)::(.*)", line) for line in lines]
    assert [part[1] for part in parts] == ["notice", "warning", "error"]
    assert [unescaped(part[3]) for part in parts] == [case.message for case in CASES]
    facts = [dict(word.split("=", 1) for word in part[2].split(",")) for part in parts]
    assert [unescaped(fact["title"]) for fact in facts] == [
        f"{case.suite}: {case.name}" for case in CASES
    ]
    assert [fact.get("file") for fact in facts] == [None, None, "bad.sh"]


def test_gitlab_gets_what_it_requires() -> None:
    entries = json.loads(gitlab(CASES, ".gitlab-ci.yml"))
    assert [entry["severity"] for entry in entries] == ["info", "major"]
    for entry in entries:
        assert entry.keys() == {
            "description", "check_name", "fingerprint", "severity", "location"
        }  # fmt: skip
        assert entry["location"]["lines"]["begin"] == 1
    assert [entry["location"]["path"] for entry in entries] == [".gitlab-ci.yml", "bad.sh"]
    again = json.loads(gitlab(CASES[1:2], "other"))
    assert again[0]["fingerprint"] == entries[0]["fingerprint"]  # the same finding of a later run
    assert len({entry["fingerprint"] for entry in entries}) == 2
    assert gitlab(CASES[:1], "x") == "[]\n"
