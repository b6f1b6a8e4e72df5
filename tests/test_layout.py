"""The layout: packages import only those above them, few import Numba, no file is long."""

import ast
import re
import sys
from pathlib import Path

import pytest

import plyground
from plyground import errors

SOURCE = Path(__file__).parent.parent / "src" / "plyground"
PACKAGES = (
    "text", "errors", "guard", "cache", "hints", "compile", "workspace", "arithmetic", "bitboard",
    "control", "files", "arrays", "spec", "processes",
    "options", "registry", "picture", "maps", "game", "games", "search", "inference",
    "programs", "interop", "agents", "arena", "session", "export", "tune", "learn", "studies",
    "web", "cli",
)  # fmt: skip
"""Packages in dependency order: each imports only those before it."""

ENTRY_MODULES = ("__init__.py", "__main__.py")
"""Modules that may import every package."""

BARE = SOURCE / "programs" / "sandbox" / "supervisor"
"""Run by an interpreter that does not know the package plyground: it imports nothing but itself."""

KNOW_NUMBA = ("compile.py", "workspace.py", "arithmetic.py", "bitboard.py")

FILES = sorted(SOURCE.rglob("*.py"))
NAMES = [str(file.relative_to(SOURCE)) for file in FILES]
INSIDE = [name for name in NAMES if name not in ENTRY_MODULES]


def package_of(name):
    return name.removesuffix(".py").split("/")[0]


def imported(file):
    """List the modules a file imports, as dotted names."""
    found = []
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            found += [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                assert file.parent == BARE, f"{file} imports by a relative name"
                continue
            found += [f"{node.module}.{each.name}" for each in node.names]
    return found


@pytest.mark.parametrize("name", INSIDE)
def test_a_package_imports_only_those_above_it(name):
    own = PACKAGES.index(package_of(name))
    for module in imported(SOURCE / name):
        if module.startswith("plyground.") and module != "plyground.__version__":
            other = PACKAGES.index(module.split(".")[1])
            assert other < own or package_of(name) == module.split(".")[1], f"{name}: {module}"


@pytest.mark.parametrize("name", NAMES)
def test_a_private_name_stays_in_its_package(name):
    own = ["plyground", *name.split("/")[:-1]]
    for module in imported(SOURCE / name):
        *path, private = module.split(".")
        hidden = [at for at, part in enumerate([*path, private]) if re.match(r"_[a-z]", part)]
        if path[:1] == ["plyground"] and hidden:
            assert own[: hidden[0]] == path[: hidden[0]], f"{name}: {module}"


@pytest.mark.parametrize("name", [name for name in INSIDE if name.startswith("games/")])
def test_a_game_does_not_import_another_game(name):
    game = name.split("/")[1].removesuffix(".py")
    for module in imported(SOURCE / name):
        if module.startswith("plyground.games."):
            assert module.split(".")[2] == game, f"{name}: {module}"


@pytest.mark.parametrize("name", [name for name in NAMES if name not in KNOW_NUMBA])
def test_only_compile_and_arithmetic_know_numba(name):
    packages = {module.split(".")[0] for module in imported(SOURCE / name)}
    assert not packages & {"numba", "llvmlite"}


@pytest.mark.parametrize("name", NAMES)
def test_no_file_is_longer_than_800_lines(name):
    assert len((SOURCE / name).read_text().splitlines()) <= 800


def test_every_exception_is_public_drawn_in_the_tree_and_named_an_error():
    for name, value in vars(errors).items():
        if (
            isinstance(value, type)
            and issubclass(value, Exception)
            and not issubclass(value, Warning)
        ):
            depth = len(value.__mro__) - len(errors.PlygroundError.__mro__)
            assert name.endswith("Error")
            assert getattr(plyground, name) is value
            assert name in plyground.__all__
            assert f"\n{' ' * (4 + 2 * depth)}{name} " in errors.__doc__


def test_every_package_is_there():
    assert {package_of(name) for name in INSIDE} == set(PACKAGES)


@pytest.mark.parametrize("file", sorted(BARE.glob("*.py")), ids=lambda file: file.name)
def test_the_supervisor_needs_only_the_standard_library(file):
    packages = {module.split(".")[0] for module in imported(file)}
    assert packages <= set(sys.stdlib_module_names)
