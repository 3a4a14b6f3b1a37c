#!/usr/bin/env python3
"""Turn the description of the server's API into docs/reference/api.md and the types of the pages.

Usage:
    tools/generate_api.py            write what is stale
    tools/generate_api.py --check    write nothing; exit status 1 when something is stale
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from jostle.repository import Repository
from jostle.server import Access, create_app

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/reference/api.md"
TYPES = ROOT / "ui/src/api/api-types.ts"

HEAD = """\
# The API of `jostle serve`

<!-- Made by tools/generate_api.py from the application itself; do not edit. -->

Scripts can use every request that the pages use. The complete description, with the schema of
every answer, is OpenAPI 3.1 at `/api/v1/openapi.json` of a running server. Within `v1`, fields
and parameters are only added; none is removed or gets another meaning.

- **Log-in.** On this machine's own address, send the token of the printed URL: `Authorization:
  Bearer TOKEN`. On a network address, log in as on the page, or create a token for scripts there.
  [Serve a cluster](../how-to/serve-a-cluster.md) describes what each role may see. For a job that
  you may not see, the answer is the same as for one that does not exist: 404.
- **Times** are nanoseconds since the Unix epoch, durations seconds, unless a name says otherwise.
- **Series** are reduced to at most `points` steps, each with minimum, mean and maximum.
- **Grids** are binary: length of a header (uint32, little endian), the header (JSON, padded to
  four bytes), then rows × columns float32, row by row; NaN where there is no value.
- **Errors** are `application/problem+json` (RFC 9457): `title` says what failed and why, `fix`
  what to do.
- **Unchanged answers**: answers have an `ETag`; `If-None-Match` gives 304.
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
    parts: dict[str, list[str]] = {}
    for path, methods in description["paths"].items():
        for method, route in methods.items():
            tag = route.get("tags", ["other"])[0]
            parts.setdefault(tag, []).append(section(method, path, route))
    order = [*TAGS, *(tag for tag in parts if tag not in TAGS)]
    return "\n".join(
        [HEAD, *(f"## {TAGS.get(t, t)}\n\n" + "\n".join(parts[t]) for t in order if t in parts)]
    )


def section(method: str, path: str, route: dict[str, Any]) -> str:
    """Return the text of one route."""
    lines = [f"### {method.upper()} {path}", "", *route["description"].splitlines(), ""]
    rows = [row(one) for one in route.get("parameters", []) if one["in"] == "query"]
    if rows:
        lines += ["| parameter | what | value | without it |", "|---|---|---|---|", *rows, ""]
    return "\n".join(lines)


def row(parameter: dict[str, Any]) -> str:
    """Return the line of a parameter."""
    schema = parameter["schema"]
    default = schema.get("default")
    least = "must be given" if parameter.get("required") else ""
    if default not in (None, "", [], 0, 2**63 - 1):
        least = f"`{default}`"
    what = parameter["description"]
    return f"| `{parameter['name']}` | {what} | {kind(schema)} | {least} |"


def kind(schema: dict[str, Any]) -> str:
    """Return the type of a value, for the page."""
    if "anyOf" in schema:
        return kind(next(one for one in schema["anyOf"] if one.get("type") != "null"))
    if "enum" in schema:
        return ", ".join(f"`{one}`" for one in schema["enum"])
    if schema.get("type") == "array":
        return f"{kind(schema['items'])}; may be given several times"
    if schema.get("type") == "integer":
        least, most = schema.get("minimum"), schema.get("maximum")
        whole = "a whole number"
        return whole if most in (None, 2**63 - 1) else f"{whole}, {least} to {most}"
    return {"string": "text", "boolean": "true or false", "number": "a number"}.get(
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
