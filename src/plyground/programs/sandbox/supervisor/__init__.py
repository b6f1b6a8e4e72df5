"""Confines and watches one program; run by a bare interpreter without the package plyground.

Every program has two supervising processes. The outer one (`main`) starts the other, outlives it
and cleans up. The watching one (`watch`) starts the program, enforces its limits, stops and
continues it between its turns, and reports how it ended. Where the system allows it, the watching
process is process 1 of its own namespaces: the program sees nothing outside them, and the kernel
ends everything in them together with process 1.

The modules import each other relatively: for the bare interpreter this package is `supervisor`.
"""

SETTINGS = "settings.json"
"""The file in a program's folder with its command, limits and view of the file system."""

FROZEN, MEMORY, FILES, CALLS = "frozen", "memory", "files", "calls"
"""What the kernel can keep: that a stopped program does not compute, with all its CPU time; the
limit on memory; that on files; and system calls away from it."""
