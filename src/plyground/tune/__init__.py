"""Tuning of an agent's numeric options by games."""
