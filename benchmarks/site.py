"""The site under load: the time until a click is answered, and the memory after many games.

`python -m benchmarks.site` starts a server. First 50 visitors play at once against agents that
think, and the time from a click until the move is shown is measured. Then 1,000 short games are
played, and the server's memory is read as they go on.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
from itertools import count
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect

BOUND = 100.0
"""Milliseconds until a click is answered, at the median."""

GROWTH = 1.1
"""Memory at the end, as a multiple of that after two fifths of the games, when caches are full."""

THINKING = {"kind": "agent", "agent": {"name": "alphabeta", "options": {"depth": 7}}}
QUICK = {"kind": "agent", "agent": {"name": "random"}}
PERSON = {"kind": "person"}
PAUSE = 1.0
"""Seconds for which a person thinks, at the median."""


class Visitor:
    """A page with one game of Connect Four."""

    numbers = count()

    def __init__(self, address: str) -> None:
        self.address = address
        self.clicks: list[float] = []
        """Milliseconds until each click was answered."""
        self.replies = 0

    async def play(self, opponent: dict[str, Any], games: int, pause: float) -> None:
        """Play games one after the other, with random moves."""
        async with httpx.AsyncClient(base_url=self.address, timeout=120) as http:
            await http.get("/")
            for _ in range(games):
                form = {"game": "connect_n", "seats": [PERSON, opponent]}
                made = await http.post("/api/games", json=form)
                made.raise_for_status()
                address = f"{self.address.replace('http', 'ws', 1)}/ws/game/{made.json()['id']}"
                cookie = "; ".join(f"{name}={value}" for name, value in http.cookies.items())
                async with connect(address, additional_headers={"Cookie": cookie}) as socket:
                    await self._game(socket, pause)

    async def _game(self, socket: ClientConnection, pause: float) -> None:
        await socket.send(json.dumps({"type": "hello", "version": None}))
        clicked, legal = 0.0, []
        while True:
            message = json.loads(await socket.recv())
            if message["type"] == "move":
                if message["move"]["seat"] == 0:
                    self.clicks.append(1000 * (perf_counter() - clicked))
                else:
                    self.replies += 1
            if message.get("over"):
                return
            legal = message.get("legal") or []
            if legal:
                await asyncio.sleep(random.expovariate(0.7 / pause) if pause else 0)
                request = {"type": "move", "request": f"r{next(self.numbers)}"}
                request |= {"ply": message["ply"], "action": random.choice(legal)["action"]}
                clicked = perf_counter()
                await socket.send(json.dumps(request))


async def crowd(address: str, visitors: int, seconds: float) -> list[Visitor]:
    """Let visitors play at once for some seconds."""
    everyone = [Visitor(address) for _ in range(visitors)]
    tasks = [asyncio.create_task(visitor.play(THINKING, 10**6, PAUSE)) for visitor in everyone]
    await asyncio.sleep(seconds)
    for task in tasks:
        task.cancel()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    for result in results:
        if isinstance(result, Exception):
            raise result
    return everyone


async def many_games(address: str, pid: int, games: int) -> list[float]:
    """Play short games, ten at a time; return the server's memory in MiB after each fifth."""
    figures = []
    for _ in range(5):
        players = [Visitor(address) for _ in range(10)]
        each = max(1, games // 50)
        await asyncio.gather(*(player.play(QUICK, each, 0.0) for player in players))
        figures.append(memory(pid))
    return figures


def memory(pid: int) -> float:
    """Return the MiB of memory that a process occupies."""
    status = Path(f"/proc/{pid}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def cpu_seconds(pid: int) -> float:
    """Return the CPU time that a process has used, without its children."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Read the command line, start a server, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.site", description=__doc__)
    parser.add_argument("--visitors", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--games", type=int, default=1000)
    given = parser.parse_args()
    with TemporaryDirectory() as folder:
        store = str(Path(folder) / "games.sqlite")
        command = [sys.executable, "-m", "plyground", "serve", "--port", "0", "--json"]
        server = subprocess.Popen([*command, "--store", store], stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        address = json.loads(server.stdout.readline())["address"]
        try:
            asyncio.run(Visitor(address).play(THINKING, 1, 0.0))  # compiles what is needed
            before = cpu_seconds(server.pid)
            visitors = asyncio.run(crowd(address, given.visitors, given.seconds))
            used = cpu_seconds(server.pid) - before
            clicks = [click for visitor in visitors for click in visitor.clicks]
            ninth = quantiles(clicks, n=10)[8]
            replies = sum(visitor.replies for visitor in visitors)
            print(
                f"{given.visitors} visitors, {len(clicks)} clicks in {given.seconds:g} s: answered "
                f"in {median(clicks):.1f} ms (median; at most {BOUND:g}), 90% in {ninth:.1f} ms; "
                f"{replies} replies of agents; {1000 * used / len(clicks):.1f} ms of the server's "
                "CPU time per click and reply"
            )
            figures = asyncio.run(many_games(address, server.pid, given.games))
            print(
                f"{given.games} games: {', '.join(f'{figure:.0f}' for figure in figures)} MiB of "
                f"memory after each fifth: {figures[-1] / figures[1]:.2f} times that after the "
                f"second, at most {GROWTH}"
            )
        finally:
            server.terminate()
            server.wait(20)


if __name__ == "__main__":
    main()
