"""A filter of system calls: the kernel refuses programs what no bot needs.

Each entry closes a way around the supervisor: signals that wake a stopped program, locks and keys
through which programs disturb or tell each other, and parts of the kernel with many past flaws.
"""

from __future__ import annotations

import ctypes
import errno
import os
import signal
import struct
import sys
from collections.abc import Iterator
from contextlib import suppress

from .system import call

ARCHITECTURES = {"x86_64": (0xC000003E, 317, 0), "aarch64": (0xC00000B7, 277, 1)}
"""For each processor its number in the kernel, that of `seccomp`, and its column in REFUSED."""

REFUSED = {
    "timer_create": (222, 107), "mq_notify": (244, 184),  # may send SIGCONT to a stopped process
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219),
    "inotify_init": (253, None), "inotify_init1": (294, 26),
    "fanotify_init": (300, 262),
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "process_madvise": (440, 440), "kcmp": (312, 272), "pidfd_getfd": (438, 438),
    "unshare": (272, 97), "setns": (308, 268), "chroot": (161, 51), "pivot_root": (155, 41),
    "mount": (165, 40), "umount2": (166, 39), "mount_setattr": (442, 442),
    "move_mount": (429, 429), "open_tree": (428, 428), "fsopen": (430, 430),
    "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433),
    "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265),
    "swapon": (167, 224), "swapoff": (168, 225), "quotactl": (179, 60), "quotactl_fd": (443, 443),
    "perf_event_open": (298, 241), "bpf": (321, 280), "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "memfd_secret": (447, 447), "seccomp": (317, 277),
    "reboot": (169, 142), "kexec_load": (246, 104), "kexec_file_load": (320, 294),
    "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106),
    "acct": (163, 89), "syslog": (103, 116), "vhangup": (153, 58), "iopl": (172, None),
    "ioperm": (173, None), "modify_ldt": (154, None), "lookup_dcookie": (212, 18),
    "settimeofday": (164, 170), "clock_settime": (227, 112), "clock_adjtime": (305, 266),
    "adjtimex": (159, 171), "sethostname": (170, 161), "setdomainname": (171, 162),
}  # fmt: skip
"""The numbers of system calls that fail, on each processor; None where it has no such call."""

LOCK = (73, 32)
"""`flock`, by which programs could talk through any file that both can read, does nothing: Java
complains on standard output where it fails."""
CLONE, FCNTL, IOCTL, PRCTL, SOCKET = (56, 220), (72, 25), (16, 29), (157, 167), (41, 198)
CLONE3 = 435
"""Its flags lie in memory, which a filter cannot read; C libraries then use `clone`."""
NEWEST = 466
"""The last system call that this list was compared with; later ones fail as unknown."""

NEW_NAMESPACES = 0x7E020080
EXIT_SIGNAL = 0xFF
SET_LEASE, NOTIFY, GET_LOCK, GET_OWN_LOCK, SET_SIGNAL = 1024, 1026, 5, 36, 10
TYPE_INTO_TERMINAL, CONSOLE = 0x5412, 0x541C
PARENT_DEATH_SIGNAL, DUMPABLE, FILTER = 1, 4, 22
LOCAL, INTERNET, INTERNET_6, ROUTES = 1, 2, 10, 16

LOAD, EQUAL, ANY_BIT, AND, RETURN = 0x20, 0x15, 0x45, 0x54, 0x06
NUMBER, ARCHITECTURE, FIRST, SECOND, THIRD = 0, 4, 16, 24, 32
"""Where the call's number, the processor and the (lower halves of) arguments lie."""
ABOVE = 0x25
ALLOW, KILL, FAIL = 0x7FFF0000, 0x80000000, 0x00050000
SUCCEED = FAIL
"""A call that is not made, and "fails" with error 0."""

JOIN_SESSION_KEYRING = 1

SET_FILTER, ACTION_AVAILABLE, NO_MITIGATION = 1, 2, 4

Code = list[tuple[int, int, int, int]]
"""Instructions of the kernel's filter machine: operation, jumps if true and false, operand."""


def filtered() -> bool:
    """Return whether the kernel can filter system calls on this processor."""
    if sys.platform != "linux" or os.uname().machine not in ARCHITECTURES:
        return False
    try:
        _seccomp(ACTION_AVAILABLE, 0, struct.pack("I", FAIL))
    except OSError:
        return False
    return True


def refuse() -> None:
    """Install the filter for this process and all that it starts; there is no way back."""
    code = b"".join(struct.pack("HBBI", *instruction) for instruction in _code())
    held = ctypes.create_string_buffer(code)
    program = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(held))
    _seccomp(SET_FILTER, NO_MITIGATION, program)


def leave_keyring() -> None:
    """Change to a new, empty keyring: that of the session holds the user's tickets."""
    if sys.platform == "linux" and os.uname().machine in ARCHITECTURES:
        column = ARCHITECTURES[os.uname().machine][2]
        with suppress(OSError):  # a kernel without keys, or too many at once: see REFUSED
            call("syscall", REFUSED["keyctl"][column], JOIN_SESSION_KEYRING, None)


def _seccomp(*arguments: object) -> None:
    call("syscall", ARCHITECTURES[os.uname().machine][1], *arguments)


def _code() -> Code:
    architecture, _, column = ARCHITECTURES[os.uname().machine]
    code: Code = [
        (LOAD, 0, 0, ARCHITECTURE),
        (EQUAL, 1, 0, architecture),  # another numbering of calls, as of 32-bit programs
        (RETURN, 0, 0, KILL),
        (LOAD, 0, 0, NUMBER),
        (ABOVE, 0, 1, NEWEST),
        (RETURN, 0, 0, FAIL | errno.ENOSYS),
        (EQUAL, 0, 1, CLONE3),
        (RETURN, 0, 0, FAIL | errno.ENOSYS),
        (EQUAL, 0, 1, LOCK[column]),
        (RETURN, 0, 0, SUCCEED),
    ]
    for number in (numbers[column] for numbers in REFUSED.values()):
        if number is not None:
            code += [(EQUAL, 0, 1, number), (RETURN, 0, 0, FAIL | errno.EPERM)]
    for numbers, checks in _checks():
        code += [(EQUAL, 0, len(checks) + 1, numbers[column]), *checks, (RETURN, 0, 0, ALLOW)]
    return [*code, (RETURN, 0, 0, ALLOW)]


def _checks() -> Iterator[tuple[tuple[int, int], Code]]:
    """Yield system calls of which only some uses are refused, and the code that finds those."""
    refused = (RETURN, 0, 0, FAIL | errno.EPERM)
    wakes = (EQUAL, 0, 1, int(signal.SIGCONT))
    yield CLONE, [
        (LOAD, 0, 0, FIRST), (ANY_BIT, 0, 1, NEW_NAMESPACES), refused,
        (AND, 0, 0, EXIT_SIGNAL), wakes, refused,
    ]  # fmt: skip
    yield FCNTL, [
        (LOAD, 0, 0, SECOND),
        (EQUAL, 3, 0, SET_LEASE), (EQUAL, 2, 0, NOTIFY), (EQUAL, 1, 0, GET_LOCK),
        (EQUAL, 0, 1, GET_OWN_LOCK), refused,
        (EQUAL, 0, 3, SET_SIGNAL), (LOAD, 0, 0, THIRD), wakes, refused,
    ]  # fmt: skip
    yield IOCTL, [
        (LOAD, 0, 0, SECOND), (EQUAL, 1, 0, TYPE_INTO_TERMINAL), (EQUAL, 0, 1, CONSOLE), refused,
    ]  # fmt: skip
    yield PRCTL, [
        (LOAD, 0, 0, FIRST),
        (EQUAL, 1, 0, FILTER), (EQUAL, 0, 1, DUMPABLE), refused,
        (EQUAL, 0, 3, PARENT_DEATH_SIGNAL), (LOAD, 0, 0, SECOND), wakes, refused,
    ]  # fmt: skip
    yield SOCKET, [
        (LOAD, 0, 0, FIRST),
        (EQUAL, 4, 0, LOCAL), (EQUAL, 3, 0, INTERNET), (EQUAL, 2, 0, INTERNET_6),
        (EQUAL, 1, 0, ROUTES), (RETURN, 0, 0, FAIL | errno.EAFNOSUPPORT),
    ]  # fmt: skip
