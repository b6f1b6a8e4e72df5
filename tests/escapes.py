"""Attempts to escape from the sandbox or to exceed its limits; each is a program.

A program prints one line: "escaped" where its trick worked, anything else where it did not. What
it should not reach is named by the variable SECRETS: folders and files outside.
"""

READS = """
def try_to_read(path):
    try:
        return open(path, "rb").read(100)
    except OSError:
        return b""
def try_to_write(path):
    try:
        with open(path, "w") as file:
            file.write("mine")
        return True
    except OSError:
        return False
"""

ESCAPES = {
    "see the other's working copy": """
import glob
print("escaped" if glob.glob("/tmp/plyground-bot-*") or os.path.exists(secret) else "held")
""",
    "delete the other's file": """
import shutil
for path in (secret, os.path.dirname(secret)):
    shutil.rmtree(path, ignore_errors=True)
    try:
        os.unlink(path)
    except OSError:
        pass
print("held")
""",
    "change its own program": """
print("escaped" if try_to_write(sys.argv[0]) else "held")
""",
    "change the interpreter": """
print("escaped" if try_to_write(os.__file__) or try_to_write(sys.executable) else "held")
""",
    "read the home folder": """
python = (sys.prefix, sys.base_prefix)  # an interpreter that lies there may be seen
found = os.listdir(home) if os.path.exists(home) else []
print("held" if all(any(f"{home}/{name}" in path for path in python) for name in found)
      else f"escaped: {found}")
""",
    "leave something in shared memory": """
open("/dev/shm/plyground-was-here", "w").close()
print("held")
""",
    "leave something in the folder for temporary files": """
open("/tmp/plyground-was-here", "w").close()
print("held")
""",
    "list the processes of the machine": """
found = [int(name) for name in os.listdir("/proc") if name.isdecimal()]
print("held" if max(found) < 20 else "escaped")
""",
    "read the supervisor's environment": """
seen = [try_to_read(f"/proc/{pid}/{name}") for pid in (1, os.getppid())
        for name in ("environ", "mem", "maps", "auxv")]
print("escaped" if any(seen) else "held")
""",
    "take the supervisor's files": """
try:
    print("escaped" if os.listdir("/proc/1/fd") else "held")
except OSError:
    print("held")
""",
    "inject code into the supervisor": """
import ctypes
attach, seize = 16, 0x4206
library = ctypes.CDLL(None, use_errno=True)
worked = [library.ptrace(request, pid, 0, 0) == 0
          for request in (seize, attach) for pid in {1, os.getppid()}]
print("escaped" if any(worked) else "held")
""",
    "end the supervisor": """
import signal
for number in (signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM, signal.SIGSEGV):
    os.kill(1, number)
print("held")
""",
    "be root in a namespace of its own": """
import ctypes
library = ctypes.CDLL(None)
print("escaped" if library.unshare(0x10000000) == 0 else "held")
""",
    "mount memory that nobody counts": """
import ctypes
library = ctypes.CDLL(None)
library.unshare(0x10020000)
print("escaped" if library.mount(b"tmpfs", b"/tmp", b"tmpfs", 0, None) == 0 else "held")
""",
    "undo the read-only view": """
import ctypes
bind, remount = 0x1000, 0x20
library = ctypes.CDLL(None)
print("escaped" if library.mount(b"none", b"/usr", b"", bind | remount, None) == 0 else "held")
""",
    "become root by a program with the setuid bit": """
import subprocess
for name in ("sudo", "su"):
    try:
        done = subprocess.run([name, "-c", "id -u"], stdin=subprocess.DEVNULL, timeout=9,
                              capture_output=True, text=True)
        if done.stdout.strip() == "0" and os.getuid() != 0:
            print("escaped")
            sys.exit()
    except (OSError, subprocess.TimeoutExpired):
        pass
print("escaped" if os.getuid() == 0 else "held")
""",
    "change settings of the kernel": """
names = ("/proc/sys/kernel/hostname", "/proc/sys/user/max_user_namespaces",
         "/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger")
print("escaped" if any([try_to_write(name) for name in names]) else "held")
""",
    "reach the network": """
import socket
try:
    socket.create_connection(("192.0.2.1", 9), timeout=9)
    print("escaped")
except OSError as error:
    print("held" if error.strerror == "Network is unreachable" else f"escaped? {error}")
""",
    "keep a capability": """
lines = [line.split() for line in open("/proc/self/status") if line.startswith("Cap")]
kept = [name for name, value in lines if name != "CapBnd:" and int(value, 16)]
print(f"escaped: {kept}" if kept else "held")
""",
    "see the terminal": """
try:
    os.open("/dev/tty", os.O_RDWR)
    print("escaped")
except OSError:
    print("held")
""",
    "write to the root folder or to devices": """
names = ("/plyground-was-here", "/dev/plyground-was-here", "/etc/plyground-was-here")
print("escaped" if any([try_to_write(name) for name in names]) else "held")
""",
}

CALLS = """
import ctypes, fcntl, platform, signal, socket, struct
library = ctypes.CDLL(None, use_errno=True)
column = ("x86_64", "aarch64").index(platform.machine())
def call(numbers, *arguments):
    "Make a system call; return whether it was allowed, whatever it returned."
    held = library.syscall(numbers[column], *arguments)
    return held >= 0 or ctypes.get_errno() not in (1, 38)
"""

REFUSED = {
    "wake itself by a timer": """
event = struct.pack("QiiQ40x", 0, signal.SIGCONT, 0, 0)
print("escaped" if call((222, 107), 1, event, bytes(8)) else "held")
""",
    "be woken by a message, a file, a parent or a child": """
def set_signal(number):
    try:
        fcntl.fcntl(0, 10, number)
        return True
    except OSError:
        return False
message = struct.pack("QiiQ40x", 0, signal.SIGCONT, 0, 0)
print("escaped" if any([
    call((244, 184), 0, message), set_signal(signal.SIGCONT),
    library.prctl(1, signal.SIGCONT) == 0, call((56, 220), signal.SIGCONT, None, 0, 0, 0),
    not set_signal(signal.SIGIO),
]) else "held")
""",
    "lock what others read": """
escaped = False
with open(os.__file__) as one, open(os.__file__) as other:
    for number in (fcntl.F_SETLEASE, fcntl.F_NOTIFY):
        try:
            fcntl.fcntl(one, number, fcntl.F_RDLCK)
            escaped = True
        except PermissionError:
            pass
        except OSError:
            escaped = True
    fcntl.flock(one, fcntl.LOCK_EX)
    try:
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)  # it locks nothing
    except OSError:
        escaped = True
print("escaped" if escaped or call((294, 26), 0) else "held")
""",
    "take the user's keys": """
listed = "plyground-ticket" in open("/proc/keys").read()  # a user sees the names of all keys
print("escaped" if (listed and os.getuid() == 65534)
      or call((249, 218), b"user", b"plyground-ticket", None, 0)
      or call((250, 219), 0, -3, 0) or call((248, 217), b"user", b"mine", b"x", 1, -3) else "held")
""",
    "reach other processes and unusual parts of the kernel": """
families = (38, 40, 17)  # cryptography, virtual machines, packets
def reachable(family):
    try:
        socket.socket(family, socket.SOCK_DGRAM).close()
        return True
    except OSError as error:
        return error.errno != 97
print("escaped" if any([
    call((101, 117), 0, 0, 0, 0), call((310, 270), os.getpid(), None, 0, None, 0, 0),
    call((425, 425), 1, bytes(120)), call((321, 280), 0, bytes(120), 120),
    call((298, 241), bytes(120), 0, -1, -1, 0), call((323, 282), 1), call((435, 435), None, 0),
    call((56, 220), 0x10000000, None, 0, 0, 0), call((500, 500)), *map(reachable, families),
    library.prctl(4, 0) == 0,
]) else "held")
""",
}
"""Tricks by system calls, which are refused also where a program cannot be confined."""

HOARDS = {
    "memory in files without a name": """
for number in range(160):
    if number % 16 == 0:
        file = os.memfd_create("hoard")
    os.write(file, bytes(2**20))
time.sleep(1000)
""",
    "memory in System V shared memory": """
import ctypes
library = ctypes.CDLL(None)
library.shmat.restype = ctypes.c_void_p
library.shmat.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_int]
for _ in range(20):
    segment = library.shmget(0, ctypes.c_size_t(8 * 2**20), 0o1600)
    address = library.shmat(segment, None, 0)
    ctypes.memset(address, 1, 8 * 2**20)
    library.shmdt(ctypes.c_void_p(address))
time.sleep(1000)
""",
    "files in shared memory": """
for number in range(10):
    with open(f"/dev/shm/{number}", "wb") as file:
        file.write(bytes(10 * 2**20))
time.sleep(1000)
""",
    "files in the folder for temporary files": """
for number in range(10):
    with open(f"/tmp/{number}", "wb") as file:
        file.write(bytes(10 * 2**20))
time.sleep(1000)
""",
    "files that have no name any more": """
kept = []
for number in range(10):
    kept.append(open("big", "wb"))
    os.unlink("big")
    kept[-1].write(bytes(10 * 2**20))
    kept[-1].flush()
time.sleep(1000)
""",
}

TRIAL = """
import ctypes, os, platform, sys, time
from pathlib import Path
from time import monotonic
from plyground.errors import AgentError
from plyground.programs.sandbox.process import Confinement, Process

def attempt(way, python, bot, memory=100, disk=20):
    "Run a program; return its first line, or why it failed, and how it ended."
    os.environ["MY_SECRET"] = "secret"
    library = ctypes.CDLL(None)
    if platform.machine() == "x86_64":  # a keyring for the session, with the user's ticket
        library.syscall(250, 1, None)
        library.syscall(248, b"user", b"plyground-ticket", b"secret", 6, -3)
    process = Process([python, bot], Confinement(memory, 40, disk, 60, False), way=way)
    try:
        line = process.receive(monotonic() + 20)
    except AgentError as failure:
        return str(failure)
    finally:
        process.end()
    return line
"""
