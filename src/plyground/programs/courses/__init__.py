"""Shims: programs that speak the wire protocol for bots written to a course's own interface.

A shim runs in the bot's interpreter, which may be as old as Python 3.6, without the package
plyground: this folder uses only what Python 3.6 supports. The modules that a course gave its bots
to import lie in a folder of their own, written anew from the description of the interface.
"""
