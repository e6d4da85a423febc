"""How much a model is told about earlier steps."""

import re
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Literal, cast

from odyssey_recorder.annotation.memory import Recall, Rule
from odyssey_recorder.errors import SettingsError

_ACTIONS = 4
"""Earlier actions that a model is told, as in the official evaluation."""
_COUNT = "(?:0?[1-9]|[1-9][0-9])"
_NUMBER = f":{_COUNT}"
_RULES = re.compile(rf"none|maker|context|actions(?:{_NUMBER})?|screenshots(?:{_NUMBER}){{1,2}}")
_PARTS = "(?:stm|ltm|screen)"
_MEMORY = re.compile(
    rf"memory(?::(?P<rule>paper|kept))?(?::(?P<parts>{_PARTS}(?:\+{_PARTS}){{0,2}}))?(?::n=(?P<length>{_COUNT}))?"
    "(?P<live>:live)?"
)
MEMORY = "memory[:paper|:kept][:stm+ltm+screen][:n=N][:live]"


@dataclass(frozen=True, slots=True)
class HistoryRule:
    """Nothing; as the maker of the model has it: all actions, and its number of screenshots; the last `steps` actions;
    `steps` screenshots, every `stride`-th, with all actions since; a step's text `context`; or the Chain-of-Memory, as
    `recall` says, from the dataset or, with `is_live`, written by the model itself as it goes.
    """

    kind: Literal["none", "maker", "actions", "screenshots", "context", "memory"]
    steps: int = 0
    stride: int = 1
    recall: Recall = field(default_factory=Recall)
    is_live: bool = False

    @classmethod
    def parse(cls, text: str) -> "HistoryRule":
        """Raises SettingsError."""
        if memory := _MEMORY.fullmatch(text):
            usual = Recall()
            parts = tuple(dict.fromkeys(memory["parts"].split("+"))) if memory["parts"] else usual.parts
            length = int(memory["length"] or usual.length)
            recall = Recall(cast(Rule, memory["rule"] or usual.rule), cast(Any, parts), length)
            return cls("memory", recall=recall, is_live=memory["live"] is not None)
        if _RULES.fullmatch(text) is None:
            raise SettingsError(
                f"The history {text!r} is unknown. Use none, maker, actions, actions:N, screenshots:N, "
                f"screenshots:N:STRIDE, context or {MEMORY}; N and STRIDE are 1 to 99."
            )
        kind, *given = text.split(":")
        steps, stride = (*map(int, given), *(_ACTIONS * (kind == "actions"), 1)[len(given) :])
        return cls(cast(Any, kind), steps, stride)

    @classmethod
    def for_agent(cls, text: str) -> "HistoryRule":
        """What an agent at work can be told: there are no texts about its steps yet, but it can write its memory.

        Raises SettingsError.
        """
        if text.partition(":")[0] in ("none", "maker", "actions", "screenshots", "memory"):
            with suppress(SettingsError):
                rule = cls.parse(text)
                return replace(rule, is_live=rule.kind == "memory")
        raise SettingsError(
            f"The history {text!r} cannot be told to an agent. Use none, maker, actions[:N], screenshots:N[:STRIDE] or "
            f"{MEMORY}, with numbers up to 99."
        )

    def __str__(self) -> str:
        if self.kind == "memory":
            usual, own = Recall(), self.recall
            parts = "+".join(own.parts) if own.parts != usual.parts else ""
            length = f"n={own.length}" if own.length != usual.length else ""
            return ":".join(filter(None, ("memory", own.rule, parts, length, "live" * self.is_live)))
        return ":".join(map(str, (self.kind, *filter(None, (self.steps, self.stride * (self.stride > 1))))))

    def earlier_steps(self, step: int) -> range:
        """The earlier steps whose actions the model is told at `step`, the oldest first."""
        return range(0 if self.kind == "maker" else max(0, step - self.steps * self.stride), step)

    def with_screenshot(self, step: int, pictures: int) -> range:
        """Those of them whose screenshots are shown, the newest first; a maker shows `pictures`."""
        match self.kind:
            case "maker":
                return range(step - 1, max(0, step - pictures) - 1, -1)
            case "screenshots":
                return range(step - self.stride, self.earlier_steps(step).start - 1, -self.stride)
            case _:
                return range(0)
