"""Runs code of the sandbox as another user, by the system's own interpreter.

The tests' environment may be unreadable for another user. The sandbox needs only the standard
library, so any interpreter of the system works.
"""

import subprocess
from pathlib import Path

PYTHON = Path("/usr/bin/python3")
USER = 12345
START = """
import os, sys, types
if os.getuid() == 0:
    os.setgroups([])
    os.setresgid({user}, {user}, {user})
    os.setresuid({user}, {user}, {user})
sys.dont_write_bytecode = True
package = types.ModuleType("plyground")  # not its __init__, which needs more than is there
package.__path__ = [{source!r}]
sys.modules["plyground"] = package
"""
SOURCE = str(Path(__file__).parent.parent / "src" / "plyground")


def run_as_user(code, *arguments):
    """Run code as an ordinary user; return what it printed."""
    start = START.format(user=USER, source=SOURCE)
    done = subprocess.run(
        [PYTHON, "-c", start + code, *map(str, arguments)],
        env={"HOME": "/nonexistent", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
