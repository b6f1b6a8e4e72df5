"""Games of files on the site: kernels that crash or never end do so in a process of their own."""

import httpx
import pytest
from site_of import WAIT, running

from plyground import load_game
from plyground.errors import GameError
from plyground.web import rules_apart as module
from plyground.web.catalogue import Catalogue
from plyground.web.rules_apart import RulesError, rules_apart

WILD = """
from plyground import Facts, Game, Kernels, kernel

@kernel
def player(setup, state):
    return state[0] % 2

@kernel
def legal(setup, state, out):
    out[0], out[1], out[2] = 0, 1, 2
    return 3

@kernel
def play(setup, state, action):
    while action == 1 and state[0] >= 0:
        state[0] += 2
        state[0] -= 2
    if action == 2:
        state[1 << 44] = 1
    state[0] += 1

@kernel
def over(setup, state):
    return state[0] >= 3

@kernel
def returns(setup, state, out):
    out[0], out[1] = 0.5, -0.5

@kernel
def observe(setup, state, player):
    state[1] = -1

@kernel
def determinize(setup, state, player, random):
    state[1] = random[0] % 7 + 40

class Wild(Game):
    name = "wild"
    kernels = Kernels(
        player, legal, play, over, returns, observe=observe, determinize=determinize
    )

    def measure(self):
        return Facts(players=2, actions=3, branching=3, longest=3, hidden=True)

    def begin(self, seed):
        return [seed], [0, 5]
"""


@pytest.fixture
def wild(tmp_path):
    path = tmp_path / "wild.py"
    path.write_text(WILD)
    return path


def test_a_crash_ends_a_child_and_the_next_call_gets_another(wild, monkeypatch):
    catalogue = Catalogue([str(wild)])
    with rules_apart(catalogue):
        monkeypatch.setattr(module, "SECONDS", 0.5)
        game = catalogue.game("wild", {})
        assert type(game.runner).__name__ == "RulesProcess"
        start = game.start(3)
        with pytest.raises(RulesError, match=r"^wild: the rules crashed \(SIGSEGV\)$"):
            start.play(2)
        after = start.play(0)
        with pytest.raises(RulesError, match=r"^wild: the rules did not end within 0.5 s$"):
            after.play(1)
        ended = after.play(0).play(0)
        view = after.observe(1)
        found = [
            (each.state.tolist(), each.player, each.legal_actions, each.key, each.returns)
            for each in (start, after, ended, view, view.determinize(9))
        ]
        child = game.runner._process
    assert type(game).runner is None
    assert not child.is_alive()
    start = game.start(3)  # in this process
    after = start.play(0)
    view = after.observe(1)
    here = (start, after, after.play(0).play(0), view, view.determinize(9))
    for position, apart in zip(here, found, strict=True):
        assert apart == (
            position.state.tolist(), position.player, position.legal_actions, position.key,
            position.returns,
        )  # fmt: skip


def test_rules_that_do_not_compile_are_told_by_the_child(wild):
    wild.write_text(WILD.replace("state[0] % 2", "state.nothing"))
    catalogue = Catalogue([str(wild)])
    with rules_apart(catalogue), pytest.raises(GameError, match=r"kernel 'player' .* does not"):
        catalogue.game("wild", {}).start()


def test_rules_that_crash_leave_the_site_running(wild, tmp_path):
    with running(tmp_path / "games.sqlite", "--game", str(wild)) as site:
        with httpx.Client(base_url=site.address, timeout=WAIT) as visitor:
            given = [
                visitor.post("/api/positions", json={"game": "wild", "actions": actions})
                for actions in ([0], [2], [0])
            ]
        assert [answer.status_code for answer in given] == [200, 500, 200]
        assert given[1].json()["error"] == "wild: the rules crashed (SIGSEGV)"
        assert site.process.poll() is None
    assert load_game("connect_n").runner is None
