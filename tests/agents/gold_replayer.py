"""Gold actions as far as adapters can express them, and a model that replays them."""

import numpy as np
from PIL import Image

from odyssey_recorder.agents.adapter import adapter_named, all_adapters
from odyssey_recorder.agents.frames import finger_direction
from odyssey_recorder.model.action import Action, Click, Complete, Impossible, LongPress, Scroll
from odyssey_recorder.model.geometry import Size
from tests.annotation.vision_model import images_of
from tests.llm.stand_in import ReceivedRequest, Reply

LACKING = {
    "autoglm-phone": {"RECENT", "IMPOSSIBLE"},
    "gelab-zero": {"RECENT"},
    "scalecua": {"RECENT"},
    "ui-venus-1.5": {"IMPOSSIBLE"},
    "agentcpm-gui": {"RECENT"},
    "android-world": {"RECENT"},
    "cogagent": {"LONG_PRESS", "HOME", "BACK", "RECENT", "IMPOSSIBLE"},
}
"""What a grammar has no words for."""
OF_PAPER = ("zero-shot-v1", "zero-shot", "set-of-marks", "cogagent-v1")
NO_NOTES = {"odyssey-agent", "os-atlas", "agentcpm-gui", "cogagent", "qwen2.5-vl", *OF_PAPER}
NO_REASONS = {*all_adapters()} - {
    "ours", "claude", "openai-computer", "gemini-mobile", "claude-computer-tool", "openai-computer-tool", "gelab-zero",
    "scalecua",
}  # fmt: skip


def expressible(action: Action, name: str) -> Action:
    """The action without what the grammar cannot express."""
    if isinstance(action, Complete) and name in NO_NOTES:
        return Complete()
    if isinstance(action, Impossible) and name in NO_REASONS:
        return Impossible("")
    return action


def is_same_action(one: Action, other: Action | None) -> bool:
    match one, other:
        case (Click(a), Click(b)) | (LongPress(a), LongPress(b)):
            return abs(a.x - b.x) <= 1 and abs(a.y - b.y) <= 1
        case Scroll(), Scroll():
            return finger_direction(one) == finger_direction(other)
        case _:
            return one == other


class GoldReplayer:
    """Knows the step by the colour of its screen, and answers its gold action in an adapter's grammar.

    Steps are numbered over all episodes; `colours` are of their screens, `true_size` is their size.
    """

    def __init__(self, name: str, golds: list[Action], true_size: Size) -> None:
        self._adapter = adapter_named(name)
        self._golds = golds
        self._true_size = true_size
        self._colours = np.array([colour(number) for number in range(len(golds))])

    def __call__(self, request: ReceivedRequest) -> Reply:
        return Reply(self.says(images_of(request)[-1]))

    def says(self, image: Image.Image) -> str:
        seen = np.asarray(image)[image.height // 2, image.width // 2].astype(int)
        number = int(np.abs(self._colours - seen).sum(axis=1).argmin())
        frame = self._adapter.frame(Size(*image.size), self._true_size)
        return self._adapter.write(self._golds[number], frame) or "I cannot say this."


def colour(number: int) -> tuple[int, int, int]:
    return number % 4 * 60 + 20, number // 4 % 4 * 60 + 20, number // 16 * 60 + 20
