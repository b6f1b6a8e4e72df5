"""The module that calls Numba: signatures of kernels, decorators, compilation, the cache.

Three kinds of compiled function:

* `@kernel`: one of a game's rules, with the signature that belongs to its name;
* `@helper`: a function that kernels and loops call, inlined into them;
* `@loop("i8(rules, words, ...)")`: an algorithm over any game's rules, called from Python.

A game's rules reach a loop as a table, an array of function addresses, so that a loop is compiled
once for all games and loaded from disk by the next process. A kernel sees its arrays as bare
pointers: it may index them, but not slice them or ask their length. That makes a call through the
table as cheap as a direct one.

With `NUMBA_DISABLE_JIT=1` everything is plain Python, the table is a tuple of functions, and
kernels are called through `guard`, which checks every index.
"""

from __future__ import annotations

import gc
import hashlib
import pickle
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, overload

import numba
import numpy as np
from llvmlite import binding, ir
from numba import types
from numba.core import cgutils, serialize
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.runtime import rtsys
from numba.extending import intrinsic
from numpy.typing import NDArray

from plyground.cache import folder_name, load_kernel, save_kernel
from plyground.errors import GameError, UnknownNameError
from plyground.guard import GuardedArray, call_plainly
from plyground.hints import explain

type_words = types.CPointer(types.int64)
type_reals = types.CPointer(types.float64)
type_planes = types.CPointer(types.float32)
type_random = types.CPointer(types.uint64)

Words = NDArray[np.int64]
Reals = NDArray[np.float64]
Planes = NDArray[np.float32]
Random = NDArray[np.uint64]
Bytes = NDArray[np.int8]
Function = Callable[..., Any]

HAS_CLOCKS = hasattr(time, "clock_gettime_ns")
"""Whether compiled code can read the clock; not on Windows."""

JIT = not numba.config.DISABLE_JIT
if not JIT:  # kernels rely on integers that overflow silently, as compiled ones do
    np.seterr(over="ignore")

_words, _reals, _action, _player = type_words, type_reals, types.int64, types.int64
PARAMETERS: dict[str, dict[str, Any]] = {
    "player": {"setup": _words, "state": _words},
    "legal": {"setup": _words, "state": _words, "out": _words},
    "play": {"setup": _words, "state": _words, "action": _action},
    "over": {"setup": _words, "state": _words},
    "returns": {"setup": _words, "state": _words, "out": _reals},
    "key": {"setup": _words, "state": _words},
    "evaluate": {"setup": _words, "state": _words, "params": _reals, "out": _reals},
    "image": {
        "setup": _words, "state": _words, "symmetry": types.int64, "setup_out": _words,
        "state_out": _words,
    },
    "image_action": {"setup": _words, "action": _action, "symmetry": types.int64},
    "observe": {"setup": _words, "state": _words, "player": _player},
    "determinize": {"setup": _words, "state": _words, "player": _player, "random": type_random},
    "encode": {"setup": _words, "state": _words, "player": _player, "out": type_planes},
    "policy": {"setup": _words, "state": _words, "action": _action, "out": _words},
    "finish": {"setup": _words, "state": _words, "actions": _words, "random": type_random},
    "order": {"setup": _words, "state": _words, "action": _action},
    "loud": {"setup": _words, "state": _words, "out": _words},
    "unwise": {"setup": _words, "state": _words, "action": _action},
    "rollout": {"setup": _words, "state": _words, "random": type_random},
    "bound": {"setup": _words, "state": _words},
    "skip": {"setup": _words, "state": _words},
}  # fmt: skip
"""The parameters of each kernel; kernels have the same order in a table."""

RESULTS = {
    "player": types.int64, "legal": types.int64, "over": types.boolean, "key": types.uint64,
    "image_action": types.int64, "order": types.float64, "loud": types.int64,
    "unwise": types.boolean, "rollout": types.int64, "bound": types.int64,
}  # fmt: skip
"""The return types of kernels; the others return nothing and write into an array."""

SIGNATURES = {
    name: RESULTS.get(name, types.void)(*parameters.values())
    for name, parameters in PARAMETERS.items()
}

SLOTS = tuple(SIGNATURES)

_read_only_words = types.Array(types.int64, 1, "C", readonly=True)
_read_only_matrix = types.Array(types.int64, 2, "C", readonly=True)
ARGUMENTS = {
    "i8": types.int64,
    "u8": types.uint64,
    "f8": types.float64,
    "none": types.none,
    "rules": types.int64[::1],
    "setup": _read_only_words,
    "state": _read_only_words,
    "setups": _read_only_matrix,
    "states": _read_only_matrix,
    "words": types.int64[::1],
    "words2": types.int64[:, ::1],
    "reals": types.float64[::1],
    "reals2": types.float64[:, ::1],
    "random": types.uint64[::1],
    "planes2": types.float32[:, ::1],
}
"""The types in a loop's signature, by name; setups and states, one or many, are read-only."""


@overload
def kernel(marked: Function) -> Function: ...
@overload
def kernel(marked: str) -> Callable[[Function], Function]: ...
def kernel(marked: str | Function) -> Any:
    """Mark a function as a kernel.

    `@kernel` takes the kind of kernel from the function's name; `@kernel("order")` states it, for
    advice that has a name of its own.
    """
    name = marked if isinstance(marked, str) else marked.__name__
    if name not in PARAMETERS:
        raise UnknownNameError("kernel", name, PARAMETERS)
    return partial(_kernel, name) if isinstance(marked, str) else _kernel(name, marked)


def _kernel(name: str, function: Function) -> Function:
    code, expected = function.__code__, tuple(PARAMETERS[name])
    actual = code.co_varnames[: code.co_argcount]
    if len(actual) != len(expected):
        shown = f"{function.__name__}({', '.join(actual)})"
        raise GameError(f"the kernel {name!r} takes ({', '.join(expected)}), not {shown}")
    function.kernel = name  # type: ignore[attr-defined]
    return _jit(function, cached=True)


def kind_of(function: Function) -> str:
    """Return the kind of kernel a function is marked as; "" if it is no kernel."""
    return getattr(function, "kernel", "")


def helper(function: Function) -> Function:
    """Mark a function that kernels and loops call; its types are inferred from the call."""
    return _jit(function, cached=False)


def inlined(function: Function) -> Function:
    """Mark a helper that is always compiled into its callers."""
    return _jit(function, cached=False, forceinline=True)


def loop(signature: str, **more: Any) -> Callable[[Function], Any]:
    """Mark an algorithm that Python calls.

    `more` defines names of its signature that are not in ARGUMENTS: the dtype of an array of
    records, or a subclass of `Workspace`.
    """
    kinds = dict(ARGUMENTS)
    for name, kind in more.items():
        records = isinstance(kind, np.dtype)
        kinds[name] = numba.from_dtype(kind)[::1] if records else kind._numba_type_
    result, _, arguments = signature.rstrip(")").partition("(")
    types_of_loop = kinds[result](*(kinds[name.strip()] for name in arguments.split(",")))

    def decorate(function: Function) -> Any:
        if JIT:
            return _Loop(_jit(function, cached=True), types_of_loop)
        function.trusting = function  # type: ignore[attr-defined]
        return function

    return decorate


class _Loop:
    """A loop that is compiled, or loaded from disk, when it is first called."""

    building = threading.Lock()  # threads may ask for it at once

    def __init__(self, dispatcher: Any, signature: Any) -> None:
        self.dispatcher = dispatcher
        self.signature = signature
        self.__doc__ = dispatcher.__doc__
        self.__name__ = dispatcher.__name__
        self._call: Function | None = None
        self.trusting: Function = self
        """The same without a check of the arguments' types, which takes a third of a short call."""

    def build(self) -> None:
        with self.building:
            if self._call is None:
                _build([(self.dispatcher, self.signature)])
                self.dispatcher.disable_compile()
                self._call = self.dispatcher
                self.trusting = self.dispatcher.get_compile_result(self.signature).entry_point

    def __call__(self, *arguments: Any) -> Any:
        if self._call is None:
            self.build()
        return self._call(*arguments)  # type: ignore[misc]


def prepare(*loops: Function) -> None:
    """Compile loops, or load them from disk, before a clock runs."""
    for function in loops:
        if isinstance(function, _Loop):
            function.build()


def table(kernels: Sequence[Function | None]) -> Any:
    """Return the array of addresses by which loops call a game's kernels, in the order of SLOTS."""
    for name, function in zip(SLOTS, kernels, strict=True):
        if function is not None and kind_of(function) != name:
            raise GameError(f"the kernel given as {name!r} is not marked @kernel({name!r})")
    if not JIT:
        return tuple(function or 0 for function in kernels)
    pairs = zip(kernels, SIGNATURES.values(), strict=True)
    _build([(dispatcher, signature) for dispatcher, signature in pairs if dispatcher is not None])
    addresses = np.zeros(len(SLOTS), np.int64)
    for slot, (name, dispatcher) in enumerate(zip(SLOTS, kernels, strict=True)):
        if dispatcher is not None:
            result = dispatcher.get_compile_result(SIGNATURES[name])  # type: ignore[attr-defined]
            symbol = result.fndesc.llvm_func_name
            addresses[slot] = result.library.get_pointer_to_function(symbol)
    return addresses


def _caller(name: str) -> Function:
    """Return the function by which a loop calls the kernel of that name through a table."""
    slot = SLOTS.index(name)
    if not JIT:
        names, returns = tuple(PARAMETERS[name]), name in RESULTS
        return lambda rules, *arguments: call_plainly(rules[slot], names, arguments, returns)
    signature = SIGNATURES[name]

    def typed(rules: Any, *arguments: Any) -> Any:
        # An array or a pointer is taken as it is; a number is converted to the declared type.
        taken = [
            actual if isinstance(declared, types.CPointer) else declared
            for declared, actual in zip(signature.args, arguments, strict=True)
        ]

        def generate(context: Any, builder: Any, _: Any, values: Any) -> Any:
            table, *passed = (
                context.make_array(kind)(context, builder, value).data
                if isinstance(kind, types.Array)
                else value
                for kind, value in zip([rules, *taken], values, strict=True)
            )
            address = builder.load(cgutils.gep(builder, table, slot))
            convention, result = context.call_conv, signature.return_type
            pointer = convention.get_function_type(result, signature.args).as_pointer()
            kernel = builder.inttoptr(address, pointer)
            status, returned = convention.call_function(
                builder, kernel, result, signature.args, passed
            )
            with cgutils.if_unlikely(builder, status.is_error):  # it becomes the loop's own
                convention.return_status_propagate(builder, status)
            return returned

        return signature.return_type(rules, *taken), generate

    by_count = {  # an intrinsic may not declare *arguments
        2: lambda typing, rules, a, b: typed(rules, a, b),
        3: lambda typing, rules, a, b, c: typed(rules, a, b, c),
        4: lambda typing, rules, a, b, c, d: typed(rules, a, b, c, d),
        5: lambda typing, rules, a, b, c, d, e: typed(rules, a, b, c, d, e),
    }
    return intrinsic(by_count[len(signature.args)])  # type: ignore[no-any-return]


call_player = _caller("player")
call_legal = _caller("legal")
call_play = _caller("play")
call_over = _caller("over")
call_returns = _caller("returns")
call_key = _caller("key")
call_evaluate = _caller("evaluate")
call_image = _caller("image")
call_image_action = _caller("image_action")
call_observe = _caller("observe")
call_determinize = _caller("determinize")
call_encode = _caller("encode")
call_policy = _caller("policy")
call_finish = _caller("finish")
call_order = _caller("order")
call_loud = _caller("loud")
call_unwise = _caller("unwise")
call_rollout = _caller("rollout")
call_bound = _caller("bound")
call_skip = _caller("skip")


def fetch_soon(builder: Any, place: Any) -> None:
    """Emit the instruction that prefetches the memory behind a pointer."""
    number = ir.IntType(32)
    item = builder.bitcast(place, ir.IntType(8).as_pointer())
    kind = ir.FunctionType(ir.VoidType(), [item.type, number, number, number])
    fetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
    builder.call(fetch, [item, number(0), number(3), number(1)])


if JIT:

    @intrinsic  # type: ignore[untyped-decorator]
    def pointer(typing: Any, array: Any) -> Any:
        """Return the bare pointer to an array: one word to pass, where an array takes seven."""

        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            return context.make_array(array)(context, builder, values[0]).data

        return types.CPointer(array.dtype)(array), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def offset(typing: Any, start: Any, count: Any) -> Any:
        """Return the pointer that lies `count` items further on."""

        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            return builder.gep(values[0], [values[1]])

        return start(start, types.int64), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def prefetch(typing: Any, array: Any, index: Any) -> Any:
        """Start loading an item of an array into the processor's cache."""

        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            data = context.make_array(array)(context, builder, values[0]).data
            fetch_soon(builder, builder.gep(data, [values[1]]))
            return context.get_dummy_value()

        return types.void(array, types.int64), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def clock(typing: Any, kind: Any) -> Any:
        """Return the time of a system clock in nanoseconds, as `time.clock_gettime_ns` does."""

        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            word, number = ir.IntType(64), ir.IntType(32)
            if not HAS_CLOCKS:
                return word(0)
            span = cgutils.alloca_once(builder, ir.ArrayType(word, 2))  # a struct timespec
            called = ir.FunctionType(number, [number, span.type])
            read = cgutils.get_or_insert_function(builder.module, called, "clock_gettime")
            builder.call(read, [builder.trunc(values[0], number), span])
            seconds, rest = (
                builder.load(cgutils.gep_inbounds(builder, span, 0, part)) for part in (0, 1)
            )
            return builder.add(builder.mul(seconds, word(10**9)), rest)

        return types.int64(types.int64), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def handle_signals(typing: Any) -> Any:
        """Run Python's handlers of signals that came, in the main thread; raise what they raise.

        Python itself looks for signals only when compiled code has returned.
        """

        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            python, number = context.get_python_api(builder), ir.IntType(32)
            kind = ir.FunctionType(number, [])
            handle = cgutils.get_or_insert_function(builder.module, kind, "PyErr_CheckSignals")
            lock = python.gil_ensure()
            failed = cgutils.is_not_null(builder, builder.call(handle, []))
            python.gil_release(lock)
            with cgutils.if_unlikely(builder, failed):
                context.call_conv.return_exc(builder)
            return context.get_dummy_value()

        return types.void(), generate

else:

    def handle_signals() -> None:
        """Do nothing without the compiler: Python runs the handlers itself."""

    def clock(kind: int) -> int:
        """Return the time of a system clock in nanoseconds."""
        return time.clock_gettime_ns(int(kind)) if HAS_CLOCKS else 0

    def pointer(array: Any) -> Any:
        """Return the array itself."""
        return array

    def offset(start: Any, count: int) -> Any:
        """Return the part of an array that begins `count` items further on."""
        return start.after(count) if isinstance(start, GuardedArray) else start[count:]

    def prefetch(array: Any, index: int) -> None:
        """Do nothing without the compiler."""


# The cache ---------------------------------------------------------------------------------------


def _jit(function: Function, *, cached: bool, **options: bool) -> Function:
    if not JIT:
        return function
    dispatcher = numba.njit(nogil=True, error_model="numpy", **options)(function)
    if cached:
        dispatcher._cache = _Cache(function)  # replaces Numba's own
    return dispatcher  # type: ignore[no-any-return]


UNRESOLVED = ".numba.unresolved$"
"""Prefix of Numba's symbols for functions whose addresses it fills in later."""


class _Cache(NullCache):  # type: ignore[misc]
    """The interface through which Numba loads and saves compiled functions.

    Numba's own cache does not check its files, and a damaged one is fatal; these are checked.
    """

    def __init__(self, function: Function) -> None:
        self.function = function
        self.folder = folder_name(function.__module__)

    def load_overload(self, signature: Any, target: Any) -> Any:
        """Return the compiled function; None if it has to be compiled."""
        content = load_kernel(self.folder, self._name(signature, target.codegen()))
        if content is not None:
            with suppress(Exception):  # after any failure the function is compiled again
                names, parts = pickle.loads(content)  # noqa: S301 - only the user writes there
                rtsys.initialize(target)
                if not all(map(binding.address_of_symbol, names)):
                    target.refresh()  # slow, it loads half of Numba; few kernels need it
                return CompileResult._rebuild(target, *parts)
        _announce(self.function)
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Save a compiled function, unless it contains addresses of this process.

        Functions that call each other recursively do: Numba resolves one of the calls only after
        compilation, and a loaded function would jump to address 0.
        """
        if not result.lifted and not result.library.has_dynamic_globals:
            with suppress(Exception):  # what cannot be saved is compiled again
                names = _foreign_names(result.library)
                if any(name.startswith(UNRESOLVED) for name in names):
                    return
                content = serialize.dumps((names, result._reduce()))
                save_kernel(self.folder, self._name(signature, result.codegen), content)

    def _name(self, signature: Any, codegen: Any) -> str:
        """Return the file's name, with a digest of all but the sources that decides its content."""
        cells = tuple(cell.cell_contents for cell in self.function.__closure__ or ())
        decisive = (
            numba.__version__, sys.implementation.cache_tag, codegen.magic_tuple(), str(signature),
            self.function.__code__.co_code, serialize.dumps(cells) if cells else b"",
        )  # fmt: skip
        key = hashlib.sha256(repr(decisive).encode()).hexdigest()[:16]
        return f"{self.function.__qualname__.replace('<locals>', '')}-{key}"


def _foreign_names(library: Any) -> list[str]:
    """Return the symbols that compiled code needs from the process that loads it."""
    module = library._final_module
    return [
        symbol.name
        for symbol in (*module.functions, *module.global_variables)
        if symbol.is_declaration and not symbol.name.startswith("llvm.")
    ]


# Compilation and its messages -------------------------------------------------------------------


def _build(functions: Iterable[tuple[Any, Any]]) -> None:
    """Compile each function for its signature, or load it from the cache folder."""
    count, began = _Announcement.count, time.monotonic()
    for dispatcher, signature in functions:
        if signature.args in dispatcher.overloads:
            continue
        compiled = _Announcement.count
        try:
            dispatcher.compile(signature)
        except Exception as error:  # Numba raises errors of many classes
            raise GameError(explain(dispatcher, error)) from None
        if _Announcement.count > compiled:
            gc.collect()  # the compiler leaves much that must not be kept
        gc.freeze()  # a collection that looks through all of Numba takes longer than a move
    if _Announcement.count > count:
        _Announcement.seconds += time.monotonic() - began
        _announce(None)


class _Announcement:
    count = 0
    seconds = 0.0


def _announce(function: Function | None) -> None:
    """Report on standard error which function is being compiled; None ends a batch."""
    terminal = sys.stderr.isatty()
    if function is None:
        if terminal:
            done = f"compiled {_Announcement.count} kernels in {_Announcement.seconds:.0f} s"
            sys.stderr.write(f"\r\x1b[K{done}\r\x1b[K")
    else:
        _Announcement.count += 1
        name = f"{function.__module__}.{function.__name__}".removeprefix("plyground.")
        if terminal:
            sys.stderr.write(f"\r\x1b[Kcompiling kernels, once: {_Announcement.count} {name}")
        elif _Announcement.count == 1:
            sys.stderr.write("compiling kernels, once (later runs load them from disk)\n")
    sys.stderr.flush()
