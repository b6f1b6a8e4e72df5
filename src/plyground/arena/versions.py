"""Versions: a run counts no games of two versions of an agent or a game under one name.

An agent's version is its identity: its spec with digests of its files. Of a run that is resumed,
games of agents that have changed since are deleted and played again. A run of another version of
the game or of Plyground, which all games depend on, is not resumed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from plyground import __version__
from plyground.agents import load_agent
from plyground.arena.plan import Tournament
from plyground.arena.record import Record
from plyground.errors import OptionError, PlygroundError
from plyground.games import load_game
from plyground.text import cleaned, counted, shortened

if TYPE_CHECKING:  # database drivers are imported only if a store is used
    from plyground.arena.store import Store
    from plyground.arena.summary import Summary

NAMED = 5
"""Changed agents that a message names; the others are only counted."""


class Versions:
    """The versions of a plan's game and agents that a run may have games of."""

    def __init__(self, plan: Tournament) -> None:
        self._plan = plan
        self._game = cleaned(load_game(plan.game).identity())
        self._agents: dict[int, str] = {}
        """Identity of each agent that has played, by its number."""

    def drop_outdated(self, store: Store, run: int, also: Collection[int] = ()) -> None:
        """Delete the stored games of agents that have changed since; warn which, and how many.

        The agents in `also` are taken to have changed.
        """
        changed: set[int] = set()
        outdated: list[int] = []
        stored = 0
        everyone = set(range(len(self._plan.agents)))
        for played in store.summaries(run):
            is_member = played.game == self._plan.game and everyone.issuperset(played.entrants)
            if not is_member or len(set(played.entrants)) < len(played.entrants):
                continue  # reading it will raise an error
            stored += 1
            self._check_rules(played, run)
            others = {
                entrant
                for entrant, identity in zip(played.entrants, played.identities, strict=True)
                if entrant in also or identity != self._current(entrant)
            }
            if others:
                changed |= others
                outdated.append(played.number)
        if outdated:
            store.drop(run, outdated)
            again = f"games played again: {len(outdated):,} of {stored:,}"
            store.warn(f"run {run}: {self._names(changed)} changed since its games; {again}")

    def checked(self, batches: Iterable[list[Record]]) -> Iterator[list[Record]]:
        """Yield batches of games until one was played by another version than games before it.

        Then an error is raised.
        """
        for batch in batches:
            changed = [self._changed(record) for record in batch]
            yield [record for record, names in zip(batch, changed, strict=True) if not names]
            if any(changed):
                raise PlygroundError(next(filter(None, changed)))

    def _changed(self, record: Record) -> str:
        """Return what was edited since the games before this one, in words; "" if nothing was."""
        edited = "was edited while games were played"
        if cleaned(record.game_identity) != self._game:
            return f"{shortened(self._plan.game)} {edited}: begin a new run, without --resume"
        for entrant, identity in zip(record.entrants, record.identities, strict=True):
            if self._agents.setdefault(entrant, cleaned(identity)) != cleaned(identity):
                name = shortened(self._plan.labels[entrant])
                return f"{name} {edited}: with --resume its new version plays all its games"
        return ""

    def _check_rules(self, played: Summary, run: int) -> None:
        """Raise OptionError if a game was played by other rules, or by another Plyground."""
        for what, was, now in (
            ("the game", played.game_identity, self._game),
            ("Plyground", played.version, __version__),
        ):
            if was != now:
                begin = "without --resume a new run begins"
                changed = f"{shortened(was)}, now {shortened(now)}"
                raise OptionError(f"run {run}: {what} has changed since ({changed}); {begin}")

    def _current(self, entrant: int) -> str:
        if entrant not in self._agents:
            agent = load_agent(self._plan.agents[entrant])
            self._agents[entrant] = cleaned(agent.identity(load_game(self._plan.game)))
        return self._agents[entrant]

    def _names(self, entrants: set[int]) -> str:
        names = [self._plan.labels[entrant] for entrant in sorted(entrants)]
        more = f" and {counted(len(names) - NAMED, 'other')}" if len(names) > NAMED else ""
        return ", ".join(map(shortened, names[:NAMED])) + more
