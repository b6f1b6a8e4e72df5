"""The laws of `check`: a good game passes, and each broken one fails exactly where it is broken."""

from pathlib import Path

import pytest

from plyground import check
from plyground.errors import BadGame
from plyground.game.check import COMPILED, SEEDED
from plyground.game.laws import LAWS
from plyground.registry import load_file

FOLDER = Path(__file__).parent / "games"
RULES, VIEWS, ADVICES, SMALL = (
    load_file(FOLDER / f"{file}.py")
    for file in ("broken_rules", "broken_views", "broken_advice", "small_games")
)

(
    LEGAL, ENDED, UNTOUCHED, RETURNS, TEXT, ACTIONS_TEXT, KEYS, VALUES, SYMMETRIES, PLANES, POLICY,
    CLICKS, HIDDEN, ADVICE, BOUNDS,
) = LAWS  # fmt: skip

CHECK_CROWDED = """
import sys
from pathlib import Path
from plyground import check
from plyground.registry import load_file
game = load_file(Path(sys.argv[1])).CrowdedBranching()
print(*(law.name for law in check(game, games=5) if not law.holds), sep="\\n")
"""


def broken(game, games=12):
    """Return the names of the laws that a game breaks."""
    return {law.name for law in check(game, games) if not law.holds}


@pytest.mark.parametrize(
    ("game", "laws"),
    [
        (RULES.DescendingActions, {LEGAL}),
        (RULES.UndeclaredAction, {LEGAL}),
        (RULES.NeverFull, {ENDED}),
        (RULES.TooLong, {ENDED}),
        (RULES.ThirdPlayer, {ENDED}),
        (RULES.WritesSetup, {UNTOUCHED}),
        (RULES.DoubledReturns, {RETURNS}),
        (RULES.UnbalancedReturns, {RETURNS}),
        (VIEWS.ForgetfulText, {TEXT}),
        (VIEWS.TwoLines, {TEXT}),
        (VIEWS.AmbiguousActions, {ACTIONS_TEXT, CLICKS}),  # the text is its clicks
        (VIEWS.WeakKey, {KEYS}),
        (VIEWS.CertainHeuristic, {VALUES}),
        (VIEWS.WrongMirror, {SYMMETRIES}),
        (VIEWS.LoudPlanes, {PLANES}),
        (VIEWS.TalkativePlanes, {PLANES}),
        (VIEWS.ShiftedPlanes, {PLANES}),
        (VIEWS.CrowdedHead, {POLICY}),
        (VIEWS.NarrowHead, {POLICY}),
        (VIEWS.ShuffledHead, {POLICY}),
        (VIEWS.KnowingHead, {POLICY}),
        (VIEWS.SameClicks, {CLICKS}),
        (VIEWS.HastyClicks, {CLICKS}),
        (VIEWS.OutsideClicks, {CLICKS}),
        (VIEWS.ImpossibleGuess, {HIDDEN}),
        (VIEWS.BlindObserver, {HIDDEN}),
        (ADVICES.FiniteNever, {ADVICE}),
        (ADVICES.LoudBackwards, {ADVICE}),
        (ADVICES.LoudOutside, {ADVICE}),
        (ADVICES.NothingWise, {ADVICE}),
        (ADVICES.PlaysTaken, {ADVICE}),
        (ADVICES.GloomyBound, {BOUNDS}),
        (VIEWS.Whimsical, {SEEDED}),
        (VIEWS.WrapsInCompiledCode, {COMPILED}),
    ],
)
def test_a_broken_game_fails_exactly_the_law_it_breaks(game, laws):
    assert broken(game()) == laws


def test_every_law_has_a_game_that_breaks_it():
    marks = test_a_broken_game_fails_exactly_the_law_it_breaks.pytestmark
    named = set().union(*(laws for _, laws in marks[0].args[1]))
    assert named == {*LAWS, SEEDED, COMPILED}


def test_more_legal_actions_than_declared_are_noticed(fresh_python):
    done = fresh_python(CHECK_CROWDED, RULES.__file__)
    assert LEGAL in done.stdout.splitlines(), f"exit status {done.returncode}"


def test_good_games_break_no_law(tic_tac_toe):
    for game in (tic_tac_toe, VIEWS.Mirrored(), SMALL.Race(), SMALL.Secret(), SMALL.Ring()):
        assert broken(game) == set(), game


def test_a_failure_quotes_the_position():
    (law,) = (law for law in check(RULES.DoubledReturns(), games=3) if law.name == RETURNS)
    assert law.failure.startswith(
        "returns (-2.0, 2.0) are not within -1..1, in doubled_returns at "
    )


def test_a_law_that_was_never_tried_does_not_hold(tic_tac_toe):
    laws = {law.name: law for law in check(tic_tac_toe, games=0)}
    assert not laws[LEGAL].holds


def test_cases_count_positions_and_watch_is_called_after_every_game(tic_tac_toe):
    seen = []
    laws = {law.name: law for law in check(tic_tac_toe, games=4, watch=seen.append)}
    assert seen == [1, 2, 3, 4]
    assert laws[SEEDED].cases == 4
    assert 4 * 6 <= laws[LEGAL].cases <= 4 * 10


def test_an_error_in_a_games_own_python_is_a_broken_law_with_its_line():
    laws = {law.name: law for law in check(RULES.Stumbling(), games=1)}
    assert laws[TEXT].failure.startswith("broken_rules.py:")
    assert "KeyError" in laws[TEXT].failure


def test_warnings_name_what_is_allowed_but_probably_not_intended(tic_tac_toe):
    (heuristic,) = check(tic_tac_toe, games=2).warnings
    assert heuristic.startswith("no heuristic")
    _, key = check(RULES.LargeState(), games=2).warnings
    assert key.startswith("no kernel `key`")


def test_a_class_that_no_other_process_can_find_is_refused(tic_tac_toe):
    class Local(type(tic_tac_toe)):
        name = "local"

    with pytest.raises(BadGame, match="a class at the top level of its module"):
        check(Local(), games=1)
