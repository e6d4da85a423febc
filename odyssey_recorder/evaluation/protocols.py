"""The protocols: which rules decide whether a predicted action counts as right."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

Name = Literal["official", "official-v1", "strict", "agentcpm", "osatlas", "com"]
TextRule = Literal["official", "distance", "contained", "words"]


@dataclass(frozen=True, slots=True)
class ScoringRules:
    """The defaults are those of the official evaluator, quirks included.

    `box`: a point in the box of the element is right. `whole_text`: a text ends at its end, not at its first colon.
    `every_step`: a missing step is wrong, a repeated one too, and every episode counts for SR. `sound_box`: a box
    counts if it holds the true point and covers at most 60% of the screen, and distances are in pixels, relative to
    the short side. `invalid_differs`: an answer that cannot be read has no type. `on_grid`: a point is two numbers of
    0..1000. `grouped`: RECENT counts as HOME, IMPOSSIBLE as COMPLETE, and the system keys are one type. `origin`: what
    is not two numbers is the point 0, 0. `partial`: SR counts an episode by the steps that were predicted.
    """

    box: bool = True
    whole_text: bool = False
    every_step: bool = False
    sound_box: bool = False
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
    "sound-box": {"sound_box": True},
    "invalid-type": {"invalid_differs": True},
    "on-grid": {"on_grid": True},
}
"""What `strict` changes in `official`, in this order."""


def switched(*names: str) -> ScoringRules:
    """The official rules with these switches on. Raises KeyError."""
    return replace(OFFICIAL, **dict(change for name in names for change in SWITCHES[name].items()))


_V1 = replace(OFFICIAL, box=False)
PROTOCOLS: Mapping[Name, ScoringRules] = {
    "official": OFFICIAL,
    "official-v1": _V1,
    "strict": switched(*SWITCHES),
    "agentcpm": ScoringRules(
        box=False, whole_text=True, invalid_differs=True, text="contained", grouped=True, partial=True
    ),
    "osatlas": ScoringRules(box=False, whole_text=True, invalid_differs=True, text="words", origin=True, partial=True),
    "com": _V1,
}
"""`agentcpm`: OpenBMB/AgentCPM-GUI, eval/utils/evaluator.py. `osatlas`: OS-Copilot/OS-Atlas, eval_scripts/odyssey.
`com`: Chain-of-Memory, section 5.1.3, which follows the paper.
"""
