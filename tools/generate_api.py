#!/usr/bin/env python3
"""Generates docs/reference/api.md and the types of the pages from the server's API description.

Usage:
    tools/generate_api.py            write what is stale
    tools/generate_api.py --check    write nothing; exit status 1 when something is stale
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from jostle.repository import Repository
from jostle.server import Access, create_app

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/reference/api.md"
TYPES = ROOT / "ui/src/api/api-types.ts"
#: A parameter: name, meaning, values, and default.
Row = tuple[str, str, str, str]

HEAD = """\
# The API of `jostle serve`

<!-- Made by tools/generate_api.py from the application itself; do not edit. -->

The requests of the pages, which scripts can use, too. Whole descriptions, and the schemas of the
answers, are at `/api/v1/openapi.json` of a running server (OpenAPI 3.1).

| | |
|---|---|
| log-in | header `Authorization: Bearer TOKEN`. On a loopback address, TOKEN is in the URL that \
`jostle serve` prints; on a network address, the page `/login` creates it |
| [roles](serve.md#roles) | answers leave out, or add up, what you may not see. A request for a \
job that you may not see gets 404 |
| times | ns since the Unix epoch; durations in seconds, unless a name says otherwise |
| series | at most `points` steps, each with minimum, mean and maximum |
| grids | length of a header (uint32), the header (JSON, padded to four bytes), rows × columns of \
float32, row by row, little-endian; NaN in cells without a value |
| verdicts | 202 while the verdict is being computed: repeat the request after `Retry-After` \
seconds |
| errors | `application/problem+json` (RFC 9457): `title` says what failed and why, `fix` what \
to do |
| unchanged answers | `If-None-Match` with the `ETag` gives 304 |
| repeatable parameters | may be given several times; a row matches if it matches one of the \
values |
"""
#: How the page introduces the parameters of many routes.
COMMON = """\
## Parameters of many routes

Here and below, the default of a parameter is in brackets.

| parameter | meaning | values |
|---|---|---|
"""
TAGS = {
    "jobs": "The list of jobs",
    "job": "One job",
    "compare": "Comparison of runs",
    "system": "The system",
    "fabric": "The network",
    "matrix": "Which program slows which",
    "studies": "Studies",
    "live": "Live changes",
    "access": "Access",
    "losses": "What all jobs lost",
}


def main(arguments: list[str]) -> int:
    """Write or check the page and the types."""
    if arguments not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        repository = Repository(Path(folder) / "r", create=True)
        described = create_app(repository.path, Access()).openapi()
    made = {PAGE: page(described), TYPES: types(described)}
    stale = [path for path, text in made.items() if not path.exists() or path.read_text() != text]
    for path in stale:
        if arguments:
            print(f"{path.relative_to(ROOT)} is stale; run tools/generate_api.py", file=sys.stderr)
        else:
            path.write_text(made[path])
    return int(bool(stale and arguments))


def page(description: dict[str, Any]) -> str:
    """Return the text of the page."""
    routes = [
        (route.get("tags", ["other"])[0], f"{method.upper()} {path}", route["description"], rows)
        for path, methods in description["paths"].items()
        for method, route in methods.items()
        for rows in [[row(one) for one in route.get("parameters", []) if one["in"] == "query"]]
    ]
    return text_of(routes)


def text_of(routes: list[tuple[str, str, str, list[Row]]]) -> str:
    """Return the text of the page for routes: tag, method and path, description, parameters."""
    order = [*TAGS, *(tag for tag, *_ in routes if tag not in TAGS)]
    routes = sorted(routes, key=lambda route: order.index(route[0]))
    often = Counter(one[:3] for *_, rows in routes for one in rows)
    common = [one for one, count in often.items() if count > 2]
    parts: dict[str, list[str]] = {}
    for tag, name, text, rows in routes:
        parts.setdefault(tag, []).append(section(name, text, rows, common))
    alike: dict[tuple[str, str], list[str]] = {}
    for name, *rest in common:
        alike.setdefault((rest[0], rest[1]), []).append(f"`{name}`")
    shared = "".join(
        f"| {', '.join(names)} | {what} | {value} |\n" for (what, value), names in alike.items()
    )
    return "\n".join(
        [
            HEAD,
            COMMON + shared,
            *(f"## {TAGS.get(tag, tag)}\n\n" + "\n".join(each) for tag, each in parts.items()),
        ]
    )


def section(name: str, text: str, rows: list[Row], common: list[tuple[str, str, str]]) -> str:
    """Return the text of one route."""
    first = text.split("\n\n")[0]
    first = re.sub(r"^Return (.)", lambda match: match[1].upper(), first)
    lines = [f"### {name}", "", *first.splitlines(), ""]
    others = [f"`{one[0]}`{f' [{one[3]}]' if one[3] else ''}" for one in rows if one[:3] in common]
    own = [one for one in rows if one[:3] not in common]
    if others:
        lines += [f"- {', '.join(others)}", *([] if own else [""])]
    if own:
        lines += [
            f"- `{key}`: {what}{value and f'; {value}'}{least and f' [{least}]'}"
            for key, what, value, least in own
        ]
        lines.append("")
    return "\n".join(lines)


def row(parameter: dict[str, Any]) -> Row:
    """Return name, meaning, values and default of a parameter."""
    schema = parameter["schema"]
    default = schema.get("default")
    least = "required" if parameter.get("required") else ""
    if default not in (None, "", [], 0, 2**63 - 1):
        least = f"`{default}`"
    return parameter["name"], parameter["description"], kind(schema), least


def kind(schema: dict[str, Any]) -> str:
    """Return the values that there are, for the page; empty: texts, or all numbers."""
    if "anyOf" in schema:
        return kind(next(one for one in schema["anyOf"] if one.get("type") != "null"))
    if "enum" in schema:
        both = [one for one in schema["enum"] if f"-{one}" in schema["enum"]]
        return ", ".join(f"`{one}`" for one in schema["enum"] if one[1:] not in both)
    if schema.get("type") == "array":
        return "; ".join(filter(None, (kind(schema["items"]), "repeatable")))
    if schema.get("type") == "integer":
        least, most = schema.get("minimum"), schema.get("maximum")
        return "" if most in (None, 2**63 - 1) else f"{least} to {most}"
    return {"string": "", "boolean": "true or false", "number": ""}.get(
        str(schema.get("type")), "see the description"
    )


def types(description: dict[str, Any]) -> str:
    """Return the text of the types: an interface for each shape of the API.

    Answers have all fields of their shape, those with a default as well.
    """
    lines = ["// Made by tools/generate_api.py from the application itself; do not edit."]
    for name, shape in sorted(description["components"]["schemas"].items()):
        lines += ["", f"/** {' '.join(shape['description'].split())} */"]
        lines.append(f"export interface {name} {{")
        for field, schema in shape["properties"].items():
            if "description" in schema:
                lines.append(f"  /** {schema['description']} */")
            lines.append(f"  {field}: {of_script(schema)};")
        lines.append("}")
    return "\n".join(lines) + "\n"


def of_script(schema: dict[str, Any]) -> str:
    """Return a type of TypeScript."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        return " | ".join(of_script(one) for one in schema["anyOf"])
    if "const" in schema or "enum" in schema:
        return " | ".join(f"'{one}'" for one in schema.get("enum", [schema.get("const")]))
    if schema.get("type") == "array":
        if "prefixItems" in schema:
            return f"[{', '.join(of_script(one) for one in schema['prefixItems'])}]"
        inner = of_script(schema["items"])
        return f"({inner})[]" if "|" in inner else f"{inner}[]"
    if schema.get("type") == "object":
        more = schema.get("additionalProperties", True)
        return f"Record<string, {'unknown' if more is True else of_script(more)}>"
    return {
        "integer": "number",
        "number": "number",
        "string": "string",
        "boolean": "boolean",
        "null": "null",
    }[str(schema["type"])]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
