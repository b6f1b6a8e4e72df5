"""Faults: their cost with either referee, and the places of the others after a forfeit."""

import csv
import json
import sys
import time
from pathlib import Path

import pytest

from plyground import PlygroundError, load_agent, load_game, play_game
from plyground.agents.agent import Agent, Limit, Thought
from plyground.arena.match import forfeited
from plyground.arena.record import FINISHED, Record, positions, read_text, write_text
from plyground.errors import AgentError, IllegalActionError
from plyground.export.replay import replay_data
from plyground.game.position import SKIP

HOSTILE = Path(__file__).parent / "hostile"
RANDOM = load_agent("random")
SHEEP = load_game("sheep")


class Clumsy(Agent):
    """Plays illegal actions from a given turn on."""

    name = "clumsy"
    after: int = 0

    def choose(self, position, limit, seed):
        legal = position.legal_actions
        first = position.ply // position.game.facts.players < self.after
        return Thought(legal[len(legal) // 2] if first else 10**6)


class Broken(Agent):
    """Raises an error at every turn."""

    name = "broken"

    def choose(self, position, limit, seed):
        raise ValueError("all is lost")


def course(table, game=SHEEP, **options):
    return play_game(game, table, referee="course", **options)


# With the course's referee ----------------------------------------------------------------------


@pytest.mark.parametrize("game", ["sheep", "sheep(hidden=True)", "sheep(teams=True)"])
def test_in_battle_sheep_a_placement_is_replaced_and_a_move_lost(game):
    record = course([RANDOM, Clumsy(), RANDOM, RANDOM], load_game(game), seed=4)
    assert (record.ending, record.fault) == (FINISHED, None)
    assert [record.players[ply] for ply, *_ in record.faults] == [1] * len(record.faults)
    plies = [ply for ply, seat in enumerate(record.players) if seat == 1]
    assert [ply for ply, *_ in record.faults] == plies
    assert record.faults[0][2] == "illegal"
    assert "is not legal" in record.faults[0][3]
    actions = [record.actions[ply] for ply in plies]
    assert actions[0] >= 0
    assert set(actions[1:]) == {SKIP}
    line = positions(load_game(game), record)
    assert line[-1].is_over
    assert line[-1].returns == record.returns
    assert all(seat.player == played for seat, played in zip(line, record.players, strict=False))


@pytest.mark.parametrize("game", ["sheep", "sheep(hidden=True)", "sheep(hex=True)"])
def test_a_game_with_skipped_moves_is_drawn_and_replayed(game):
    record = course([RANDOM, Clumsy(), RANDOM, RANDOM], load_game(game), seed=4)
    data = replay_data(load_game(game), record)
    assert len(data["frames"]) == len(record.actions) + 1
    for ply, action in enumerate(record.actions):
        if action == SKIP:
            assert data["moves"][ply]["text"] == "skip"
    assert load_game(game).rows(positions(load_game(game), record)[-1])


def test_a_replaced_placement_is_drawn_from_the_seed():
    seen = {course([Clumsy(), *[RANDOM] * 3], number=number).actions[0] for number in range(9)}
    assert len(seen) > 2
    again = [course([Clumsy(), *[RANDOM] * 3], number=3).actions for _ in range(2)]
    assert again[0] == again[1]


def test_lost_moves_count_towards_the_moves_a_player_has():
    """Each has a placement and 15 turns, so that a game of failing bots ends."""
    record = course([Clumsy()] * 4)
    assert record.ending == FINISHED
    assert [record.players.count(seat) for seat in range(4)] == [16] * 4
    assert record.returns == (0.0,) * 4
    mixed = course([Clumsy(), Clumsy(after=6), *[RANDOM] * 2], seed=2)
    assert mixed.ending == FINISHED
    assert max(mixed.players.count(seat) for seat in range(4)) <= 16


def test_a_lost_move_costs_no_more_than_that_move():
    game = load_game("sheep(players=2, size=4, cells=11)")
    before = game.parse("##../a15.a./b13.bb/#b## a")
    after = before.replay(SKIP)
    assert (after.player, after.ply, after.is_over) == (1, 1, False)
    back = after.replay(SKIP)
    assert back.player == 0
    assert back.legal_actions == before.legal_actions
    assert back.format(SKIP) == "skip"
    with pytest.raises(IllegalActionError):
        back.play(SKIP)
    with pytest.raises(IllegalActionError):
        back.parse("skip")


def test_the_only_player_that_can_move_plays_until_its_turns_are_used_up():
    game = load_game("sheep(players=2, size=4, cells=16, sheep=4)")
    alone = game.parse("a3..a/..../bbbb/.... a")
    again = alone.replay(SKIP)
    assert (again.player, again.is_over) == (0, False)
    over = again.replay(SKIP)
    assert over.is_over
    assert over.returns == (-1.0, 1.0)
    with pytest.raises(IllegalActionError):
        over.replay(SKIP)


def test_in_tron_the_course_plays_up_and_the_contest_knows_no_mercy():
    record = course([Broken(), load_agent("rule(by=safe)")], load_game("tron"), seed=1)
    assert (record.ending, record.returns[0]) == (FINISHED, -1.0)
    assert {record.actions[ply] for ply, *_ in record.faults} == {0}
    for_none = {
        course([Clumsy(), RANDOM], load_game("tron"), seed=seed).actions[0] for seed in range(24)
    }
    assert for_none == {0, 1, 2, 3}
    record = course([Clumsy(), RANDOM], load_game("tron(simultaneous=True)"))
    assert (record.ending, record.fault, record.faults) == ("illegal", 0, ())


def test_where_the_game_has_no_penalty_a_fault_loses():
    record = course([Clumsy(), RANDOM], load_game("connect_n"))
    assert (record.ending, record.fault) == ("illegal", 0)
    with pytest.raises(IllegalActionError, match="a move cannot be skipped"):
        load_game("connect_n").start().replay(SKIP)


def test_without_the_courses_referee_a_fault_loses():
    record = play_game(SHEEP, [Clumsy(), RANDOM, RANDOM, RANDOM])
    assert (record.ending, record.fault, record.faults) == ("illegal", 0, ())


def test_a_record_keeps_its_faults_in_any_form():
    record = course([RANDOM, Clumsy(after=2), RANDOM, RANDOM])
    assert len(record.faults) > 1
    assert Record.from_json(json.loads(json.dumps(record.to_json()))) == record
    text = write_text(record)
    assert " skip " in text
    assert read_text(text.replace('"clumsy(after=2)"', '"random"')).faults == record.faults
    old = record.to_json()
    del old["faults"]
    with pytest.raises(PlygroundError, match="skipped move without a fault"):
        Record.from_json(old)
    del old["actions"], old["players"], old["seconds"], old["values"]
    old |= dict.fromkeys(("actions", "players", "seconds", "values"), ())
    assert Record.from_json(old).faults == ()
    for wrong in ([[0, 9, "late", ""]], [[999, 0, "late", ""]], [[0, 0, "x", ""]], [[0, 0]], 3):
        with pytest.raises(PlygroundError):
            Record.from_json(old | {"faults": wrong})


def test_a_late_bot_plays_its_next_turn(tmp_path):
    (tmp_path / "bot.py").write_text(
        "import json, sys, time\n"
        "for line in sys.stdin:\n"
        "    message = json.loads(line)\n"
        "    kind = message['type']\n"
        "    if kind == 'hello':\n"
        "        answer = {'type': 'hello', 'protocol': 1}\n"
        "    elif kind == 'new_game':\n"
        "        answer = {'type': 'ready'}\n"
        "    elif kind == 'turn':\n"
        "        time.sleep(0.5 if message['turn'] == 1 else 0)\n"
        "        move, turn = message['legal'][-1], message['turn']\n"
        "        answer = {'type': 'move', 'turn': turn, 'action': move}\n"
        "    print(json.dumps(answer), flush=True)\n"
    )
    game = load_game("connect_n")
    agent = load_agent("remote", command=f"{sys.executable} {tmp_path}/bot.py").sit(game, 1)
    try:
        with pytest.raises(AgentError, match="no move within"):
            agent.choose(game.start().play(0), Limit(seconds=0.01), 0)
        time.sleep(0.6)  # its answer is in the pipe by now, or comes later: both are dropped
        assert agent.choose(game.start().play(0).play(6).play(6), Limit(seconds=30), 0).action == 6
        assert agent.choose(game.start().play(0).play(5).play(6), Limit(seconds=30), 0).action == 6
    finally:
        agent.close((0.0, 0.0))


def test_the_command_line_tells_faults(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    bot = f"remote(command='{sys.executable} {HOSTILE}/illegal_name.py')"
    command = (
        "match",
        "sheep",
        bot,
        *["random"] * 3,
        "--games",
        "1",
        "--opening",
        "0",
        "--referee",
        "course",
    )
    code, out, _ = run(*command, "--store", "none", "--workers", "1")
    assert code == 0
    assert "game 1, ply 1, illegal: its action is" in " ".join(out.split())
    store = ("--store", str(tmp_path / "games.sqlite"))
    reports = [argument for form in ("csv", "html") for argument in ("--report", f"result.{form}")]
    code, out, errors = run(*command, *store, *reports, "--workers", "1", "--json")
    assert code == 0, errors
    result = json.loads(out)
    faults = result["games"][0]["faults"]
    assert faults[0][1:3] == [0, "illegal"]
    (row,) = (row for row in result["standings"] if row["entrant"] == 0)
    assert row["faults"] == len(faults) == 16
    assert sum(row["faults"] for row in result["standings"]) == 16
    with open("result.csv", newline="") as file:
        assert sorted(cells["faults"] for cells in csv.DictReader(file)) == ["0", "0", "0", "16"]
    assert '<td class="n wide">16</td>' in Path("result.html").read_text()
    for shown in (("1",), ("1", "1")):
        code, out, _ = run("runs", "show", *shown, *store)
        listed = [line for line in out.splitlines() if line.startswith("fault: ")]
        assert len(listed) == 16
        assert ": game 1, ply 1, illegal: its action is" in listed[0]
    code, _, errors = run(*command[:-1], "lenient")
    assert code == 2
    assert "strict, course" in errors


# After a forfeit --------------------------------------------------------------------------------


def placed(text, player, spec="sheep(size=4, cells=16, sheep=4)"):
    game = load_game(spec)
    return forfeited(game.parse(text), player)


def test_the_others_are_placed_by_the_score_they_had():
    uneven = "aa2a./b2b2../c2.c2./d4... a"  # scores of a row of 3, a row of 2, two of 1, one
    assert placed(uneven, 3) == pytest.approx((1, 1 / 9, -1 / 3, -7 / 9))
    assert placed(uneven, 0) == pytest.approx((-7 / 9, 1, 1 / 9, -1 / 3))
    level = "a4.../b4.../c2c2../d4... a"
    assert placed(level, 2) == pytest.approx((7 / 27, 7 / 27, -7 / 9, 7 / 27))


def test_while_sheep_are_placed_the_others_are_alike():
    third = pytest.approx((1 / 3, -1, 1 / 3, 1 / 3))
    assert placed("a4.../..../..../.... b", 1) == third


def test_a_team_forfeits_together():
    spec = "sheep(size=4, cells=16, sheep=4, teams=True)"
    assert placed("aa2a./b2b2../c2.c2./d4... a", 2, spec) == (-1, 1, -1, 1)


def test_a_game_that_ends_by_a_forfeit_places_the_others():
    record = play_game(SHEEP, [RANDOM, RANDOM, Clumsy(after=3), RANDOM], seed=3)
    assert (record.fault, record.ending) == (2, "illegal")
    others = [returned for seat, returned in enumerate(record.returns) if seat != 2]
    assert record.returns[2] == min(record.returns) < min(others)
    assert len(set(others)) > 1
    assert sum(record.returns) == pytest.approx(0)
