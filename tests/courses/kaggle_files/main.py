"""A submission of several files that opens them by their paths at Kaggle."""

import os
import sys

FOLDER = os.path.join("/kaggle_simulations", "agent")
assert os.path.exists(FOLDER)
sys.path.append(os.path.join(FOLDER, "lib"))

from opinion import WEIGHTS


def agent(observation, configuration):
    legal = [column for column in range(configuration.columns) if not observation.board[column]]
    return max(legal, key=lambda column: WEIGHTS[column])
