"""Beside the bot, as the course hands it out; this bot does not call it."""
