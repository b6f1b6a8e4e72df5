"""Registries load games, agents and studies by name, from a file or by entry point."""

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
    LoadError,
    PlygroundError,
    SpecError,
    UnknownNameError,
    place_of,
)
from plyground.files import stamp_program
from plyground.options import LOADERS, Kind, Options, incomplete
from plyground.spec import parse_spec
from plyground.text import cleaned, shortened

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, EntryPoints

T = TypeVar("T", bound=Options)


def load_file(path: Path, kind: str = "module") -> ModuleType:
    """Import a Python file that belongs to no package; it may import files beside it.

    `kind` is what errors call the file, such as "game".
    """
    path = path.resolve()
    if not path.is_file():
        raise SpecError(f"{kind}: there is no file {str(path)!r}")
    # The kernel cache needs the same module name for the same file in every process.
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
            raise LoadError(f"{kind} {path} cannot be loaded: {_cause(error, path)}") from error
        finally:
            sys.path.remove(str(path.parent))
    return sys.modules[name]


def _cause(error: BaseException, path: Path) -> str:
    """Return one line: the place of an error in the file or in files beside it, and the reason."""
    file, line = place_of(error, path.parent) or (path, None)
    where = "" if line is None else f"line {line}: " if file == path else f"{file}, line {line}: "
    reason = error.msg if isinstance(error, SyntaxError) else str(error)
    kind = "" if isinstance(error, PlygroundError) else type(error).__name__
    return where + ": ".join(part for part in (kind, " ".join(reason.split())) if part)


class Registry(Generic[T]):
    """Loads classes derived from `base`: a package's modules, entry points, and files by path."""

    def __init__(self, base: type[T], package: str, path: list[str], *shared: str) -> None:
        """Make the registry of a package; modules named in `shared` define no entries."""
        self.base = base
        self.kind = base.__name__.lower()
        self.package = package
        self.files: dict[Path, type[T]] = {}
        """Classes by the files they were loaded from with `find` or `load`."""
        without_entry = {base.__module__, *(f"{package}.{name}" for name in shared)}
        modules = [module.name for module in pkgutil.iter_modules(path) if module.name[0] != "_"]
        self.inside = [name for name in modules if f"{package}.{name}" not in without_entry]
        if self.kind in list(Kind):
            LOADERS[Kind(self.kind)] = self.load  # so that options may name its entries

    def names(self) -> list[str]:
        """Return every name that can be loaded, those of this package first."""
        outside = [entry.name for entry in self._outside() if entry.name not in self.inside]
        return sorted(self.inside) + sorted(outside)

    def find(self, name: str) -> type[T]:
        """Return the class of that name, importing it."""
        if name.endswith(".py"):
            if cleaned(name) != name:
                raise SpecError(f"{cleaned(name)!r} has letters that cannot be printed: rename it")
            loaded = self._class_in(load_file(Path(name), self.kind))
            loaded._file = name
            loaded._stamp = loaded._stamp or stamp_program(name)
            self.files[Path(name).absolute()] = loaded
            return loaded
        if name in self.inside:
            return self._class_in(importlib.import_module(f"{self.package}.{name}"))
        for entry in self._outside():
            if entry.name == name:
                return self._class_of(entry)
        raise UnknownNameError(self.kind, name, self.names())

    def load(self, spec: str | T, **settings: Any) -> T:
        """Return the object that a text describes; `settings` override the text's options.

        An object is returned as it is, or as a copy with the settings changed.
        """
        if isinstance(spec, self.base):
            return spec.make(spec.changed() | settings) if settings else spec
        if not isinstance(spec, str):
            allowed = f"give its text or an object of class {self.base.__name__}"
            raise SpecError(f"{shortened(repr(spec))} is no {self.kind}: {allowed}")
        name, values = parse_spec(spec)
        return self.find(name).make(values | settings)

    def recall(self, spec: str) -> T:
        """Return the object that untrusted data such as a record describes.

        No file is run for it: a `.py` file must have been loaded before by the user, at that path
        or under the same file name.
        """
        name, values = parse_spec(spec)
        if not name.endswith(".py"):
            return self.find(name).make(values)
        path = Path(name).absolute()
        alike = [known for file, known in self.files.items() if file.name == path.name]
        if not alike:
            refused = f"the record names the file {shortened(name)!r}, which is not run for it"
            raise SpecError(f"{refused}: load that {self.kind} yourself, with --{self.kind} FILE")
        return self.files.get(path, alike[-1]).make(values)

    def _outside(self) -> EntryPoints:
        from importlib.metadata import entry_points  # slow, and rarely needed

        return entry_points(group=self.package)

    def _class_of(self, entry: EntryPoint) -> type[T]:
        """Return the class that an entry point of another package names."""
        try:
            loaded = entry.load()
        except (Exception, SystemExit) as error:
            reason = f"{type(error).__name__}: {' '.join(str(error).split())}"
            raise LoadError(f"{self.kind} {entry.name!r} cannot be loaded: {reason}") from error
        if not isinstance(loaded, type) or not issubclass(loaded, self.base):
            reason = f"is not a class derived from {self.base.__name__}"
            raise LoadError(f"{self.kind} {entry.name!r}: {entry.value} {reason}")
        return loaded

    def _class_in(self, module: ModuleType) -> type[T]:
        """Return the one class derived from the base that the module defines."""
        classes = [
            value
            for value in vars(module).values()
            if isinstance(value, type)
            and issubclass(value, self.base)
            and value.__module__ == module.__name__
        ]
        if len(classes) != 1:
            names = ", ".join(found.__name__ for found in classes) or "none"
            reason = f"one class derived from {self.base.__name__} is needed, it defines {names}"
            raise LoadError(f"{self.kind} {module.__file__}: {reason}")
        problem = incomplete(classes[0])
        if problem:
            raise LoadError(f"{self.kind} {module.__file__}: {problem}")
        return classes[0]
