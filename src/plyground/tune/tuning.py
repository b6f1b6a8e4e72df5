"""Tuning: a search over an agent's numbers; what a candidate is worth, games tell.

A generation of candidates meets fixed opponents from the same random starts, or these and each
other in a tournament. The best play a final with the opponents from fresh starts, and its winner is
tested against the agent that was to be tuned. Every step is a tournament and the search a function
of its spec: who keeps the games can go on where it broke off.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from plyground.agents import load_agent
from plyground.arena.match import start_seed
from plyground.arena.opening import RANDOM, RULES, check_rule
from plyground.arena.plan import CLOCKS, Tournament
from plyground.arena.ratings import Outcome, rate
from plyground.arena.record import Record
from plyground.arena.sprt import expected
from plyground.arena.tournament import Standing, Standings
from plyground.errors import BadOption, PlygroundError
from plyground.games import load_game
from plyground.options import Kind, Options, option
from plyground.tune.dials import Dial, read_dial

SAMPLERS = ("genetic", "cmaes")
FINALISTS = 5
LONGER = 5
"""The final has so many times the games: the best of many was also the luckiest."""

TOURNAMENTS = ("gauntlet", "round_robin", "swiss")
"""What a generation plays: each with every opponent alone, or all together."""

SEARCH, FINAL, TEST = range(3)
"""Each draws starts of its own."""

Play = Callable[[Tournament], Iterable[Record]]
"""Whoever plays a tournament, here, on workers or from a store."""


class Candidate(NamedTuple):
    """What an agent with other numbers was worth in its generation."""

    agent: str
    games: int
    score: float
    """With the opponents; where all play each other, what its rating promises with the first."""


class Tuning(Options):
    """Everything that decides how a search goes; its `repr` is its identity."""

    name = "tuning"

    game: str = option(kind=Kind.GAME, help="a game's spec; two play it")
    agent: str = option(kind=Kind.AGENT, help="the agent to be tuned")
    over: tuple[str, ...] = option(help="NAME, NAME=LOW..HIGH or NAME=LOW..HIGH,log, per number")
    opponents: tuple[str, ...] = option(
        (), kind=Kind.AGENT, help="whom candidates meet; the agent itself if none"
    )
    sampler: str = option("genetic", choices=SAMPLERS, help="who proposes candidates")
    trials: int = option(200, low=1, help="how many candidates are tried")
    population: int = option(20, low=2, help="candidates of a generation")
    tournament: str = option("gauntlet", choices=TOURNAMENTS, help="what a generation plays")
    games: int = option(40, low=2, help="games of those who meet")
    opening: int = option(4, low=0, help="random plies before the agents take over")
    opening_rule: str = option(RANDOM, choices=RULES, help="any plies, or until about even")
    seconds: float | None = option(None, help="thinking time a move")
    seed: int = option(0, low=0, help="makes the search repeatable")
    clock: str = option("wall", choices=CLOCKS, help="time that passes, or CPU time of a player")
    ponder: bool = option(False, help="programs may compute while it is not their turn")

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "game", repr(load_game(self.game)))
        object.__setattr__(self, "agent", repr(load_agent(self.agent)))
        others = tuple(repr(load_agent(each)) for each in self.opponents or (self.agent,))
        object.__setattr__(self, "opponents", others)
        players = load_game(self.game).facts.players
        if players != 2:
            raise BadOption(f"{self.game} is played by {players}; tuning is for games of two")
        check_rule(load_game(self.game), self.opening_rule)
        if self.games % 2:
            raise BadOption("games: an even number, so that both begin as often")
        names = [dial.name for dial in self.dials]
        if not names:
            raise BadOption("nothing to tune: name numbers by --over NAME=LOW..HIGH")
        if len(set(names)) < len(names):
            raise BadOption(f"{max(names, key=names.count)} is named twice")
        if self.sampler == "cmaes" and len(names) < 2:
            raise BadOption("cmaes turns two numbers or more at once; take the sampler genetic")

    @cached_property
    def dials(self) -> tuple[Dial, ...]:
        """The numbers that are tuned."""
        game, agent = load_game(self.game), load_agent(self.agent)
        return tuple(read_dial(text, game, agent) for text in self.over)

    def candidate(self, values: dict[str, float]) -> str:
        """Return the agent with these numbers, by the dials' names; four digits will do."""
        game, agent = load_game(self.game), load_agent(self.agent)
        for dial in self.dials:
            value = values[dial.name]
            agent = dial.turn(game, agent, value if dial.whole else float(f"{value:.4g}"))
        return repr(agent)

    def values(self, agent: str) -> dict[str, float | None]:
        """Read a candidate's numbers, by the dials' names."""
        game, read = load_game(self.game), load_agent(agent)
        return {dial.name: dial.get(game, read) for dial in self.dials}

    def meeting(
        self, stage: int, agents: Sequence[str], games: int, tournament: str = "gauntlet"
    ) -> Tournament:
        """Plan games from the stage's starts; of a gauntlet's, the first meets the others."""
        return Tournament.make(
            {
                "game": self.game,
                "agents": tuple(agents),
                "format": tournament,
                "games": games,
                "opening": self.opening,
                "opening_rule": self.opening_rule,
                "seconds": self.seconds,
                "clock": self.clock,
                "ponder": self.ponder,
                "seed": start_seed(self.seed, stage),
            }
        )

    def plans(self, stage: int, agents: Sequence[str], games: int) -> list[Tournament]:
        """Plan what agents play; the final is always with the opponents alone."""
        if self.tournament == "gauntlet" or stage == FINAL:
            return [self.meeting(stage, (each, *agents), games) for each in self.opponents]
        return [self.meeting(stage, (*self.opponents, *agents), games, self.tournament)]

    def compared(self, agents: Sequence[str], play: Play) -> list[Candidate]:
        """Let a generation play; what its agents are worth, in their order.

        Scores of different generations can be compared: the opponents are in all of them.
        """
        if self.tournament == "gauntlet":
            standings = self.scored(SEARCH, agents, self.games, play)
            return [Candidate(each.agent, each.games, each.score) for each in standings]
        (plan,) = self.plans(SEARCH, agents, self.games)
        # Of one plan, a spec is one agent, also where two of them run the same file.
        results = (Outcome(each.agents, each.returns, each.agents) for each in play(plan))
        rows = {row.agent: row for row in rate(results, anchor=self.opponents[0]).rows}
        return [Candidate(each, rows[each].games, expected(rows[each].elo)) for each in agents]

    def scored(self, stage: int, agents: Sequence[str], games: int, play: Play) -> list[Standing]:
        """Let agents meet the opponents alone; how they did, in their order."""
        table = Standings(("opponents", *agents))
        for plan in self.plans(stage, agents, games):
            for record in play(plan):
                table.add(record)
        return table.table[1:]


def search(tuning: Tuning, play: Play) -> Iterator[list[Candidate]]:
    """Yield generation after generation of candidates, each with its score."""
    study, space = _study(tuning)
    for first in range(0, tuning.trials, tuning.population):
        count = min(tuning.population, tuning.trials - first)
        asked = [study.ask(space) for _ in range(count)]
        agents = [tuning.candidate(trial.params) for trial in asked]
        generation = tuning.compared(agents, play)
        for trial, candidate in zip(asked, generation, strict=True):
            study.tell(trial, candidate.score)
        yield generation


def first_plan(tuning: Tuning) -> Tournament:
    """Plan the first games of a search: whoever has some of it has some of these."""
    study, space = _study(tuning)
    asked = [study.ask(space) for _ in range(min(tuning.trials, tuning.population))]
    agents = [tuning.candidate(trial.params) for trial in asked]
    return tuning.plans(SEARCH, agents, tuning.games)[0]


def final(tuning: Tuning, candidates: Iterable[Candidate], play: Play) -> list[Standing]:
    """Let the best candidates play again, longer and from fresh starts; the winner is first."""
    ranked = sorted(candidates, key=lambda each: each.score, reverse=True)
    agents = list(dict.fromkeys(each.agent for each in ranked))[:FINALISTS]
    standings = tuning.scored(FINAL, agents, LONGER * tuning.games, play)
    return sorted(standings, key=lambda each: each.score, reverse=True)


def confirmation(tuning: Tuning, winner: str, games: int) -> Tournament:
    """Plan games of a winner with the agent it was made from, for a sequential test."""
    return tuning.meeting(TEST, (winner, tuning.agent), games)


def _study(tuning: Tuning) -> tuple[Any, dict[str, Any]]:
    """Return Optuna's study and its search space."""
    try:
        import cmaes  # noqa: F401
        import optuna
    except ImportError:
        raise PlygroundError("tuning needs more: pip install 'plyground[tune]'") from None
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    seed, size = start_seed(tuning.seed) % 2**32, tuning.population
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        sampler: Any = (
            optuna.samplers.NSGAIISampler(
                population_size=size,
                crossover=optuna.samplers.nsgaii.BLXAlphaCrossover(),
                seed=seed,
            )
            if tuning.sampler == "genetic"
            else optuna.samplers.CmaEsSampler(popsize=size, seed=seed)
        )
    space = {
        dial.name: (
            optuna.distributions.IntDistribution(int(dial.low), int(dial.high), dial.logarithmic)
            if dial.whole
            else optuna.distributions.FloatDistribution(dial.low, dial.high, dial.logarithmic)
        )
        for dial in tuning.dials
    }
    return optuna.create_study(direction="maximize", sampler=sampler), space
