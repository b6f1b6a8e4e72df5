"""Bots of the Tron contest of 2010, which read the map every turn and answer 1 to 4.

`python tron_contest.py PROGRAM ARGUMENT...`
"""

import subprocess
import sys

import plyground_shim as shim

ACTIONS = {"1": "U", "2": "R", "3": "D", "4": "L"}


def write_map(position, seat):
    """Return the contest's text of a map: size and rows; 1 is the bot, taken cells are walls."""
    rows = position.split(" ")[0].split("/")
    own, other = ("1", "2") if seat == 0 else ("2", "1")
    letters = str.maketrans({".": " ", "x": "#", own: "1", other: "2"})
    lines = [f"{len(rows[0])} {len(rows)}"] + [row.translate(letters) for row in rows]
    return "\n".join(lines) + "\n"


def main(command):
    game = {}

    def begin(new_game):
        game["seat"] = new_game["seat"]
        game["bot"] = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, universal_newlines=True
        )

    def choose(turn):
        bot = game["bot"]
        try:
            bot.stdin.write(write_map(turn["position"], game["seat"]))
            bot.stdin.flush()
        except OSError:
            pass  # the bot has ended, which reading its answer reports
        line = bot.stdout.readline()
        if not line:
            shim.end_as(bot)
        answer = line.strip()
        if answer in ACTIONS:
            return ACTIONS[answer]
        raise shim.ForfeitError("illegal", f"its answer is {answer!r:.60}, not 1 to 4")

    def finish():
        game["bot"].stdin.close()

    shim.serve(begin, choose, finish)


if __name__ == "__main__":
    main(sys.argv[1:])
