"""An episode: one task carried out once on one device, as stored in the dataset."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from types import MappingProxyType
from typing import Any, Literal

from odyssey_recorder.model.action import Action
from odyssey_recorder.model.geometry import Size

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
Mode = Literal["mirror", "passive"]
"""Where the finger is: in the recorder's window, or in the emulator's own."""
Actor = Literal["annotator", "script", "agent"]
"""Who recorded an episode; single steps of an agent's episode may be by a person."""

Extra = Mapping[str, Json]
"""Contents of a file beyond the model, by JSON key, written back unchanged."""

NOTHING: Extra = MappingProxyType({})


def _nothing() -> Extra:
    return NOTHING  # as a plain default, Python 3.11's dataclasses take it for mutable


class Category(Enum):
    """The paper's task categories, spelled as in the data."""

    GENERAL_TOOL = "General_Tool"
    INFORMATION_MANAGEMENT = "Information_Management"
    MEDIA_ENTERTAINMENT = "Media_Entertainment"
    MULTI_APPS = "Multi_Apps"
    SOCIAL_SHARING = "Social_Sharing"
    WEB_SHOPPING = "Web_Shopping"

    @property
    def fewest_apps(self) -> int:
        """The minimum number of different apps in a task of this category: ADR 12.

        All six are types of cross-app tasks; Multi-Apps needs three apps or more (Lu et al. 2024, section 3.2). A
        system-wide operation, the subject of General Tool, may need no second app.
        """
        return {Category.GENERAL_TOOL: 1, Category.MULTI_APPS: 3}.get(self, 2)

    def lacks_apps(self, apps: Iterable[str]) -> str:
        """Half a sentence; empty if there are enough."""
        count = len({app.casefold() for app in apps})
        if count >= self.fewest_apps:
            return ""
        found = "is 1" if count == 1 else f"are {count or 'none'}"
        return f"{self.value} asks for {self.fewest_apps} or more different apps, and there {found}"


@dataclass(frozen=True, slots=True)
class DeviceInfo:
    """`size` is that of the screenshots, in their orientation; None is what a file does not have."""

    device_name: str
    size: Size
    product: str | None = None
    release_version: str | None = None
    sdk_version: str | None = None
    extra: Extra = field(default_factory=_nothing)


@dataclass(frozen=True, slots=True)
class TaskInfo:
    """`category` is free text, because released files and other datasets need not use `Category`."""

    category: str
    apps: tuple[str, ...]
    meta_task: str
    task: str
    instruction: str
    extra: Extra = field(default_factory=_nothing)


@dataclass(frozen=True, slots=True)
class StepAnnotations:
    """What a file of the second release says about a step besides its action; fields are named like its keys.

    The texts were written by a language model. `sam2_bbox` is the box of the touched element: left, top, right,
    bottom on the grid; empty if the file has an empty list. A missing key is None. `malformed` values have another
    type and are written back unchanged.
    """

    description: str | None = None
    intention: str | None = None
    context: str | None = None
    low_level_instruction: str | None = None
    sam2_bbox: tuple[int, ...] | None = None
    malformed: Extra = field(default_factory=_nothing)

    def has(self, key: str) -> bool:
        return key in self.malformed or getattr(self, key) is not None

    def without(self, *keys: str) -> "StepAnnotations":
        return self.taking(NO_ANNOTATIONS, *keys)

    def taking(self, other: "StepAnnotations", *keys: str) -> "StepAnnotations":
        kept = {key: value for key, value in self.malformed.items() if key not in keys}
        taken = {key: value for key, value in other.malformed.items() if key in keys}
        values: dict[str, Any] = {key: getattr(other, key) for key in keys}
        return replace(self, **values, malformed=MappingProxyType(kept | taken))


NO_ANNOTATIONS = StepAnnotations()


@dataclass(frozen=True, slots=True)
class Step:
    """One action and the file name of the screenshot taken before it.

    `spelling` holds the file's `info` and `ps` if they say more than the action; replacing the action drops them.
    `keys` is the file's order of the keys besides the action.
    """

    screenshot: str
    action: Action
    annotations: StepAnnotations = NO_ANNOTATIONS
    spelling: Extra = field(default_factory=_nothing)
    extra: Extra = field(default_factory=_nothing)
    keys: tuple[str, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Episode:
    episode_id: str
    device: DeviceInfo
    task: TaskInfo
    steps: tuple[Step, ...]
    extra: Extra = field(default_factory=_nothing)


def is_episode_id(text: str) -> bool:
    """Whether `text` has 16 decimal digits, so that it is safe as part of a path."""
    return len(text) == 16 and text.isascii() and text.isdecimal()


def screenshot_name(episode_id: str, step: int) -> str:
    return f"{episode_id}_{step}.png"
