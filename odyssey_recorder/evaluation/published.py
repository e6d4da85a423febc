"""Published results of models, to compare with new results of the same protocol, split and level.

Sources: Lu et al. 2024, version 1 (tables 2 and 3) and version 2 (tables 6 and 8); Chain-of-Memory, table 2; the README
of OpenBMB/AgentCPM-GUI, whose rows are exact matches.
"""

from typing import NamedTuple

from odyssey_recorder.evaluation.protocols import Name


class PublishedScore(NamedTuple):
    """`ams` and `sr` are means over the categories for the random split of `official` and `official-v1`."""

    model: str
    source: str
    ams: float
    sr: float | None = None


_SPLITS = ("random", "task", "device", "app")
_ON_ALL_SPLITS: dict[tuple[Name, str], dict[str, tuple[tuple[float, float | None], ...]]] = {
    ("official-v1", "Lu et al. 2024, v1"): {
        "Qwen-VL, fine-tuned": ((72.81, 5.93), (52.33, 0.0), (65.71, 3.25), (61.72, 7.73)),
        "OdysseyAgent": ((74.25, 8.83), (55.76, 0.3), (68.23, 4.13), (62.64, 7.65)),
        "GPT-4V, 500 steps": ((18.76, None), (12.0, None), (16.4, None), (13.8, None)),
        "Gemini Pro Vision, 500 steps": ((3.27, None), (4.6, None), (5.2, None), (5.4, None)),
    },
    ("official", "Lu et al. 2024, v2"): {
        "OdysseyAgent": ((75.79, 9.38), (54.36, 0.09), (61.2, 1.88), (63.03, 7.7)),
        "OdysseyAgent with annotations": ((78.24, 11.62), (56.19, 0.26), (66.63, 5.07), (65.89, 8.81)),
    },
}
_ON_RANDOM: dict[tuple[Name, str, str], dict[str, tuple[float, float] | float]] = {
    ("official-v1", "high", "Lu et al. 2024, v1"): {
        "GPT-4o, 500 steps": 20.39, "InternVL-1.5": 3.14, "CogAgent": 11.84,
    },
    ("official", "low", "Lu et al. 2024, v2"): {
        "OdysseyAgent, trained on high": 71.26, "OdysseyAgent, trained on low": 86.88,
        "OdysseyAgent, trained on both": 88.84,
    },
    ("com", "high", "Chain-of-Memory"): {
        "Qwen2-VL-7B, zero-shot": (14.6, 0.0), "Qwen2-VL-72B, zero-shot": (33.44, 0.36),
        "Qwen2-VL-72B, zero-shot, CoM": (40.18, 0.67), "OdysseyAgent": (79.99, 14.43), "Qwen2-VL-7B": (82.84, 19.14),
        "Qwen2-VL-7B, CoM": (84.25, 21.0),
    },
    ("agentcpm", "high", "AgentCPM-GUI"): {
        "AgentCPM-GUI-8B": 74.96, "Qwen2.5-VL-7B": 40.9, "UI-TARS-7B": 57.33, "OS-Genesis-7B": 3.63,
        "Aguvis-7B": 13.54, "OdysseyAgent-7B": 73.67,
    },
}  # fmt: skip


def published(protocol: Name, split: str, level: str) -> list[PublishedScore]:
    on_all = [
        PublishedScore(model, source, *results[_SPLITS.index(split)])
        for (of, source), models in _ON_ALL_SPLITS.items() if (of, "high") == (protocol, level) and split
        for model, results in models.items()
    ]  # fmt: skip
    on_random = [
        PublishedScore(model, source, *(result if isinstance(result, tuple) else (result,)))
        for (*of, source), models in _ON_RANDOM.items() if [*of, "random"] == [protocol, level, split]
        for model, result in models.items()
    ]  # fmt: skip
    return on_all + on_random
