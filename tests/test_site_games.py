"""Games of the site without a server: made, found again, played by people, and followed by others."""

import asyncio
from contextlib import asynccontextmanager

from plyground.agents.agent import Limit
from plyground.web.active import task_for
from plyground.web.catalogue import Catalogue
from plyground.web.forms import GameForm, MoveBody
from plyground.web.games import Games
from plyground.web.journal import Journal
from plyground.web.pool import Pool

PEOPLE = [{"kind": "person"}] * 2


@asynccontextmanager
async def games_at(location):
    """Yield the games of a site whose agents are not asked to think."""
    journal, pool = Journal(str(location)), Pool(1)
    games = Games(Catalogue(), journal, pool, str(location), lambda id: id)
    try:
        yield games
    finally:
        await games.close()
        pool.close()
        await journal.close()


async def new_game(games, owner="ann", **form):
    """Make a game of Connect Four; return it."""
    form = {"game": "connect_n", "seats": PEOPLE} | form
    return await games.find(await games.make(owner, GameForm(**form)))


async def play(active, owner, *actions):
    for action in actions:
        ply = len(active.game.session.moves)
        await active.move(owner, MoveBody(ply=ply, action=action))


def test_moves_of_a_game_and_of_its_rematches_have_seeds_of_their_own(tmp_path):
    async def use():
        async with games_at(tmp_path / "games.sqlite") as games:
            active, seeds = await new_game(games, seed=7), []
            for _ in range(3):
                await play(active, "ann", 0, 1, 2, 3)
                seeds += [active.game.session.seed]
                seeds += [task_for(active.game, ply, "random", limit=Limit()).seed for ply in range(5)]
                await active.resign("ann", "-", None)
                active = await games.find(await games.rematch(active, "ann"))
            assert len(set(seeds)) == len(seeds)

    asyncio.run(use())
