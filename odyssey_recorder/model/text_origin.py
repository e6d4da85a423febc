"""Where the words of an instruction come from, and what was found when they were held against the task."""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from odyssey_recorder.model.moment import in_utc


class Writer(Enum):
    """Who put an instruction into words."""

    TEMPLATE = "template"
    PHRASING = "phrasing"
    MODEL = "model"
    PERSON = "person"


class Approval(Enum):
    """What a person said of an instruction; nobody looked at it where it is open."""

    OPEN = "open"
    APPROVED = "approved"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One answer of a language model: what was asked, who answered, and what it took.

    `prompt` is the prompt's id and version ("rewrite/1"), `host` the origin of the address ("https://api.example.com"),
    `at` a moment that `in_utc` takes, `cost` in US dollars by the price table of the day, None where the model has no
    price there.
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
    """By which the raw answer is found again among the kept ones."""

    def __post_init__(self) -> None:
        in_utc(self.at)


@dataclass(frozen=True, slots=True)
class Equivalence:
    """Whether an instruction asks for what the filled task asks for (criterion iii).

    `faults` are what the rules found, each a sentence. The judge's part is None and empty where none was asked;
    it finds the two equivalent where each entails the other and nothing is missing or added.
    """

    faults: tuple[str, ...] = ()
    task_entails_instruction: bool | None = None
    instruction_entails_task: bool | None = None
    missing: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    judge: ModelCall | None = None

    @property
    def is_judged(self) -> bool:
        """Whether a model was asked."""
        return self.judge is not None

    @property
    def holds(self) -> bool:
        """Whether nothing speaks against it: no rule, and no judge where one was asked."""
        both = self.task_entails_instruction is not False and self.instruction_entails_task is not False
        return both and not (self.faults or self.missing or self.added)


@dataclass(frozen=True, slots=True)
class TextOrigin:
    """How an instruction came about; `call` is there for a model's words, also where a person edited them after.

    `names_apps` tells whether the words were to name the apps. `approved_by` and `edited_by` are names, empty for
    nobody.
    """

    writer: Writer = Writer.TEMPLATE
    names_apps: bool = True
    call: ModelCall | None = None
    equivalence: Equivalence | None = None
    edited_by: str = ""
    approval: Approval = Approval.OPEN
    approved_by: str = ""
    note: str = ""
    """Why it was rejected."""
