"""The cache of compiled kernels on disk: one file per kernel, checked before use.

A file lies in a folder that is named by a digest of the sources. A damaged file is removed. Where
the folder is full, read-only or belongs to another user, kernels are compiled again at every start;
that is never an error.
"""

from __future__ import annotations

import atexit
import functools
import hashlib
import importlib.util
import os
import re
import shutil
import sys
import sysconfig
import tempfile
from contextlib import suppress
from multiprocessing import parent_process
from pathlib import Path

import platformdirs

DIGEST = hashlib.sha256().digest_size
"""Length of the digest at the beginning of a file, which covers its name and the rest of it."""


def load_kernel(folder: str, name: str) -> bytes | None:
    """Return the content that `save_kernel` saved; None if the file is missing or damaged."""
    root = kernel_folder()
    if root is None or not folder:
        return None
    path = root / folder / name
    try:
        data = path.read_bytes()
    except OSError:
        return None
    if _digest_of(folder, name, data[DIGEST:]) == data[:DIGEST]:
        return data[DIGEST:]
    with suppress(OSError):
        path.unlink()
    _report(f"damaged kernels in {root} are compiled again")
    return None


def save_kernel(folder: str, name: str, content: bytes) -> None:
    """Write compiled code to disk; a failure is reported once and is no error."""
    root = kernel_folder()
    if root is None or not folder:
        return
    temporary = None
    try:
        (root / folder).mkdir(exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=root / folder, delete=False) as file:
            temporary = file.name
            file.write(_digest_of(folder, name, content) + content)
        os.replace(temporary, root / folder / name)  # no process sees a half-written file
    except OSError as error:
        if temporary is not None:
            with suppress(OSError):
                os.unlink(temporary)
        _report(f"kernels cannot be saved in {root}: {error.strerror}; the next run compiles again")


def _digest_of(folder: str, name: str, content: bytes) -> bytes:
    """Return the digest of a kernel, by which a file under another kernel's name is damaged too."""
    return hashlib.sha256(f"{folder}/{name}\0".encode() + content).digest()


@functools.cache
def _report(line: str) -> None:
    """Print a line to standard error, once and only in the main process."""
    if parent_process() is None:
        print(line, file=sys.stderr)


# The folder -------------------------------------------------------------------------------------


@functools.cache
def kernel_folder() -> Path | None:
    """Return the folder PLYGROUND_CACHE_DIR or the user's cache folder, else a temporary one.

    Child processes use the same folder. None where not even a temporary folder can be made.
    """
    parent = os.environ.get("PLYGROUND_CACHE_DIR") or platformdirs.user_cache_dir("plyground")
    root = Path(parent) / "kernels"
    try:
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        problem = _problem(root)
    except OSError as error:
        problem = error.strerror or type(error).__name__
    if not problem:
        return root
    _report(f"kernels cannot be saved in {root}: {problem}; the next run compiles again")
    try:
        temporary = tempfile.mkdtemp(prefix="plyground-")
        atexit.register(_remove, temporary, os.getpid())
        root = Path(temporary) / "kernels"
        root.mkdir()
    except OSError:
        return None
    os.environ["PLYGROUND_CACHE_DIR"] = temporary
    return root


def _problem(root: Path) -> str:
    """Return why a folder cannot be used, or "".

    Its files are executed, so nobody but the user may be able to write them.
    """
    status = root.stat()
    if hasattr(os, "geteuid") and status.st_uid != os.geteuid():
        return "it belongs to another user"
    if os.name == "posix" and status.st_mode & 0o002:
        return "every user may write to it"
    return "" if os.access(root, os.W_OK) else "it is read-only"


def _remove(folder: str, owner: int) -> None:
    if os.getpid() == owner:  # a forked child must not remove its parent's folder
        shutil.rmtree(folder, ignore_errors=True)


# The digest of the sources ----------------------------------------------------------------------


def folder_name(module: str) -> str:
    """Return the cache folder's name for a module; "" for a module without a source file.

    It contains a digest of all sources that the module can call.
    """
    file = getattr(sys.modules[module], "__file__", None) or ""
    return f"{module.rpartition('.')[2]}-{_digest(module)[:16]}" if file.endswith(".py") else ""


@functools.cache
def _digest(module: str) -> str:
    """Return a digest of the sources of a module and of all it imports, directly or not."""
    sources: dict[str, bytes] = {}
    _gather(module, sources)
    return hashlib.sha256(b"\0".join(sources[name] for name in sorted(sources))).hexdigest()


_IMPORT = re.compile(
    rb"^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import[ \t]+(\([^)]*\)|.*)|import[ \t]+([\w., \t]+))", re.M
)


def _gather(name: str, sources: dict[str, bytes]) -> None:
    """Add the sources of a module and its imports, except those of other installed packages."""
    file = None if name in sources else _source(name)
    if file is None:
        return
    sources[name] = file.read_bytes()
    if name == __package__:  # kernels can call nothing else that the package re-exports
        _gather(f"{name}.arithmetic", sources)
        return
    package = name if file.name == "__init__.py" else name.rpartition(".")[0]
    for source, names, listed in _IMPORT.findall(sources[name]):
        if source:
            text = source.decode()
            dotted = importlib.util.resolve_name(text, package) if text[0] == "." else text
            _gather(dotted, sources)
            for imported in _NAME.findall(names.decode(errors="replace")):
                _gather(f"{dotted}.{imported}", sources)  # it may be a module
        for clause in listed.decode().split(","):  # such as "numpy as np"
            _gather(clause.split()[0] if clause.strip() else "", sources)


_NAME = re.compile(r"\w+")
_ROOT = Path(__file__).parent


def _source(module: str) -> Path | None:
    """Return the source file of a module of this package, or of a user's module that is loaded.

    Modules of this package count even if they are not loaded, so that the digest does not depend
    on what a command has imported so far.
    """
    if module.partition(".")[0] == __package__:
        return _own_source(module)
    file = getattr(sys.modules.get(module), "__file__", None) or ""
    return Path(file) if file.endswith(".py") and not file.startswith(_INSTALLED) else None


@functools.cache
def _own_source(module: str) -> Path | None:
    path = _ROOT.joinpath(*module.split(".")[1:])
    files = path / "__init__.py", path.with_name(f"{path.name}.py")
    return next((file for file in files if file.is_file()), None)


_INSTALLED = tuple({sysconfig.get_path(which) for which in ("stdlib", "purelib", "platlib")})
