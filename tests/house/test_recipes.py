"""Recipes of Spack and conda and the container file agree with the code, without their tools."""

from __future__ import annotations

import hashlib
import json
import re
import sys
import tomllib
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import click
import pytest
import yaml

import jostle
from jostle.cli.main import cli

ROOT = Path(__file__).parents[2]
RECIPE = ROOT / "integrations/spack/spack_repo/jostle/packages/jostle/package.py"
CONDA = ROOT / "packaging/conda/recipe.yaml"
CONTAINER = ROOT / "packaging/container/Containerfile"

sys.path.insert(0, str(ROOT / "tools"))
import dist  # noqa: E402

sys.path.pop(0)


def of_spack(text: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, list[Any]]:
    """Run a recipe with a stand-in for Spack; give its package, and what its directives say."""
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
    exec(compile(text, str(RECIPE), "exec"), inside)
    return inside["Jostle"](), said


def test_the_recipe_of_spack_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its variants agree, and CMake knows what it defines."""
    recipe, said = of_spack(RECIPE.read_text(), monkeypatch)
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


def test_a_release_fills_the_recipes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What `make dist` writes names the archive, its version and its checksum."""
    archive = tmp_path / f"jostle-{jostle.__version__}.tar.gz"
    archive.write_bytes(b"the archive")
    digest = hashlib.sha256(b"the archive").hexdigest()
    url = f"https://example.org/{archive.name}"
    dist.write_recipes(tmp_path, archive, url)
    assert (tmp_path / f"{archive.name}.sha256").read_text() == f"{digest}  {archive.name}\n"
    written = tmp_path / "spack_repo/jostle/packages/jostle/package.py"
    _, said = of_spack(written.read_text(), monkeypatch)
    versions = [(args, options) for name, args, options in said if name == "version"]
    assert versions == [
        ((jostle.__version__,), {"sha256": digest, "url": url}),
        (("main",), {"branch": "main"}),
    ]
    context = yaml.safe_load((tmp_path / "conda/recipe.yaml").read_text())["context"]
    assert context == {"version": jostle.__version__, "url": url, "sha256": digest}


def test_the_recipe_of_conda_agrees_with_the_project() -> None:
    recipe = yaml.safe_load(CONDA.read_text())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert recipe["schema_version"] == 1
    assert recipe["context"]["version"] == jostle.__version__
    named = set(re.findall(r"\${{ (\w+) }}", CONDA.read_text())) - {"PYTHON"}
    assert named == set(recipe["context"])
    assert (ROOT / recipe["about"]["license_file"]).exists()
    assert recipe["about"]["license"] == project["project"]["license"]
    assert recipe["about"]["summary"] == project["project"]["description"]
    # Packages have other names in conda, some of them.
    names = {"duckdb": "python-duckdb", "matplotlib": "matplotlib-base"}
    wanted = {f"python {project['project']['requires-python']}"}
    for text in project["project"]["dependencies"]:
        name, at, least = re.fullmatch(r"([a-z-]+)(>=)?(.*)", text).groups("")  # type: ignore[union-attr]
        wanted.add(f"{names.get(name, name)} {at}{least}".strip())
    assert set(recipe["requirements"]["run"]) == wanted
    builds = project["build-system"]["requires"]
    backend = next(each for each in builds if each.startswith("scikit-build-core"))
    assert backend.replace(">=", " >=") in recipe["requirements"]["host"]
    cmake = project["tool"]["scikit-build"]["cmake"]["version"]
    assert f"cmake {cmake}" in recipe["requirements"]["build"]
    known = (ROOT / "CMakeLists.txt").read_text()
    script = recipe["build"]["script"]
    defined = re.findall(r"cmake\.define\.(\w+)=", script)
    assert defined
    assert all(re.search(rf"(?:option|set)\({name} ", known) for name in defined)
    context = click.Context(cli)
    shown = [line for test in recipe["tests"] for line in test.get("script", [])]
    for line in shown:
        word = line.split()[1]
        assert word.startswith("--") or cli.get_command(context, word) is not None, line


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
