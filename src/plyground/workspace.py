"""The memory of an algorithm: named numbers and arrays, passed to a loop as one argument.

A subclass of `Workspace` declares its fields by their types:

    class Sum(Workspace):
        items: Words
        count: int
        total: float = 0.0

    @loop("none(workspace)", workspace=Sum)
    def add_up(work): ...

Python and compiled code read and set the same fields as attributes. To compiled code a workspace is
one pointer, as cheap to pass as a number; it points to a table with one word for each number and
the address of each array. Arrays of numbers are bare pointers, as in kernels; arrays of records
know their length. Compiled code may set numbers and items of arrays, but not replace an array.

A loop over many workspaces takes an array of their addresses, and a function made by `opener`.
"""

from __future__ import annotations

from typing import (
    Annotated,
    Any,
    ClassVar,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)
from weakref import WeakValueDictionary

import numba
import numpy as np
from numba import types
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    intrinsic,
    lower_getattr_generic,
    lower_setattr_generic,
    models,
    register_model,
    typeof_impl,
    unbox,
)
from numba.np.arrayobj import populate_array
from numba.np.numpy_support import as_dtype
from numpy.typing import NDArray

from plyground.compile import (
    JIT,
    Bytes,
    Function,
    Planes,
    Random,
    Reals,
    Words,
)

Halves = NDArray[np.uint16]
Entries = NDArray[np.int32]
Records = NDArray[np.void]
"""An array of records; as a field it is declared as `Annotated[Records, dtype]`."""

_NUMBERS = {int: types.int64, float: types.float64}
_ARRAYS = {
    Words: types.int64, Reals: types.float64, Random: types.uint64, Planes: types.float32,
    Bytes: types.int8, Halves: types.uint16, Entries: types.int32,
}  # fmt: skip


@dataclass_transform(kw_only_default=True)
class Workspace:
    """The memory of one algorithm; the module's docstring shows how fields are declared."""

    address: int
    """Address of the table of fields, for compiled code."""
    _defaults: ClassVar[dict[str, int | float]] = {}
    _numba_type_: ClassVar[Any]

    def __init_subclass__(cls) -> None:
        hints = get_type_hints(cls, include_extras=True)
        own = Workspace.__annotations__
        fields = {name: _kind(hint) for name, hint in hints.items() if name not in own}
        defaults = {name: cls.__dict__[name] for name in fields if name in cls.__dict__}
        cls._defaults = cls._defaults | defaults
        cls._numba_type_ = _Layout(f"{cls.__module__}.{cls.__qualname__}", tuple(fields.items()))
        for name, (place, kind) in cls._numba_type_.places.items():
            number = isinstance(kind, types.Number)
            setattr(cls, name, _Number(place, kind) if number else _Array(place, kind, name))

    def __init__(self, **values: Any) -> None:
        layout = type(self)._numba_type_
        values = type(self)._defaults | values
        if values.keys() != layout.places.keys():
            wrong = ", ".join(sorted(values.keys() ^ layout.places.keys()))
            raise TypeError(f"{type(self).__name__}: missing or unknown fields: {wrong}")
        self._words = np.zeros(layout.size, np.int64)
        self._reals = self._words.view(np.float64)
        self._arrays: dict[str, Any] = {}
        self.address = _address(self._words)
        if not JIT:
            _KNOWN[self.address] = self
        for name, value in values.items():
            setattr(self, name, value)


_KNOWN: WeakValueDictionary[int, Workspace] = WeakValueDictionary()
"""The workspaces by their addresses, where nothing is compiled."""


def opener(kind: type[Workspace]) -> Function:
    """Return the function that turns an address into a workspace, inside compiled code.

    Python has to keep the workspace alive.
    """
    if not JIT:
        return lambda address: _KNOWN[int(address)]
    layout = kind._numba_type_

    def typed(typing: Any, address: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            return builder.inttoptr(values[0], context.get_value_type(layout))

        return layout(types.int64), generate

    return intrinsic(typed)  # type: ignore[no-any-return]


if JIT:

    @intrinsic  # type: ignore[untyped-decorator]
    def record(typing: Any, array: Any, index: Any) -> Any:
        """Return a record of an array; unlike `array[index]` without a look at negative indices."""

        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            data = context.make_array(array)(context, builder, values[0]).data
            return builder.gep(data, [values[1]])

        return array.dtype(array, types.int64), generate

else:

    def record(array: Any, index: int) -> Any:
        """Return a record of an array."""
        return array[index]


class _Number:
    """A field that holds a number."""

    def __init__(self, place: int, kind: Any) -> None:
        self.place, self.real = place, kind == types.float64

    def __get__(self, workspace: Any, owner: Any = None) -> int | float:
        words = workspace._reals if self.real else workspace._words
        return words[self.place].item()  # type: ignore[no-any-return]

    def __set__(self, workspace: Any, value: float) -> None:
        words = workspace._reals if self.real else workspace._words
        words[self.place] = value


class _Array:
    """A field that holds an array; the workspace keeps the array alive."""

    def __init__(self, place: int, kind: Any, name: str) -> None:
        self.place, self.name, self.dtype = place, name, as_dtype(kind.dtype)

    def __get__(self, workspace: Any, owner: Any = None) -> Any:
        return workspace._arrays[self.name]

    def __set__(self, workspace: Any, array: Any) -> None:
        if not JIT:  # kernels are Python, and `rules` is a tuple of them
            workspace._arrays[self.name] = array
            return
        if array.dtype != self.dtype or array.ndim != 1 or not array.flags.c_contiguous:
            raise TypeError(f"{self.name}: a contiguous array of {self.dtype} is needed")
        workspace._arrays[self.name] = array
        workspace._words[self.place] = _address(array)
        if self.dtype.names is not None:
            workspace._words[self.place + 1] = len(array)


def _address(array: Any) -> int:
    return array.ctypes.data  # type: ignore[no-any-return]


# Workspaces in compiled code ---------------------------------------------------------------------


def _kind(hint: Any) -> Any:
    """Return the compiled type of a field from its annotation."""
    if hint in _NUMBERS:
        return _NUMBERS[hint]
    if get_origin(hint) is Annotated:
        return numba.from_dtype(get_args(hint)[1])[::1]
    return types.CPointer(_ARRAYS[hint])


def _words_of(kind: Any) -> int:
    """Return how many words a field takes: an array of records has an address and a length."""
    return 2 if isinstance(kind, types.Array) else 1


class _Layout(types.Type):  # type: ignore[misc]
    """Numba's type of a workspace: the place and the type of each field."""

    def __init__(self, name: str, fields: tuple[tuple[str, Any], ...]) -> None:
        self.places: dict[str, tuple[int, Any]] = {}
        self.size = 0
        for field, kind in fields:
            self.places[field] = self.size, kind
            self.size += _words_of(kind)
        super().__init__(name=f"{name}{fields}")  # the cache distinguishes layouts by this name


register_model(_Layout)(models.OpaqueModel)


@typeof_impl.register(Workspace)  # type: ignore[untyped-decorator]
def _typeof(workspace: Workspace, context: Any) -> Any:
    return type(workspace)._numba_type_


@unbox(_Layout)  # type: ignore[untyped-decorator]
def _unbox(layout: Any, workspace: Any, c: Any) -> Any:
    number = c.pyapi.object_getattr_string(workspace, "address")
    pointer = c.pyapi.long_as_voidptr(number)
    c.pyapi.decref(number)
    return NativeValue(pointer)


@infer_getattr
class _Fields(AttributeTemplate):  # type: ignore[misc]
    key = _Layout

    def generic_resolve(self, layout: Any, name: str) -> Any:
        return layout.places[name][1] if name in layout.places else None


def _slot(context: Any, builder: Any, base: Any, place: int, kind: Any) -> Any:
    """Return a pointer to the value at a place of a workspace's table."""
    words = builder.bitcast(base, context.get_value_type(types.int64).as_pointer())
    slot = builder.gep(words, [context.get_constant(types.intp, place)])
    return builder.bitcast(slot, context.get_value_type(kind).as_pointer())


def _load_fixed(context: Any, builder: Any, base: Any, place: int, kind: Any) -> Any:
    """Load a value that compiled code never changes, so that the optimizer may load it once."""
    value = builder.load(_slot(context, builder, base, place, kind))
    value.set_metadata("invariant.load", builder.module.add_metadata([]))
    return value


@lower_getattr_generic(_Layout)  # type: ignore[untyped-decorator]
def _load(context: Any, builder: Any, layout: Any, base: Any, name: str) -> Any:
    place, kind = layout.places[name]
    if isinstance(kind, types.Number):
        return builder.load(_slot(context, builder, base, place, kind))
    if isinstance(kind, types.CPointer):
        return _load_fixed(context, builder, base, place, kind)
    items = types.CPointer(kind.dtype)
    item_size = context.get_abi_sizeof(context.get_data_type(kind.dtype))
    size = context.get_constant(types.intp, item_size)
    length = _load_fixed(context, builder, base, place + 1, types.intp)
    array = context.make_array(kind)(context, builder)
    data = _load_fixed(context, builder, base, place, items)
    populate_array(array, data=data, shape=[length], strides=[size], itemsize=size, meminfo=None)
    return array._getvalue()


@lower_setattr_generic(_Layout)  # type: ignore[untyped-decorator]
def _store(context: Any, builder: Any, signature: Any, values: Any, name: str) -> None:
    layout, kind = signature.args
    if not isinstance(kind, types.Number):
        raise TypeError(f"{name}: compiled code cannot replace an array")
    builder.store(values[1], _slot(context, builder, values[0], layout.places[name][0], kind))
