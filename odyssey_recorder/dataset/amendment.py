"""What of a published episode may be changed, and nothing else: no picture and no point is ever invented."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from odyssey_recorder.model.episode import Category


class _Amendment(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class NewInstruction(_Amendment):
    """Other words for the task."""

    kind: Literal["instruction"] = "instruction"
    instruction: str = Field(min_length=1)


class NewApps(_Amendment):
    """Other apps of the task, in their order, or another category."""

    kind: Literal["apps"] = "apps"
    category: Category
    apps: tuple[str, ...] = Field(min_length=1)


class NewEnd(_Amendment):
    """Another note of COMPLETE, or another reason of IMPOSSIBLE."""

    kind: Literal["end"] = "end"
    words: str


class NewNote(_Amendment):
    """Another note beside a step, in its proof."""

    kind: Literal["note"] = "note"
    step: int = Field(ge=0)
    note: str


class NewPress(_Amendment):
    """A CLICK that was a LONG_PRESS (`long`), or the other way round."""

    kind: Literal["press"] = "press"
    step: int = Field(ge=0)
    long: bool


class NewText(_Amendment):
    """The text of a TYPE."""

    kind: Literal["text"] = "text"
    step: int = Field(ge=0)
    text: str = Field(min_length=1)


class NewBox(_Amendment):
    """The box of the touched element: left, top, right, bottom in pixels of the screenshot, right and bottom not
    belonging to it."""

    kind: Literal["box"] = "box"
    step: int = Field(ge=0)
    box: tuple[int, int, int, int]


class DropSteps(_Amendment):
    """Stray steps, `first` to `last`, taken out; the steps behind them move up."""

    kind: Literal["drop"] = "drop"
    first: int = Field(ge=0)
    last: int = Field(ge=0)


class DropTail(_Amendment):
    """The episode ends at step `at`: its picture becomes that of the end, with the words that the end has now."""

    kind: Literal["tail"] = "tail"
    at: int = Field(ge=0)


class Repair(_Amendment):
    """A damaged annotation written anew as it is understood, or else the newest kept version that is whole.

    One without an end gets the `end` that a person tells, with its note or reason: on the picture behind the last step,
    where there is one, otherwise in place of the last step.
    """

    kind: Literal["repair"] = "repair"
    end: Literal["COMPLETE", "IMPOSSIBLE"] | None = None
    words: str = ""


Amendment = Annotated[
    NewInstruction | NewApps | NewEnd | NewNote | NewPress | NewText | NewBox | DropSteps | DropTail | Repair,
    Field(discriminator="kind"),
]
