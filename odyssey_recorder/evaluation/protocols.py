"""The protocols: which rules decide whether a predicted action counts as right."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

Name = Literal["official", "official-v1", "paper", "com", "strict", "agentcpm", "osatlas"]
BoxRule = Literal["none", "any", "same", "sound"]
TextRule = Literal["official", "distance", "anls", "contained", "words"]


@dataclass(frozen=True, slots=True)
class ScoringRules:
    """The defaults are those of the official evaluator, quirks included.

    `box`: a point in the box of the element is right, for no box, any one, one that holds the true point, or a "sound"
    one: it covers at most 60% of the screen besides, and distances are in pixels, relative to the short side.
    `whole_text`: a text ends at its end, not at its first colon. `every_step`: a missing step is wrong, a repeated one
    too, and every episode counts for SR. `invalid_differs`: an answer that cannot be read has no type. `on_grid`: a
    point is two numbers of 0..1000. `grouped`: RECENT counts as HOME, IMPOSSIBLE as COMPLETE, and the system keys are
    one type. `origin`: what is not two numbers is the point 0, 0. `partial`: SR counts an episode by the steps that
    were predicted.
    """

    box: BoxRule = "any"
    whole_text: bool = False
    every_step: bool = False
    invalid_differs: bool = False
    on_grid: bool = False
    text: TextRule = "official"
    grouped: bool = False
    origin: bool = False
    partial: bool = False


@dataclass(frozen=True, slots=True)
class ScoringTerms:
    """Which predictions are scored, and how.

    `split` is one of the four, whose test part is scored, or empty: all episodes of `selection`. With `alternatives`,
    the scores that count them are given beside the plain ones. Until they are scored, `dataset` may be empty for the
    folder, and `level` for that of the file.
    """

    dataset: str
    predictions: str
    protocol: Name = "official"
    split: str = ""
    level: str = ""
    selection: str = ""
    alternatives: bool = False


OFFICIAL = ScoringRules()

SWITCHES: Mapping[str, Mapping[str, Any]] = {
    "first-colon": {"whole_text": True},
    "text-distance": {"text": "distance"},
    "every-step": {"every_step": True},
    "sound-box": {"box": "sound"},
    "invalid-type": {"invalid_differs": True},
    "on-grid": {"on_grid": True},
}
"""What `strict` changes in `official`, in this order."""


def switched(*names: str) -> ScoringRules:
    """The official rules with these switches on. Raises KeyError."""
    return replace(OFFICIAL, **dict(change for name in names for change in SWITCHES[name].items()))


_PAPER = ScoringRules(
    box="same", whole_text=True, every_step=True, invalid_differs=True, on_grid=True, text="anls"
)  # fmt: skip
PROTOCOLS: Mapping[Name, ScoringRules] = {
    "official": OFFICIAL,
    "official-v1": replace(OFFICIAL, box="none"),
    "paper": _PAPER,
    "com": replace(_PAPER, box="none"),
    "strict": switched(*SWITCHES),
    "agentcpm": ScoringRules(
        box="none", whole_text=True, invalid_differs=True, text="contained", grouped=True, partial=True
    ),
    "osatlas": ScoringRules(box="none", whole_text=True, invalid_differs=True, text="words", origin=True, partial=True),
}
"""`paper`: the sentences of Lu et al. 2024, v1, 5.1 "Evaluation Metrics", and v2, 8.4 (boxes). `com`: Chain-of-Memory,
5.1.3: "consistent with those used in GUI Odyssey", of which it has version 1, without boxes. `agentcpm`:
OpenBMB/AgentCPM-GUI, eval/utils/evaluator.py. `osatlas`: OS-Copilot/OS-Atlas, eval_scripts/odyssey.
"""
