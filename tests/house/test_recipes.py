"""The Spack recipe and the container file, held against the code without Spack and images."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import click
import pytest

from jostle.cli.main import cli

ROOT = Path(__file__).parents[2]
RECIPE = ROOT / "integrations/spack/spack_repo/jostle/packages/jostle/package.py"
CONTAINER = ROOT / "packaging/container/Containerfile"


def test_the_recipe_of_spack_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """It runs with a stand-in for Spack; its variants agree, and CMake knows what it defines."""
    said: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []

    def directive(name: str) -> Any:
        return lambda *args, **options: said.append((name, args, options))

    package, build = ModuleType("spack.package"), ModuleType("spack_repo.cmake")
    for name in ("license", "version", "variant", "depends_on", "conflicts", "generator"):
        setattr(package, name, directive(name))
    for name in ("run_after", "on_package_attributes"):  # decorators
        setattr(package, name, lambda *_, **__: lambda method: method)
    build.CMakePackage = type("CMakePackage", (), {"define": lambda _, *pair: pair})  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "spack", ModuleType("spack"))
    monkeypatch.setitem(sys.modules, "spack.package", package)
    for name in ("spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, "spack_repo.builtin.build_systems.cmake", build)
    inside: dict[str, Any] = {}
    exec(compile(RECIPE.read_text(), str(RECIPE), "exec"), inside)
    recipe = inside["Jostle"]()
    variants = {args[0] for name, args, _ in said if name == "variant"}
    whens = {options["when"] for _, _, options in said if "when" in options}
    assert {when.lstrip("+~") for when in whens} <= variants
    needs = {args[0].partition("@")[0] for name, args, _ in said if name == "depends_on"}
    assert needs == {"c", "cmake", "curl", "mpi", "munge", "ninja", "openssl", "pkgconfig", "zstd"}
    known = "\n".join(path.read_text() for path in ROOT.glob("*/CMakeLists.txt"))
    known += (ROOT / "CMakeLists.txt").read_text()
    for with_mpi, expected in ((True, "/opt/mpi/bin/mpicc"), (False, "")):
        recipe.spec = {"mpi": SimpleNamespace(mpicc="/opt/mpi/bin/mpicc")}
        recipe.spec = type("Spec", (dict,), {"satisfies": lambda _, __, yes=with_mpi: yes})(
            recipe.spec
        )
        for name, value in recipe.cmake_args():
            assert re.search(rf"(?:option|set)\({name} ", known) and value == expected


def words_of(command: click.Command, words: list[str]) -> None:
    """Parse words as the options of a command, without running it."""
    command.make_parser(click.Context(command)).parse_args(words)


def test_the_container_runs_what_the_command_knows() -> None:
    """Its default is a verb with its options, and so are the lines that say how to run it."""
    text = CONTAINER.read_text()
    default = json.loads(re.search(r"^CMD (\[.*\])$", text, re.MULTILINE)[1])  # type: ignore[index]
    shown = re.findall(r" jostle ((?:serve|receive) -.*)$", text, re.MULTILINE)
    context = click.Context(cli)
    assert shown and default[0] == "serve"
    for verb, *words in (default, *(line.split() for line in shown)):
        command = cli.get_command(context, verb)
        assert command is not None
        words_of(command, words)
    copied = re.search(r"^COPY (.*) /tmp/jostle/$", text, re.MULTILINE)[1].split()  # type: ignore[index]
    assert copied[0] == "build/packages/jostle-*.whl" and (ROOT / copied[1]).exists()
    pins = re.compile(r"^([A-Za-z0-9._-]*==[^ ;]*)", re.MULTILINE)
    assert len(pins.findall((ROOT / "requirements.lock").read_text())) > 30
