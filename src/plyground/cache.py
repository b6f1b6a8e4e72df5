"""Compiled kernels on disk: one file each, by a digest of the sources, checked before use.

A damaged file is removed; a folder that is full, read-only or not the user's own costs time at
every start, and is never an error.
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
"""Bytes at the beginning of a file: the digest of all that follows."""


def load_kernel(folder: str, name: str) -> bytes | None:
    """Return what `save_kernel` kept; None where there is nothing, or only what is damaged."""
    root = kernel_folder()
    if root is None or not folder:
        return None
    path = root / folder / name
    try:
        data = path.read_bytes()
    except OSError:
        return None
    if hashlib.sha256(data[DIGEST:]).digest() == data[:DIGEST]:
        return data[DIGEST:]
    with suppress(OSError):
        path.unlink()
    _report(f"there were damaged kernels in {root}: they are compiled again")
    return None


def save_kernel(folder: str, name: str, content: bytes) -> None:
    """Write compiled code to disk; where that fails, report it once and go on."""
    root = kernel_folder()
    if root is None or not folder:
        return
    temporary = None
    try:
        (root / folder).mkdir(exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=root / folder, delete=False) as file:
            temporary = file.name
            file.write(hashlib.sha256(content).digest() + content)
        os.replace(temporary, root / folder / name)  # others see all of it or nothing
    except OSError as error:
        if temporary is not None:
            with suppress(OSError):
                os.unlink(temporary)
        _report(f"kernels cannot be kept in {root}: {error.strerror}; the next run compiles again")


@functools.cache
def _report(line: str) -> None:
    """Print a line to standard error once; only in the main process."""
    if parent_process() is None:
        print(line, file=sys.stderr)


# The folder -------------------------------------------------------------------------------------


@functools.cache
def kernel_folder() -> Path | None:
    """Return the folder set by PLYGROUND_CACHE_DIR or the user's own, else a temporary one.

    Processes started after the first call use the same one.
    """
    chosen = os.environ.get("PLYGROUND_CACHE_DIR") or platformdirs.user_cache_dir("plyground")
    root = Path(chosen) / "kernels"
    try:
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        problem = _problem(root)
    except OSError as error:
        problem = error.strerror or type(error).__name__
    if not problem:
        return root
    _report(f"kernels cannot be kept in {root}: {problem}; the next run compiles again")
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
    """Return why a folder cannot be used, or "": only its owner may write what will be run."""
    status = root.stat()
    if hasattr(os, "geteuid") and status.st_uid != os.geteuid():
        return "it belongs to another user"
    if os.name == "posix" and status.st_mode & 0o002:
        return "everybody may write there"
    return "" if os.access(root, os.W_OK) else "it is read-only"


def _remove(folder: str, owner: int) -> None:
    if os.getpid() == owner:  # a forked process must not take it away from its parent
        shutil.rmtree(folder, ignore_errors=True)


# The digest of the sources ----------------------------------------------------------------------


def folder_name(module: str) -> str:
    """Return a folder's name: a digest of all that a module can call; "" without a source file."""
    file = getattr(sys.modules[module], "__file__", None) or ""
    return f"{module.rpartition('.')[2]}-{_digest(module)[:16]}" if file.endswith(".py") else ""


@functools.cache
def _digest(module: str) -> str:
    """Return a digest of a module's source and that of every module it imports, and so on."""
    sources: dict[str, bytes] = {}
    _gather(module, sources)
    return hashlib.sha256(b"\0".join(sources[name] for name in sorted(sources))).hexdigest()


_IMPORT = re.compile(
    rb"^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import[ \t]+(\([^)]*\)|.*)|import[ \t]+([\w., \t]+))", re.M
)


def _gather(name: str, sources: dict[str, bytes]) -> None:
    """Add a module's source and its imports', but for installed packages that are not ours."""
    file = None if name in sources else _source(name)
    if file is None:
        return
    sources[name] = file.read_bytes()
    if name == __package__:  # of all that it re-exports, kernels can call only this
        _gather(f"{name}.arithmetic", sources)
        return
    package = name if file.name == "__init__.py" else name.rpartition(".")[0]
    for source, names, listed in _IMPORT.findall(sources[name]):
        if source:
            text = source.decode()
            dotted = importlib.util.resolve_name(text, package) if text[0] == "." else text
            _gather(dotted, sources)
            for each in _NAME.findall(names.decode(errors="replace")):
                _gather(f"{dotted}.{each}", sources)  # where it is a module
        for each in listed.decode().split(","):
            _gather(each.split()[0] if each.strip() else "", sources)


_NAME = re.compile(r"\w+")
_ROOT = Path(__file__).parent


def _source(module: str) -> Path | None:
    """Find the source of a module of ours, loaded or not, or of a user's that is loaded.

    So our kernels have one folder, whichever of our modules a command has loaded before.
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
