"""Other people's programs, confined: a process of its own for each, and nothing left of it."""
