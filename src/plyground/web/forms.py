"""What pages and programs send: requests of a channel, and bodies of the HTTP interface."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from plyground.agents.champion import TOP

Name = Annotated[str, Field(max_length=60)]
Id = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,40}$")]
Text = Annotated[str, Field(max_length=20_000)]
Seat = Annotated[int, Field(ge=0, le=7)]
Ply = Annotated[int, Field(ge=0, le=100_000)]
Action = Annotated[int, Field(ge=-1, le=2**31)]
Values = Annotated[dict[Name, Any], Field(max_length=40)]

LONGEST_ANALYSIS = 60.0
LONGEST_THOUGHT = 10.0


class Form(BaseModel):
    """An object without further fields."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


# Requests of a channel ---------------------------------------------------------------------------


class Hello(Form):
    type: Literal["hello"]
    version: int | None = None


class MoveBody(Form):
    request: Id = "-"
    ply: Ply
    action: Action | None = None
    text: Name | None = None


class Move(MoveBody):
    type: Literal["move"]


class Undo(Form):
    type: Literal["undo"]
    request: Id
    ply: Ply


class Resign(Form):
    type: Literal["resign"]
    request: Id
    seat: Seat | None = None


class Hint(Form):
    type: Literal["hint"]
    request: Id


class Rematch(Form):
    type: Literal["rematch"]
    request: Id


class Sit(Form):
    type: Literal["sit"]
    request: Id
    seat: Seat
    name: Name = ""


class Pace(Form):
    type: Literal["pace"]
    request: Id
    seconds: Annotated[float, Field(ge=0, le=60)] = 0.5
    paused: bool = False
    step: bool = False


class Preview(Form):
    type: Literal["preview"]
    request: Id
    ply: Ply
    actions: Annotated[list[Action], Field(max_length=32)]


class Analyse(Form):
    type: Literal["analyse"]
    request: Id
    ply: Ply
    source: Literal["search", "solver", "network"] = "search"
    seconds: Annotated[float, Field(ge=0.05, le=LONGEST_ANALYSIS)] = 10.0


class Graph(Form):
    type: Literal["graph"]
    request: Id


class Stop(Form):
    type: Literal["stop"]
    request: Id


class Overlay(Form):
    type: Literal["overlay"]
    request: Id
    ply: Ply
    name: Name


Request = (
    Hello | Move | Undo | Resign | Hint | Rematch | Sit | Pace | Preview | Analyse | Graph | Stop
    | Overlay
)  # fmt: skip
REQUEST: TypeAdapter[Request] = TypeAdapter(Annotated[Request, Field(discriminator="type")])


# Bodies of the HTTP interface --------------------------------------------------------------------


class AgentForm(Form):
    name: Name
    options: Values = Field(default_factory=dict)


class Chosen(Form):
    """An agent by the number of a level, or by its own name."""

    level: Annotated[int, Field(ge=1, le=TOP)] | None = None
    agent: AgentForm | None = None


class SeatForm(Chosen):
    kind: Literal["person", "agent", "open"]
    name: Name = ""


class ClockForm(Form):
    bank: Annotated[float, Field(ge=1, le=86_400)]
    increment: Annotated[float, Field(ge=0, le=3600)] = 0.0


class Origin(Form):
    id: Id
    ply: Ply | None = None


class PositionForm(Form):
    game: Name
    options: Values = Field(default_factory=dict)
    position: Text | None = None
    actions: Annotated[list[Action], Field(max_length=2000)] = Field(default_factory=list)
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 0


class ThoughtForm(PositionForm, Chosen):
    seconds: Annotated[float, Field(ge=0.01, le=LONGEST_THOUGHT)] = 1.0


class GameForm(Form):
    game: Name = ""
    options: Values = Field(default_factory=dict)
    seed: Annotated[int, Field(ge=0, lt=2**63)] | None = None
    position: Text | None = None
    origin: Origin | None = Field(None, alias="from")
    mode: Literal["play", "watch", "analysis"] = "play"
    seats: Annotated[list[SeatForm], Field(max_length=8)] | None = None
    clock: ClockForm | None = None


class RunForm(Form):
    game: Name
    options: Values = Field(default_factory=dict)
    agents: Annotated[list[Chosen], Field(min_length=1, max_length=20)]
    games: Annotated[int, Field(ge=1, le=1000)] = 10
    format: Literal["round_robin", "gauntlet", "swiss", "tables"] = "round_robin"
    seconds: Annotated[float, Field(ge=0.01, le=10)] | None = None
    seed: Annotated[int, Field(ge=0, lt=2**31)] = 0
