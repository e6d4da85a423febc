"""What can be amended in a published episode. No screenshot and no position is ever invented."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from odyssey_recorder.model.episode import Category


class _Amendment(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class NewInstruction(_Amendment):
    kind: Literal["instruction"] = "instruction"
    instruction: str = Field(min_length=1)


class NewApps(_Amendment):
    kind: Literal["apps"] = "apps"
    category: Category
    apps: tuple[str, ...] = Field(min_length=1)


class NewEnd(_Amendment):
    kind: Literal["end"] = "end"
    words: str


class NewNote(_Amendment):
    kind: Literal["note"] = "note"
    step: int = Field(ge=0)
    note: str


class NewPress(_Amendment):
    """Turns a CLICK into a LONG_PRESS (`long`) or the reverse."""

    kind: Literal["press"] = "press"
    step: int = Field(ge=0)
    long: bool


class NewText(_Amendment):
    kind: Literal["text"] = "text"
    step: int = Field(ge=0)
    text: str = Field(min_length=1)


class NewBox(_Amendment):
    """Left, top, right, bottom of the touched element in pixels of the screenshot; right and bottom are exclusive."""

    kind: Literal["box"] = "box"
    step: int = Field(ge=0)
    box: tuple[int, int, int, int]


class DropSteps(_Amendment):
    """Removes stray steps, `first` to `last` inclusive; later steps move up."""

    kind: Literal["drop"] = "drop"
    first: int = Field(ge=0)
    last: int = Field(ge=0)


class DropTail(_Amendment):
    """Ends the episode at step `at`: its screenshot becomes that of the terminal step, which keeps its words."""

    kind: Literal["tail"] = "tail"
    at: int = Field(ge=0)


class Repair(_Amendment):
    """Rewrites a damaged annotation from what can be read, or else from the newest kept version that is whole.

    If the terminal step is missing, `end` and its note or reason supply it: on the screenshot after the last step if
    there is one, otherwise in place of the last step.
    """

    kind: Literal["repair"] = "repair"
    end: Literal["COMPLETE", "IMPOSSIBLE"] | None = None
    words: str = ""


Amendment = Annotated[
    NewInstruction | NewApps | NewEnd | NewNote | NewPress | NewText | NewBox | DropSteps | DropTail | Repair,
    Field(discriminator="kind"),
]
