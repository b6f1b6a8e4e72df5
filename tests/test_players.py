"""Agents are options, players own what changes; a player forfeits only by its own faults."""

import threading
from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest

from plyground import Agent, Limit, Player, Thought, Tournament, load_agent, load_game, play_game
from plyground.arena.record import Record
from plyground.arena.tournament import play_tournament
from plyground.arena.workers import Processes
from plyground.errors import CannotPlayError, PlygroundError
from plyground.registry import load_file

FAILING = Path(__file__).parent / "games" / "failing_rules.py"
SEARCHES = (
    "alphabeta(depth=4)",
    "mcts(simulations=300)",
    "maxn(depth=3)",
    "relay(then='mcts(simulations=200)')",
)


def moves_of(players, game, seeds):
    """Play a game with players that are already seated; return its actions and values."""
    position, moves = game.start(), []
    while not position.is_over:
        thought = players[position.player].think(position, seed=seeds + position.ply)
        moves.append((thought.action, thought.value))
        position = position.play(thought.action)
        for player in players:
            player.watch(thought.action)
    return moves


@pytest.mark.parametrize("spec", SEARCHES)
def test_two_games_at_once_with_one_agent_share_nothing(spec, connect_four):
    agent = load_agent(spec)

    def played(seeds):
        seated = [agent.sit(connect_four, seat) for seat in (0, 1)]
        return moves_of(seated, connect_four, seeds)

    alone = {seeds: played(seeds) for seeds in (0, 1000, 2000, 3000)}
    together = {}
    barrier = threading.Barrier(len(alone))

    def run(seeds):
        barrier.wait()
        together[seeds] = played(seeds)

    threads = [threading.Thread(target=run, args=(seeds,)) for seeds in alone]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert together == alone


@pytest.mark.parametrize("spec", [*SEARCHES, "random", "greedy"])
def test_an_agent_is_its_options_and_nothing_else(spec, connect_four):
    agent = load_agent(spec)
    before = dict(vars(agent))
    with agent.sit(connect_four, 0) as player:
        player.think(connect_four.start())
        player.watch(3)
    agent.think(connect_four.start(), seed=1)
    assert list(agent.analyse(connect_four.start(), Limit(simulations=50, depth=2)))
    assert vars(agent) == before
    with pytest.raises(FrozenInstanceError):
        agent.anything = 1


def test_a_player_draws_from_a_stream_of_its_own(connect_four):
    start, agent = connect_four.start(), load_agent("random")
    one, same, other = (agent.sit(connect_four, 0, seed) for seed in (1, 1, 2))
    drawn = [[player.think(start).action for _ in range(40)] for player in (one, same, other)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert len(set(drawn[0])) == 7
    assert one.think(start, seed=5) == same.think(start, seed=5)


def test_a_player_thinks_about_its_own_game_only(connect_four, tic_tac_toe):
    player = load_agent("mcts(simulations=10)").sit(connect_four, 0)
    with pytest.raises(CannotPlayError, match="this player plays connect_n, the position is of "):
        player.think(tic_tac_toe.start())
    with pytest.raises(CannotPlayError, match="seat 2: connect_n has the seats 0 to 1"):
        load_agent("random").sit(connect_four, 2)


def test_a_player_that_watches_keeps_its_tree_for_positions_read_from_text(connect_four):
    text = connect_four.start().play(3).play(2).to_text()
    reused = {}
    for watches in (True, False):
        player = load_agent("mcts(simulations=2000)").sit(connect_four, 0)
        player.think(connect_four.start(), seed=1)
        for action in (3, 2) if watches else ():
            player.watch(action)
        reused[watches] = player.think(connect_four.parse(text), seed=1).info["reused"]
    assert reused[True] > 0
    assert reused[False] == 0


def test_a_relay_has_one_player_of_each_agent_for_the_whole_game(connect_four):
    agent = load_agent("relay(first=random, then='mcts(simulations=500)', moves=1)")
    with agent.sit(connect_four, 0) as player:
        position = connect_four.start()
        assert player.think(position, seed=1).simulations is None
        position = position.play(3).play(2)
        assert player.think(position, seed=1).info["reused"] == 0
        assert player.think(position.play(3).play(2), seed=1).info["reused"] > 0


def test_thoughts_hold_what_is_proved(connect_four):
    won = connect_four.parse("7/7/7/7/ooo4/xxx4")
    for spec, plies in (("alphabeta(depth=4)", 1), ("mcts(simulations=500)", None)):
        thought = load_agent(spec).think(won)
        assert (thought.action, thought.line[0]) == (3, 3)
        assert (thought.proof.value, thought.proof.plies) == (1.0, plies)
    drawn = load_game("connect_n(width=4, height=3, n=4)").start()
    thought = load_agent("alphabeta(depth=12, exact=True)").think(drawn)
    assert (thought.proof.value, thought.proof.plies) == (0.0, None)
    assert load_agent("alphabeta(depth=3)").think(connect_four.start()).proof is None


def test_nothing_is_proved_where_moves_were_left_out_or_guessed():
    expendibots = load_game("expendibots")
    position = expendibots.start()
    spec = "alphabeta(depth=2, unwise=suicides, evaluate=nothing)"
    assert load_agent(spec).think(position).proof is None
    tron = load_game("tron(simultaneous=True, map=room, width=5, height=5)").start().observe(0)
    assert load_agent("alphabeta(depth=40)").think(tron).proof is None


# Whose fault ------------------------------------------------------------------------------------


class Clumsy(Agent):
    """Plays what is not legal."""

    name = "clumsy"

    def choose(self, position, limit, seed):
        return Thought(99)


class Deaf(Agent):
    """Fails in `watch`."""

    name = "deaf"

    def player(self, game, seat, seed, *, ponder):
        return DeafPlayer(self, game, seat, seed)


class DeafPlayer(Player):
    def choose(self, position, limit, seed):
        return Thought(position.legal_actions[0])

    def watch(self, action):
        raise RuntimeError("what was that?")


def test_an_error_of_an_observer_is_raised(connect_four):
    def watch(position):
        raise ZeroDivisionError("the watcher's own error")

    with pytest.raises(ZeroDivisionError, match="watcher"):
        play_game(connect_four, [load_agent("random")] * 2, watch=watch)


def test_an_error_of_the_rules_is_raised_and_nobody_forfeits():
    game = load_file(FAILING).FailingRules()
    with pytest.raises(ZeroDivisionError, match="penalty"):
        play_game(game, [Clumsy(), load_agent("random")], referee="course")
    record = play_game(game, [Clumsy(), load_agent("random")])
    assert (record.ending, record.fault) == ("illegal", 0)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_run_names_the_rules_that_failed(workers, tmp_path):
    clumsy = tmp_path / "clumsy.py"
    clumsy.write_text(
        "from plyground import Agent, Thought\n\n\n"
        "class Clumsy(Agent):\n    name = 'clumsy'\n\n"
        "    def choose(self, position, limit, seed):\n        return Thought(99)\n"
    )
    plan = Tournament(game=str(FAILING), agents=(str(clumsy), "random"), games=2, referee="course")
    expected = r"failed in game \d: ZeroDivisionError: the penalty.* \(failing_rules.py, line \d+\)"
    with Processes(workers) as pool, pytest.raises(PlygroundError, match=expected) as raised:
        list(play_tournament(plan, pool))
    assert "\n" not in str(raised.value)


def test_a_player_that_fails_in_watch_forfeits(connect_four):
    record = play_game(connect_four, [load_agent("random"), Deaf()])
    reason = "RuntimeError: what was that? (test_players.py, line 162)"
    assert (record.ending, record.fault, record.reason) == ("failed", 1, reason)
    assert record.returns == (1.0, -1.0)
    assert len(record.actions) == 1
    assert record.players[0] == 0  # it is blamed in its own turn


# What a record keeps ----------------------------------------------------------------------------


def test_policies_are_kept_if_they_are_asked_for(connect_four):
    agents = [load_agent("mcts(simulations=50)"), load_agent("random")]
    plain, kept = (
        play_game(connect_four, agents, opening=2, policies=policies) for policies in (False, True)
    )
    assert plain.policies == ()
    assert "policies" not in plain.to_json()
    assert kept.actions == plain.actions
    assert len(kept.policies) == len(kept.actions)
    assert kept.policies[:2] == ((), ())
    for ply in range(2, len(kept.actions)):
        shares = dict(kept.policies[ply])
        if kept.players[ply] == 0:
            assert sum(shares.values()) == pytest.approx(1, abs=1e-4)
            assert shares[kept.actions[ply]] == max(shares.values())
        else:
            assert shares == {}
    assert Record.from_json(kept.to_json()) == kept


def test_a_plan_can_ask_for_policies():
    plan = Tournament(game="connect_n", agents=("mcts(simulations=9)",) * 2, games=2, policies=True)
    for record in play_tournament(plan):
        assert len(record.policies) == len(record.actions)
