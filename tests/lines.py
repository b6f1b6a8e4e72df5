"""Lines of play, for tests that need a position somewhere in a game."""

from random import Random


def played(game, *actions):
    """Return the position after these actions from the start."""
    position = game.start()
    for action in actions:
        position = position.play(action)
    return position


def continued(position, *texts):
    """Return the position after these actions, as a person types them."""
    for text in texts:
        position = position.play(position.parse(text))
    return position


def random_position(game, seed, plies):
    """Return an unfinished position, at most so many random plies from the start."""
    random = Random(seed)
    position = game.start()
    for _ in range(plies):
        after = position.play(random.choice(position.legal_actions))
        if after.is_over:
            break
        position = after
    return position
