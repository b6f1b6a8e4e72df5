"""Confinement in namespaces by direct system calls, for systems without bubblewrap."""

from __future__ import annotations

import ctypes
import fcntl
import os
import socket
import struct
from collections.abc import Iterable
from typing import Any

from .system import (
    NEW_IPC,
    NEW_MOUNTS,
    NEW_NETWORK,
    NEW_PROCESSES,
    NOBODY,
    call,
    die_with_parent,
    enter_user_namespace,
)
from .usage import MANY_FILES

NO_SETUID, NO_DEVICES, NO_PROGRAMS = 2, 4, 8
BIND, RECURSIVE, PRIVATE = 0x1000, 0x4000, 0x40000
DETACH = 2
MOUNT_SETATTR = 442
"""The number of this system call, which is the same on all processors."""
HERE, WHOLE_TREE = -100, 0x8000
READ_ONLY = 1
INTERFACE_FLAGS, INTERFACE_UP = 0x8914, 1
OWN = "own"
"""The folder at which the file system of the program's files is mounted meanwhile."""
DEVICES = ("null", "zero", "full", "random", "urandom")


def enter(settings: dict[str, Any]) -> None:
    """Continue as process 1 of new namespaces, with the view that `settings` describe.

    The user stays the same, even root.
    """
    if os.getuid() == 0:
        unshare_mounts()
    else:
        enter_user_namespace(NEW_MOUNTS)
        _mount("none", "/", "", RECURSIVE | PRIVATE)
    limit_files(settings, settings["folder"], map(os.path.basename, settings["writable"]))
    call("unshare", NEW_IPC | NEW_PROCESSES | (0 if settings["network"] else NEW_NETWORK))
    if not settings["network"]:
        _start_loopback()
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        os._exit(0)
    die_with_parent()
    _make_view(settings)


def unshare_mounts() -> None:
    """Enter a new mount namespace, whose mounts nobody else sees."""
    call("unshare", NEW_MOUNTS)
    _mount("none", "/", "", RECURSIVE | PRIVATE)


def limit_files(settings: dict[str, Any], base: str, folders: Iterable[str]) -> None:
    """Put folders that the program may write to into one file system in memory, of their size.

    Their paths are relative to `base`; the first has files, the others are empty. It needs a mount
    namespace of this process's own, and disappears with that.
    """
    places = {os.path.basename(path): path for path in folders}
    os.chdir(base)  # the owner of the files may not be allowed to see the folders above it
    os.makedirs(OWN, exist_ok=True)
    owner = NOBODY if os.getuid() == 0 else os.getuid()
    size = f"mode=755,size={settings['disk']}m,nr_inodes={MANY_FILES},uid={owner}"
    _mount("tmpfs", OWN, "tmpfs", NO_SETUID | NO_DEVICES, size)
    os.seteuid(owner)
    try:
        home, *empty = places
        _copy(places[home], f"{OWN}/{home}")
        for name in empty:
            os.mkdir(f"{OWN}/{name}")
    except OSError as error:
        bounds = f"disk={settings['disk']} MiB and {MANY_FILES} files"
        raise OSError(f"its own files do not fit into {bounds}: {error.strerror}") from None
    finally:
        os.seteuid(os.getuid())
    for name, path in places.items():
        bind(f"{OWN}/{name}", path)
    call("umount2", OWN.encode(), DETACH)
    os.chdir("/")
    settings["quota"] = True


def _copy(source: str, target: str) -> None:
    """Copy a folder; `shutil` takes longer to import than all of this."""
    os.mkdir(target)
    for entry in os.scandir(source):
        copy = f"{target}/{entry.name}"
        if entry.is_symlink():
            os.symlink(os.readlink(entry.path), copy)
        elif entry.is_dir():
            _copy(entry.path, copy)
        else:
            with open(entry.path, "rb") as original, open(copy, "wb") as file:
                file.write(original.read())
                os.fchmod(file.fileno(), entry.stat().st_mode & 0o777)


def _start_loopback() -> None:
    with socket.socket() as any_socket:
        request = struct.pack("16sH14x", b"lo", INTERFACE_UP)
        fcntl.ioctl(any_socket, INTERFACE_FLAGS, request)


def _make_view(settings: dict[str, Any]) -> None:
    """Build a root folder of what the program may see, and change this process's root to it."""
    folder = settings["folder"]
    root = f"{folder}/root"
    os.mkdir(root)
    _mount("tmpfs", root, "tmpfs", NO_SETUID | NO_DEVICES, "mode=755,size=1m")
    for name in DEVICES:
        bind(f"/dev/{name}", f"{root}/dev/{name}")
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        os.symlink(f"/proc/self/fd/{number}", f"{root}/dev/{name}")
    os.symlink("/proc/self/fd", f"{root}/dev/fd")
    os.mkdir(f"{root}/proc")
    _mount("proc", f"{root}/proc", "proc", NO_SETUID | NO_DEVICES | NO_PROGRAMS)
    for source, path in settings["writable"].items():
        bind(source, root + path)
        _set_attributes(root + path, NO_SETUID | NO_DEVICES)
    for path, target in settings["links"].items():
        os.symlink(target, root + path)
    for source, path in settings["read_only"].items():
        bind(source, root + path)
        _set_attributes(root + path, READ_ONLY | NO_SETUID | NO_DEVICES)
    os.chdir(root)
    call("pivot_root", b".", b".")
    call("umount2", b".", DETACH)
    os.chdir("/")
    _set_attributes("/", READ_ONLY, whole_tree=False)


def bind(source: str, target: str) -> None:
    """Mount a file or folder at another path as well."""
    if os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "a"):
            pass
    _mount(source, target, "", BIND | RECURSIVE)


def _mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    names = (os.fsencode(name) for name in (source, target, kind))
    call("mount", *names, ctypes.c_ulong(flags), os.fsencode(options))


def _set_attributes(path: str, attributes: int, *, whole_tree: bool = True) -> None:
    """Set attributes of a mount, and of those below it."""
    change = struct.pack("QQQQ", attributes, 0, 0, 0)
    flags = WHOLE_TREE if whole_tree else 0
    call("syscall", MOUNT_SETATTR, HERE, os.fsencode(path), flags, change, ctypes.c_size_t(32))
