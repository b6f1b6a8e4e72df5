"""Registries find games, agents and studies by name, by file or by entry point."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import sys
import zlib
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from plyground.errors import (
    BadSpec,
    LoadFailed,
    PlygroundError,
    UnknownName,
    cleaned,
    place_of,
    shortened,
)
from plyground.files import stamp_program
from plyground.options import LOADERS, Kind, Options, incomplete
from plyground.spec import parse_spec

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, EntryPoints

T = TypeVar("T", bound=Options)


def load_file(path: Path, kind: str = "module") -> ModuleType:
    """Import a Python file that belongs to no package; it may import files that lie beside it.

    `kind` says what it is, in errors.
    """
    path = path.resolve()
    if not path.is_file():
        raise BadSpec(f"{kind}: there is no file {str(path)!r}")
    # The same file has the same module name in every process: the kernel cache needs it.
    name = f"_plyground_{path.stem}_{zlib.crc32(str(path).encode()):08x}"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        sys.path.insert(0, str(path.parent))
        try:
            spec.loader.exec_module(module)
        except (Exception, SystemExit) as error:
            del sys.modules[name]
            raise LoadFailed(f"{kind} {path} cannot be loaded: {_cause(error, path)}") from error
        finally:
            sys.path.remove(str(path.parent))
    return sys.modules[name]


def _cause(error: BaseException, path: Path) -> str:
    """Return as one line what went wrong, and where in a file or in those beside it."""
    file, line = place_of(error, path.parent) or (path, None)
    where = "" if line is None else f"line {line}: " if file == path else f"{file}, line {line}: "
    reason = error.msg if isinstance(error, SyntaxError) else str(error)
    kind = "" if isinstance(error, PlygroundError) else type(error).__name__
    return where + ": ".join(part for part in (kind, " ".join(reason.split())) if part)


class Registry(Generic[T]):
    """Finds classes by name: a module in a package, an entry point, or a file given by its path."""

    def __init__(self, base: type[T], package: str, path: list[str], *beside: str) -> None:
        """Look in a package; modules `beside` the base class's own hold what many of them share."""
        self.base = base
        self.kind = base.__name__.lower()
        self.package = package
        self.files: dict[Path, type[T]] = {}
        """Classes by the files they were loaded from with `find` or `load`."""
        shared = {base.__module__, *(f"{package}.{name}" for name in beside)}
        modules = [each.name for each in pkgutil.iter_modules(path) if each.name[0] != "_"]
        self.inside = [name for name in modules if f"{package}.{name}" not in shared]
        if self.kind in list(Kind):
            LOADERS[Kind(self.kind)] = self.load  # so that options may name what is in here

    def names(self) -> list[str]:
        """Return every name that can be loaded, those of this package first."""
        outside = [each.name for each in self._outside() if each.name not in self.inside]
        return sorted(self.inside) + sorted(outside)

    def find(self, name: str) -> type[T]:
        """Return the class of that name, importing it."""
        if name.endswith(".py"):
            if cleaned(name) != name:
                raise BadSpec(f"{cleaned(name)!r} has letters that cannot be printed: rename it")
            found = self._taken(load_file(Path(name), self.kind))
            found._file = name
            found._stamp = found._stamp or stamp_program(name)
            self.files[Path(name).absolute()] = found
            return found
        if name in self.inside:
            return self._taken(importlib.import_module(f"{self.package}.{name}"))
        for each in self._outside():
            if each.name == name:
                return self._loaded(each)
        raise UnknownName(self.kind, name, self.names())

    def load(self, spec: str | T, **settings: Any) -> T:
        """Return the object that a text describes; `settings` override the text's options.

        An object that is made already is returned as it is, or with the settings changed.
        """
        if isinstance(spec, self.base):
            return spec.make(spec.changed() | settings) if settings else spec
        if not isinstance(spec, str):
            given = shortened(repr(spec))
            allowed = f"give its text or an object of class {self.base.__name__}"
            raise BadSpec(f"{given} is no {self.kind}: {allowed}")
        name, values = parse_spec(spec)
        return self.find(name).make(values | settings)

    def recall(self, spec: str) -> T:
        """Return the object that data such as a record describes, without running a file for it.

        A file is used only if the user loaded it before, or one of the same name.
        """
        name, values = parse_spec(spec)
        if not name.endswith(".py"):
            return self.find(name).make(values)
        path = Path(name).absolute()
        alike = [known for file, known in self.files.items() if file.name == path.name]
        if not alike:
            refused = f"a record cannot have the file {shortened(name)!r} run"
            raise BadSpec(f"{refused}: name that {self.kind} yourself, as by --{self.kind} FILE")
        return self.files.get(path, alike[-1]).make(values)

    def _outside(self) -> EntryPoints:
        from importlib.metadata import entry_points  # slow: only where a name is not one of ours

        return entry_points(group=self.package)

    def _loaded(self, entry: EntryPoint) -> type[T]:
        """Return the class that an entry point of another package names."""
        try:
            found = entry.load()
        except (Exception, SystemExit) as error:
            reason = f"{type(error).__name__}: {' '.join(str(error).split())}"
            raise LoadFailed(f"{self.kind} {entry.name!r} cannot be loaded: {reason}") from error
        if not isinstance(found, type) or not issubclass(found, self.base):
            wanted = f"no class derived from {self.base.__name__}"
            raise LoadFailed(f"{self.kind} {entry.name!r}: {entry.value} is {wanted}")
        return found

    def _taken(self, module: ModuleType) -> type[T]:
        """Return the one class derived from the base that the module defines."""
        found = [
            value
            for value in vars(module).values()
            if isinstance(value, type)
            and issubclass(value, self.base)
            and value.__module__ == module.__name__
        ]
        if len(found) != 1:
            names = ", ".join(each.__name__ for each in found) or "none"
            wanted = f"one class derived from {self.base.__name__} is needed, it defines {names}"
            raise LoadFailed(f"{self.kind} {module.__file__}: {wanted}")
        problem = incomplete(found[0])
        if problem:
            raise LoadFailed(f"{self.kind} {module.__file__}: {problem}")
        return found[0]
