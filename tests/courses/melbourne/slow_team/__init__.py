import time


class Player:
    def __init__(self, colour):
        pass

    def action(self):
        began = time.process_time()
        while time.process_time() < began + 0.1:
            pass

    def update(self, colour, action):
        pass
