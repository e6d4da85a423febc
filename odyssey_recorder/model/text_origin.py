"""Who wrote an instruction, and the result of comparing it with its task."""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from odyssey_recorder.model.moment import in_utc


class Writer(Enum):
    TEMPLATE = "template"
    PHRASING = "phrasing"
    MODEL = "model"
    PERSON = "person"


class Approval(Enum):
    OPEN = "open"
    APPROVED = "approved"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One answer of a language model.

    `prompt` is the prompt's id and version ("rewrite/1"), `host` the origin of the address ("https://api.example.com"),
    `cost` in US dollars by the price table of that day, None if the table lacks the model.
    """

    prompt: str
    model_asked: str
    model_answered: str
    host: str
    at: datetime
    tokens_in: int
    tokens_out: int
    cost: float | None = None
    key: str = ""
    """The key of the raw answer in the answer cache."""

    def __post_init__(self) -> None:
        in_utc(self.at)


@dataclass(frozen=True, slots=True)
class Equivalence:
    """Whether an instruction asks for the same as the filled task (criterion iii).

    `faults` are the rules' findings, a sentence each. The judge's fields are None and empty if none was asked; it
    finds them equivalent if each entails the other and nothing is missing or added.
    """

    faults: tuple[str, ...] = ()
    task_entails_instruction: bool | None = None
    instruction_entails_task: bool | None = None
    missing: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    judge: ModelCall | None = None

    @property
    def is_judged(self) -> bool:
        return self.judge is not None

    @property
    def holds(self) -> bool:
        both = self.task_entails_instruction is not False and self.instruction_entails_task is not False
        return both and not (self.faults or self.missing or self.added)


@dataclass(frozen=True, slots=True)
class TextOrigin:
    """`call` is present for a model's text, even if a person edited it later.

    `names_apps` says whether the text was to name the apps. `approved_by` and `edited_by` may be empty.
    """

    writer: Writer = Writer.TEMPLATE
    names_apps: bool = True
    call: ModelCall | None = None
    equivalence: Equivalence | None = None
    edited_by: str = ""
    approval: Approval = Approval.OPEN
    approved_by: str = ""
    note: str = ""
