"""A private PostgreSQL server in a temporary folder, for as long as the tests run."""

import os
import shutil
import socket
import subprocess
import tempfile
from itertools import count
from pathlib import Path


def programs():
    """Find the folder with the server's programs, if it is installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"))
    beside = shutil.which("pg_ctl")
    return found[-1].parent if found else beside and Path(beside).resolve().parent


class Server:
    """A private cluster; it refuses to run as root, and then runs as the user postgres."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="plyground-postgres-"))
        self.data = self.folder / "data"
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres", "postgres")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.databases = count(1)
        self._run("initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "--no-sync")
        self.start()

    def start(self):
        options = f"-p {self.port} -k {self.folder} -c listen_addresses=127.0.0.1 -c fsync=off"
        log = self.folder / "log"
        self._run("pg_ctl", "-D", self.data, "-l", log, "-w", "-o", options, "start")

    def stop(self):
        self._run("pg_ctl", "-D", self.data, "-w", "-m", "immediate", "stop")

    def remove(self):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def database(self):
        """Make an empty database; return its URL."""
        name = f"games{next(self.databases)}"
        self._run("createdb", "-h", self.folder, "-p", str(self.port), "-U", "postgres", name)
        return f"postgresql://postgres@127.0.0.1:{self.port}/{name}"

    def _run(self, program, *arguments):
        before = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        whole = [*before, programs() / program, *arguments]
        # The server must not keep a pipe of the tests open.
        subprocess.run(whole, check=True, cwd=self.folder, stdout=subprocess.DEVNULL, timeout=60)
