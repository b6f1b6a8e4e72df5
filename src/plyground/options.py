"""Declared options: frozen dataclasses whose fields are typed, checked and written as text.

Games, agents and evaluators are such classes: `alphabeta(depth=6, evaluate='windows')` is the text
that makes the agent, and its name in results. `Options.declared` returns a descriptor of every
option, with its type, range and help; listings, forms, tuning, documentation and identities are
made from these descriptors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from difflib import get_close_matches
from enum import StrEnum
from functools import cache, cached_property
from inspect import Parameter, Signature, getdoc, getmodule, isfunction, signature
from math import isfinite
from types import NoneType, UnionType
from typing import (
    Any,
    ClassVar,
    Protocol,
    Self,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

from plyground.errors import LoadError, OptionError, UnknownNameError
from plyground.files import stamp_command, stamp_file, stamp_program
from plyground.spec import write_spec
from plyground.text import counted, shortened


class Kind(StrEnum):
    """The type of an option's value; for text also what the text names."""

    BOOL = "bool"
    INT = "int"
    FLOAT = "float"
    TEXT = "text"
    CHOICE = "choice"
    FILE = "file"
    """A data file that is read when the object is made, such as a map or weights."""
    PROGRAM = "program"
    """A program's file or folder."""
    COMMAND = "command"
    """A program and its arguments, as in a shell."""
    GAME = "game"
    AGENT = "agent"
    EVALUATOR = "evaluator"
    ORDER = "order"
    LOUD = "loud"
    UNWISE = "unwise"
    ROLLOUT = "rollout"
    SKIP = "skip"


NESTED = (Kind.GAME, Kind.AGENT, Kind.EVALUATOR)
"""Kinds whose text describes an object with options of its own."""


class Source(Protocol):
    """What options need to know of a game; every `Game` provides it."""

    def offers(self, kind: Kind) -> tuple[str, ...]:
        """Return the names of the game's evaluators, or of its advice of a kind."""

    def evaluator(self, spec: str) -> Options:
        """Return the evaluator that a text describes."""


LOADERS: dict[Kind, Callable[[str], Options]] = {}
"""By kind: the function that makes a game or an agent from its text; registries add their own."""

STAMPS = {Kind.PROGRAM: stamp_program, Kind.COMMAND: stamp_command}
"""By kind: the function that replaces a program's path by its stamp in an identity."""


@dataclass(frozen=True)
class Option:
    """The descriptor of one option."""

    name: str
    kind: Kind
    hint: Any = field(repr=False)
    """The annotated type."""
    default: Any
    """MISSING if a value has to be given."""
    optional: bool
    """Whether None is allowed."""
    many: bool
    """Whether the value is a list of this kind."""
    length: int | None
    """How many entries the list has; None if any number is allowed."""
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    """All allowed values (CHOICE), or names allowed in addition to files or to a game's names."""
    help: str = ""

    @property
    def type_words(self) -> str:
        """The type in words, such as `int or none` or `list of float`."""
        count = f"{self.length} " if self.length else ""
        listed = f"list of {count}{self.kind}" if self.many else str(self.kind)
        return f"{listed} or none" if self.optional else listed

    @property
    def range_words(self) -> str:
        """The allowed values in words; "" if every value of the type is allowed."""
        if self.kind is Kind.CHOICE:
            return f"one of {', '.join(self.choices)}"
        if self.choices:
            return f"{', '.join(self.choices)} or a {self.kind}"
        if self.low is not None and self.high is not None:
            return f"{self.low:.12g} to {self.high:.12g}"
        if self.low is not None:
            return f"at least {self.low:.12g}"
        return "" if self.high is None else f"at most {self.high:.12g}"

    def allowed(self, game: Source) -> tuple[str, ...]:
        """Return the names that the value may be in a game; empty for options that are no names.

        For evaluators and advice, "" means the game's first. Names of agents and games are not
        listed: any name that their registry knows is allowed.
        """
        return (*self.choices, *game.offers(self.kind))

    def nested(self, text: str, game: Source | None) -> Options | None:
        """Return the object that the text of a nested option describes; None for other options.

        An evaluator belongs to a game: without the game it is None.
        """
        if self.kind in LOADERS:
            return LOADERS[self.kind](text)
        if self.kind is Kind.EVALUATOR and game is not None:
            return game.evaluator(text)
        return None

    def checked(self, value: Any, where: str) -> Any:
        """Return the value in its declared type, or raise OptionError or UnknownNameError."""
        value = converted(self.hint, value, where)
        for item in value if self.many else (value,):
            if item is None:
                continue
            small = self.low is not None and item < self.low
            large = self.high is not None and item > self.high
            if small or large:
                got = shortened(repr(value))
                raise OptionError(f"{where}={got} is out of range; allowed: {self.range_words}")
            if self.kind is Kind.CHOICE and item not in self.choices:
                raise UnknownNameError(f"value of {where}", str(item), self.choices)
        return value

    def to_json(self) -> dict[str, Any]:
        """Return plain data for `json`."""
        required = self.default is MISSING
        return {
            "name": self.name,
            "kind": str(self.kind),
            "list": self.many,
            "length": self.length,
            "optional": self.optional,
            "required": required,
            "default": None if required else self.default,
            "low": self.low,
            "high": self.high,
            "choices": self.choices,
            "type": self.type_words,
            "range": self.range_words,
            "help": self.help,
        }


def option(
    default: Any = MISSING,
    *,
    low: float | None = None,
    high: float | None = None,
    choices: tuple[str, ...] = (),
    kind: Kind | None = None,
    help: str = "",
) -> Any:
    """Declare an option: its default, its range or choices, and a line of help.

    The kind follows from the annotation; give it for text that names a file, an agent, and so on.
    """
    metadata = {"low": low, "high": high, "choices": choices, "kind": kind, "help": help}
    return field(default=default, metadata=metadata)


@dataclass_transform(frozen_default=True, field_specifiers=(option,))
class Options:
    """A frozen dataclass that checks its fields and whose `repr` is the text that makes it."""

    name: ClassVar[str]
    _file: ClassVar[str]
    """The file from which the class was loaded by its path, else ""; `repr` writes it."""
    _stamp: ClassVar[str]
    """That file's name, with a digest of its content when it was loaded."""

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        _check_overrides(cls)
        cls._file = cls._stamp = ""
        dataclass(frozen=True, repr=False)(cls)

    def __post_init__(self) -> None:
        stamps: dict[str, str] = {}
        for option in self.declared():
            value = option.checked(getattr(self, option.name), f"{self.name}: {option.name}")
            object.__setattr__(self, option.name, value)
            if option.kind is Kind.FILE and value not in option.choices:
                stamps[option.name] = stamp_file(value)
        object.__setattr__(self, "_stamps", stamps)  # now, when these files are read

    def __repr__(self) -> str:
        return self._text

    @cached_property
    def _text(self) -> str:
        return write_spec(self._file or self.name, self._changed)

    def __reduce__(self) -> Any:
        return type(self).make, (self.changed(),)  # options only, no cached values

    def identity(self, game: Source | None = None) -> str:
        """Return the text that makes this object, with a name and digest in place of every path.

        Ratings identify players and games by it: an edited bot is another player, but a copy in
        another folder is the same one. Files of an evaluator are included if the game is given.
        """
        values = self.changed()
        for option in self.declared():
            if option.name in values:
                values[option.name] = self._identified(option, values[option.name], game)
        return write_spec(self._stamp or self.name, values)

    def _identified(self, option: Option, value: Any, game: Source | None) -> Any:
        if option.many or value is None:
            return value
        if option.kind is Kind.FILE:
            return self._stamps.get(option.name, value)  # type: ignore[attr-defined]
        if option.kind in STAMPS:
            return STAMPS[option.kind](value)
        inner = option.nested(value, game)
        if inner is None or inner.identity(game) == repr(inner):
            return value  # without files the text stays exactly as the user wrote it
        return inner.identity(game)

    def changed(self) -> dict[str, Any]:
        """Return the options that differ from their defaults."""
        return dict(self._changed)

    @cached_property
    def _changed(self) -> dict[str, Any]:
        values = ((option, getattr(self, option.name)) for option in self.declared())
        return {option.name: value for option, value in values if value != option.default}

    @classmethod
    def declared(cls) -> tuple[Option, ...]:
        """Return the descriptors of the options, in their order."""
        return _declared(cls)  # type: ignore[arg-type]

    @classmethod
    def describe(cls) -> dict[str, Any]:
        """Return name, first line of documentation and options as plain data for `json`."""
        documentation = cls.__doc__ or ""
        if documentation.startswith(f"{cls.__name__}("):  # generated by `dataclass`
            documentation = getdoc(getmodule(cls)) or ""
        options = [option.to_json() for option in cls.declared()]
        return {"name": cls.name, "about": first_line(documentation), "options": options}

    @classmethod
    def make(cls, values: Mapping[str, Any]) -> Self:
        """Return an object with these options; raise UnknownNameError for one it does not have."""
        known = [option.name for option in cls.declared()]
        for name in values:
            if name not in known:
                raise UnknownNameError(f"option of {cls.name}", name, known)
        return cls(**values)


# Mistakes in a class -----------------------------------------------------------------------------


def _check_overrides(cls: type[Options]) -> None:
    """Raise LoadError if a method cannot be called like the method that it overrides."""
    for name, method in _methods(cls).items():
        bases = (vars(base)[name] for base in cls.__mro__[1:] if name in vars(base))
        overridden = next(bases, None)
        if not isfunction(overridden):
            continue
        expected = signature(overridden)
        try:
            for optional in (True, False):  # a call with all arguments, and with the required ones
                _bind(signature(method), expected, optional)
        except TypeError:
            actual = ", ".join(signature(method).parameters)
            needed = ", ".join(expected.parameters)
            raise LoadError(f"{cls.__name__}.{name} must take ({needed}), not ({actual})") from None


def _bind(method: Signature, expected: Signature, optional: bool) -> None:
    """Raise TypeError if a method does not accept the arguments that `expected` declares."""
    parameters = [
        parameter
        for parameter in expected.parameters.values()
        if parameter.kind not in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
        and (optional or parameter.default is Parameter.empty)
    ]
    keywords = {
        parameter.name: None for parameter in parameters if parameter.kind is Parameter.KEYWORD_ONLY
    }
    method.bind(*([None] * (len(parameters) - len(keywords))), **keywords)


def _methods(cls: type) -> dict[str, Any]:
    """Return the public methods that a class itself defines."""
    return {
        name: value for name, value in vars(cls).items() if isfunction(value) and name[0] != "_"
    }


def incomplete(cls: type[Options]) -> str:
    """Return what a class must still define before objects of it can be made; "" if nothing."""
    for base in cls.__mro__:
        for name, hint in vars(base).get("__annotations__", {}).items():
            if str(hint).startswith("ClassVar") and not hasattr(cls, name):
                return f"class {cls.__name__} has no `{name} = ...`"
    for name in sorted(getattr(cls, "__abstractmethods__", ())):
        close = get_close_matches(name, _methods(cls), n=1)
        hint = f"; is {close[0]!r} a misspelling of it?" if close else ""
        return f"class {cls.__name__} has no method {name!r}{hint}"
    return ""


def misspelt(cls: type[Options]) -> dict[str, str]:
    """Return methods that override nothing, each with the name that was probably meant."""
    known = {name for base in cls.__mro__[1:] for name in _methods(base)}
    own = [name for name in _methods(cls) if name not in known]
    close = {name: get_close_matches(name, known, n=1, cutoff=0.75) for name in own}
    return {name: matches[0] for name, matches in close.items() if matches}


def first_line(documentation: str | None) -> str:
    """Return the first line of a docstring."""
    return (documentation or "").strip().split("\n")[0]


@cache
def _declared(cls: type[Options]) -> tuple[Option, ...]:
    hints = get_type_hints(cls)
    return tuple(
        _descriptor(f"{cls.name}: {declared.name}", declared, hints[declared.name])
        for declared in fields(cls)  # type: ignore[arg-type]
    )


KINDS = {bool: Kind.BOOL, int: Kind.INT, float: Kind.FLOAT, str: Kind.TEXT}


def _descriptor(where: str, declared: Any, hint: Any) -> Option:
    inner, optional, many, length = hint, False, False, None
    if isinstance(inner, UnionType) and get_args(inner)[1:] == (NoneType,):
        inner, optional = get_args(inner)[0], True
    if get_origin(inner) is tuple:
        many, (inner, *others) = True, get_args(inner)
        length = None if others == [Ellipsis] else 1 + len(others)
        inner = inner if length is None or set(others) <= {inner} else None
    if inner not in KINDS:
        allowed = "bool, int, float, str or a tuple of one of them, and None"
        raise OptionError(f"{where} is declared as {hint}; allowed: {allowed}")
    metadata = dict(declared.metadata)
    kind = metadata.pop("kind", None) or (Kind.CHOICE if metadata.get("choices") else KINDS[inner])
    return Option(declared.name, kind, hint, declared.default, optional, many, length, **metadata)


def converted(hint: Any, value: Any, where: str) -> Any:
    """Return the value in the annotated type, or raise OptionError if it does not fit."""
    if isinstance(hint, UnionType):
        if value is None and NoneType in get_args(hint):
            return None
        return converted(get_args(hint)[0], value, where)
    if get_origin(hint) is tuple:
        if not isinstance(value, tuple | list):
            raise OptionError(f"{where} must be a list, got {shortened(repr(value))}")
        kinds = get_args(hint)
        if kinds[-1] is Ellipsis:
            return tuple(converted(kinds[0], item, where) for item in value)
        if len(value) != len(kinds):
            raise OptionError(
                f"{where} must have {counted(len(kinds), 'entry', 'entries')}, got {len(value)}"
            )
        return tuple(converted(kind, item, where) for kind, item in zip(kinds, value, strict=True))
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            got = shortened(repr(value))
            raise OptionError(f"{where} must be a finite number, got {got}") from None
    if not isinstance(value, hint) or (hint is not bool and isinstance(value, bool)):
        raise OptionError(f"{where} must be {hint.__name__}, got {shortened(repr(value))}")
    if isinstance(value, float) and not isfinite(value):
        raise OptionError(f"{where} must be a finite number, got {value!r}")
    if isinstance(value, int) and abs(value) >= 2**63:
        raise OptionError(f"{where} must fit 64 bits, got {shortened(repr(value))}")
    return value
