"""Shims: programs that speak our protocol for bots written to a course's own interface.

A shim runs in the bot's own interpreter, which may be as old as Python 3.6, and knows nothing of
plyground: here is only what Python 3.6 reads. What a course gave its bots to import lies in a
folder of its own, written anew from the interface's description.
"""
