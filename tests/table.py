"""A game between agents that sit down and leave, for tests; what became of it."""

from collections import namedtuple

from plyground.errors import AgentFailed

Ending = namedtuple("Ending", "position seat fault reason")


def play(game, agents, limit=None, seed=0):
    """Play a game; who fails is told by seat, fault and reason."""
    position = game.start(seed)
    seated = []
    try:
        for seat, agent in enumerate(agents):
            agent.prepare(game)
            seated.append(agent)
            seated[seat] = agent.sit(game, seat)
        while not position.is_over:
            seat = position.player
            view = position.observe(seat)
            position = position.play(seated[seat].think(view, limit, seed + position.ply).action)
    except AgentFailed as failure:
        return Ending(position, seat, failure.fault, str(failure))
    finally:
        for agent in seated:
            agent.leave(position.returns)
    return Ending(position, None, None, "finished")
