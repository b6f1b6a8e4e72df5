"""Confines and watches one program; run by a bare interpreter that knows nothing of plyground.

Two processes of it stand above every program. `main` starts the other one, outlives it and cleans
up. `watch` starts the program, enforces its limits, stops and continues it between its turns, and
reports how it ended. Where the system allows it, the second is process 1 of namespaces of its own:
the program sees nothing outside them, and the kernel ends everything in them together with it.

Modules import each other relatively: the bare interpreter knows this package as `supervisor`.
"""

SETTINGS = "settings.json"
"""The file in a program's folder that says how to run it."""
