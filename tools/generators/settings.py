"""Generates C, Python and a table of the settings from schema/settings.toml."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass

from generators.common import ROOT, SchemaError, made_by

SETTINGS_TOML = ROOT / "schema" / "settings.toml"
PAGE = ROOT / "docs" / "reference" / "configuration.md"
_NAME = re.compile(r"[a-z][a-z_]*")
_TABLE = re.compile(r"<!-- Table of settings: .*? -->\n.*?(<!-- End of table -->\n)", re.DOTALL)


@dataclass(frozen=True)
class Setting:
    """One setting; `variable` is empty where only the operator's file has it."""

    key: str
    values: str
    default: str
    variable: str = ""


@dataclass(frozen=True)
class Settings:
    """settings.toml, checked."""

    settings: tuple[Setting, ...]
    default_spool: str
    max_file_bytes: int
    shortest_slice_ms: int
    default_slice_ms: int
    longest_slice_ms: int

    @property
    def options(self) -> list[Setting]:
        """Settings that the environment can also set."""
        return [setting for setting in self.settings if setting.variable]

    def lengths(self) -> dict[str, int]:
        """Return the shortest, the default and the longest slice by name, in milliseconds."""
        return {
            "shortest_slice": self.shortest_slice_ms,
            "default_slice": self.default_slice_ms,
            "longest_slice": self.longest_slice_ms,
        }

    def page_text(self, text: str) -> str:
        """Return a text of the page with the lengths of a slice that it names in braces."""
        for name, ms in self.lengths().items():
            text = text.replace(f"{{{name}}}", f"{ms}ms" if ms % 1000 else f"{ms // 1000}s")
        return text


def load_settings(text: str) -> Settings:
    """Return the settings in a file's text.

    Raises:
        SchemaError: A key is missing, is there twice or is no name.
    """
    raw = tomllib.loads(text)
    try:
        settings = tuple(Setting(**entry) for entry in raw.pop("setting"))
        loaded = Settings(settings, **raw)
    except (KeyError, TypeError) as error:
        raise SchemaError(f"{SETTINGS_TOML.name}: {error}") from error
    keys = [setting.key for setting in settings]
    if len(set(keys)) < len(keys) or not all(_NAME.fullmatch(key) for key in keys):
        raise SchemaError(f"{SETTINGS_TOML.name}: a key is there twice, or is no name")
    return loaded


def c_header(settings: Settings) -> str:
    """Return runtime/include/jst_settings.h."""
    lines = ["#define JST_SETTINGS(X)"] + [
        f'    X({setting.key.upper()}, "{setting.key}", "{setting.variable}")'
        for setting in settings.options
    ]
    macro = "\\\n".join([*(line.ljust(99) for line in lines[:-1]), lines[-1]])
    return (
        f"/* {made_by(SETTINGS_TOML)} */\n#ifndef JST_SETTINGS_H\n#define JST_SETTINGS_H\n\n"
        "/* X(symbol, key in the operator's file, variable of the environment) */\n"
        f"{macro}\n\n"
        f'#define JST_DEFAULT_SPOOL "{settings.default_spool}"\n'
        f"#define JST_SETTINGS_FILE_BYTES {settings.max_file_bytes}\n"
        + "".join(
            f"#define JST_{name.upper()}_NS {ms * 1_000_000}ull\n"
            for name, ms in settings.lengths().items()
        )
        + "\n#endif\n"
    )


def python_module(settings: Settings) -> str:
    """Return src/jostle/schema/settings.py."""
    keys = "".join(f'    "{setting.key}",\n' for setting in settings.settings)
    variables = "".join(
        f'    "{setting.key}": "{setting.variable}",\n' for setting in settings.options
    )
    return (
        f'"""The settings of the runtime: their names.\n\n{made_by(SETTINGS_TOML)}\n"""\n\n'
        "from typing import Final\n\n"
        f"#: Keys of the operator's file.\nKEYS: Final = (\n{keys})\n"
        "#: Variable of the environment by key.\n"
        f"VARIABLES: Final = {{\n{variables}}}\n"
        f'DEFAULT_SPOOL: Final = "{settings.default_spool}"\n'
        f"#: Size of the largest operator's file that is read.\n"
        f"MAX_FILE_BYTES: Final = {settings.max_file_bytes}\n"
        "#: Lengths of a time slice.\n"
        + "".join(
            f"{name.upper()}_NS: Final = {ms * 1_000_000:_}\n"
            for name, ms in settings.lengths().items()
        )
    )


def page(settings: Settings, text: str) -> str:
    """Return docs/reference/configuration.md with a fresh table between its markers.

    Raises:
        SchemaError: The page has no table of settings.
    """
    rows = "".join(
        f"| `{setting.key}` | {f'`{setting.variable}`' if setting.variable else '-'} "
        f"| {settings.page_text(setting.values)} | {settings.page_text(setting.default)} |\n"
        for setting in settings.settings
    )
    table = (
        f"<!-- Table of settings: {made_by(SETTINGS_TOML)} -->\n"
        f"| key in the file | environment | values | default |\n|---|---|---|---|\n{rows}"
    )
    if len(_TABLE.findall(text)) != 1:
        raise SchemaError(f"{PAGE.name}: there must be one table of settings between its markers")
    return _TABLE.sub(lambda match: table + match[1], text)


def outputs() -> dict[str, str]:
    """Return every file generated from settings.toml: path from the root -> content."""
    settings = load_settings(SETTINGS_TOML.read_text(encoding="utf-8"))
    return {
        "runtime/include/jst_settings.h": c_header(settings),
        "src/jostle/schema/settings.py": python_module(settings),
        str(PAGE.relative_to(ROOT)): page(settings, PAGE.read_text(encoding="utf-8")),
    }
