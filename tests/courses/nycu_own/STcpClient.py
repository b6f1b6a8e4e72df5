"""The course's module beside the bot, which does not call it."""
