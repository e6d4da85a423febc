"""The published figures of GUI-Odyssey, and those of another dataset, to compare with.

Sources: Lu et al. 2024 (v1: 7,735 episodes; v2: 8,334), the README of the official repository, and counts over the
published files. What is not published is absent, such as how many of AITW's episodes have which length.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from odyssey_recorder.figures.figure import Bars, Cell, Figure, TextTable


@dataclass(frozen=True, slots=True)
class PublishedFigures:
    """`shares` (0..1) by figure and label, `means` by figure, `headline` by row of the first figure.

    `elsewhere` are other datasets, as the paper's table 1 has them.
    """

    name: str
    headline: Mapping[str, Cell] = field(default_factory=dict)
    shares: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    means: Mapping[str, float] = field(default_factory=dict)
    elsewhere: TextTable | None = None

    def share(self, figure: str, label: str) -> float | None:
        return self.shares.get(figure, {}).get(label)


def _shares(counts: Mapping[str, float], total: float | None = None) -> Mapping[str, float]:
    whole = total or sum(counts.values())
    return {label: count / whole for label, count in counts.items()}


_V1_CATEGORIES = {
    "General_Tool": 1821, "Multi_Apps": 1616, "Information_Management": 1423, "Social_Sharing": 1316,
    "Media_Entertainment": 1080, "Web_Shopping": 479,
}  # fmt: skip
_V2_CATEGORIES = {
    "General_Tool": 22, "Multi_Apps": 21, "Information_Management": 17, "Social_Sharing": 16,
    "Media_Entertainment": 13, "Web_Shopping": 11,
}  # fmt: skip
_V2_ACTIONS = {"CLICK, HOME, BACK, RECENT": 18764, "TYPE": 2666, "SCROLL": 2622, "COMPLETE": 1572, "IMPOSSIBLE": 94,
               "LONG_PRESS": 89}  # fmt: skip
"""Of the steps of v2's random test part."""
_V1_ELSEWHERE = TextTable(
    "Other datasets, by table 1 of v1",
    ("dataset", "episodes", "instructions", "steps per episode", "device", "apps", "actions"),
    (
        ("PixelHelp", 187, 187, "~ 4", "Phone", 4, 4),
        ("MoTIF", 4707, 270, 4.5, None, 125, 6),
        ("UGIF", 523, 480, 6.3, "Phone", 12, 8),
        ("Meta-GUI", 4684, 1125, 5.3, "Phone", 11, 7),
        ("AITW", 715142, 30378, 6.5, "Phone", 159, 7),
        ("Mind2Web", 2350, 2350, 7.3, "Web", 137, 5),
        ("AITZ", 2504, 2504, 7.5, "Phone", "70+", 7),
    ),
)
_V2_ELSEWHERE = TextTable(
    "Other datasets, by table 1 of v2",
    ("dataset", "steps per episode"),
    (
        ("PixelHelp", 4.2), ("MoTIF", 4.5), ("UGIF", 5.3), ("Meta-GUI", 5.3), ("AndroidControl", 5.5), ("AITW", 6.5),
        ("AITZ", 7.5), ("AMEX", 12.8),
    ),
)  # fmt: skip

V1 = PublishedFigures(
    "v1",
    {
        "Episodes": 7735, "Steps": 118791, "Steps per episode": 15.4, "Instructions": 7735, "Apps": 201,
        "App combinations": 1399, "App classes": 25, "Devices": 6,
    },
    {"categories": _shares(_V1_CATEGORIES), "devices": {"Pixel Fold": 1262 / 7735}},
    {"lengths": 15.4},
    _V1_ELSEWHERE,
)  # fmt: skip
V2 = PublishedFigures(
    "v2",
    {
        "Episodes": 8334, "Steps": 127893, "Steps per episode": 15.3, "Apps": 212, "App combinations": 1357,
        "Templates": 91, "App classes": 25, "Impossible": 472,
    },
    {
        "categories": _shares(_V2_CATEGORIES, 100),
        "devices": {"Pixel Tablet": 1381 / 8334},
        "actions": _shares(_V2_ACTIONS),
    },
    {"lengths": 15.346},
    _V2_ELSEWHERE,
)  # fmt: skip
PUBLISHED = {figures.name: figures for figures in (V2, V1)}


def published_of(name: str, figures: Sequence[Figure], mean_steps: float) -> PublishedFigures:
    """The figures of another dataset, to compare with."""
    shares: dict[str, Mapping[str, float]] = {}
    headline: dict[str, Cell] = {}
    for figure in figures:
        for panel in figure.panels:
            if isinstance(panel, Bars) and panel.total:
                shares.setdefault(figure.key, _shares({mark.label: mark.value for mark in panel.marks}, panel.total))
            if isinstance(panel, TextTable) and not headline:
                headline = {str(row[0]): row[1] for row in panel.rows}
    return PublishedFigures(name, headline, shares, {"lengths": mean_steps})
