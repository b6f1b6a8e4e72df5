"""Errors of the compiler in one line: the kernel, the place, the reason, and what to do."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from plyground.text import one_line

HINTS = {
    r"slice<": "kernels cannot slice their arrays, only index them: write a loop",
    r"<built-in function len>": "a kernel does not know an array's length: put sizes into setup",
    r"getiter": "kernels cannot iterate over arrays: loop over range(...) and index",
    r"(?:numpy|np)\b|Function\(<(?:built-in )?function": "NumPy and Python functions do not accept "
    "a kernel's arrays: write a loop over range(...)",
    r"[cC]an(?:no|')t (?:cast|convert|unify)|No conversion": "every path must return the type "
    "that this kernel is declared to return",
    r"Untyped global name|not supported|Unsupported": "a kernel may use numbers, loops, constants "
    "and functions marked @helper",
}
"""What to do about an error of Numba, by a pattern in its text; the first match counts."""

_PLACE = re.compile(r'(?:File "([^"]+)", line |^During: .* at (\S+) \()(\d+)', re.M)


def explain(dispatcher: Any, error: Exception) -> str:
    """Return one line: the kernel that does not compile, its file and line, why, and a hint."""
    code, text = dispatcher.py_func.__code__, str(error)
    own = Path(code.co_filename)
    places = [(Path(one or other), int(line)) for one, other, line in _PLACE.findall(text)]
    near = [(file, line) for file, line in places if file.name == own.name] or places[-1:]
    file, line = near[-1] if near else (own, code.co_firstlineno)
    messages = [message.strip() for message in text.splitlines() if message.strip()]
    reasons = (message for message in messages if "nopython" not in message)
    reason = next(reasons, "it does not compile")
    hint = next((hint for pattern, hint in HINTS.items() if re.search(pattern, text)), "")
    kernel = f"kernel {dispatcher.__name__!r} ({file.name}:{line}) does not compile"
    return f"{kernel}: {hint} ({one_line(reason, 160)})" if hint else f"{kernel}: {reason}"
