"""The time to start: a match of one random game, a network's first move.

    python -m benchmarks.start

Compared with a bare `import numba`, by the medians of CPU time (user and system) of alternating
processes, with bytecode and kernels on disk. They have an environment of their own: an empty store,
and folders for bytecode and kernels that the first processes fill; settings of Plyground, Numba and
Python in the user's environment are left out.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

MATCH = ("match", "connect_n", "random", "random", "--games", "1")
FIRST_MOVE = (
    "from plyground import load_agent, load_game\n"
    "load_agent('network').think(load_game('robots').start())"
)
COMMANDS = {
    "import numba": ("-c", "import numba"),
    "plyground --version": ("-m", "plyground", "--version"),
    "plyground match, nothing stored": ("-m", "plyground", *MATCH, "--store", "none"),
    "plyground match": ("-m", "plyground", *MATCH),
    "Python, first move of a network": ("-c", FIRST_MOVE),
}


def own_environment(folder: Path) -> dict[str, str]:
    """Return the environment without settings of the user's, with all files in a folder."""
    settings = ("PLYGROUND_", "NUMBA_", "PYTHON")
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(settings) or name == "PYTHONPATH"
    }
    return kept | {
        "PLYGROUND_STORE": str(folder / "games.sqlite"),
        "PLYGROUND_CACHE_DIR": str(folder / "kernels"),
        "PYTHONPYCACHEPREFIX": str(folder / "bytecode"),
    }


def spent(arguments: tuple[str, ...], environment: dict[str, str]) -> float:
    """Return the CPU seconds of a Python process with these arguments."""
    process = subprocess.Popen(
        [sys.executable, *arguments],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(arguments)}: exit code {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    """Measure alternately, and print the medians."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.start", description=__doc__)
    parser.add_argument("--rounds", type=int, default=15, help="number of rounds; default 15")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    given = parser.parse_args()
    seconds: dict[str, list[float]] = {name: [] for name in COMMANDS}
    with tempfile.TemporaryDirectory() as folder:
        environment = own_environment(Path(folder))
        for arguments in COMMANDS.values():
            spent(arguments, environment)  # compiles
        for _ in range(given.rounds):
            for name, arguments in COMMANDS.items():
                seconds[name].append(spent(arguments, environment))
    medians = {name: median(each) for name, each in seconds.items()}
    bare = medians["import numba"]
    if given.json:
        print(json.dumps({"medians": medians, "seconds": seconds}, indent=2))
        return
    for name, each in medians.items():
        print(f"{name:32}{1000 * each:6.0f} ms of CPU time{each / bare:6.2f} times a bare import")


if __name__ == "__main__":
    main()
