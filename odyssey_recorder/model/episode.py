"""An episode: one task carried out once on one device, as the dataset keeps it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from types import MappingProxyType
from typing import Any

from odyssey_recorder.model.action import Action
from odyssey_recorder.model.geometry import Size

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
Extra = Mapping[str, Json]
"""What a file says beyond the model, by JSON key, kept so that it is written back as it came."""

NOTHING: Extra = MappingProxyType({})


def _nothing() -> Extra:
    return NOTHING  # as a plain default, dataclasses of Python 3.11 take it for a mutable one


class Category(Enum):
    """The six task categories of the paper, spelled as in the data."""

    GENERAL_TOOL = "General_Tool"
    INFORMATION_MANAGEMENT = "Information_Management"
    MEDIA_ENTERTAINMENT = "Media_Entertainment"
    MULTI_APPS = "Multi_Apps"
    SOCIAL_SHARING = "Social_Sharing"
    WEB_SHOPPING = "Web_Shopping"

    @property
    def fewest_apps(self) -> int:
        """How many different apps a task of this category has at least: ADR 12.

        All six are types of cross-app tasks, Multi-Apps needs three apps or more (Lu et al. 2024, section 3.2). A
        system-wide operation, which is what General Tool is about, may need no second one.
        """
        return {Category.GENERAL_TOOL: 1, Category.MULTI_APPS: 3}.get(self, 2)

    def lacks_apps(self, apps: Iterable[str]) -> str:
        """What is wrong with the number of apps of a task, as half a sentence; empty where there are enough."""
        there = len({app.casefold() for app in apps})
        if there >= self.fewest_apps:
            return ""
        return f"{self.value} asks for {self.fewest_apps} or more different apps, and there {_are(there)}"


def _are(count: int) -> str:
    return "is 1" if count == 1 else f"are {count or 'none'}"


@dataclass(frozen=True, slots=True)
class DeviceInfo:
    """The device as the dataset names it; `size` is that of the screenshots, in their orientation.

    `product`, `release_version` ("14") and `sdk_version` ("34") are what the device's properties say;
    None where a file does not tell.
    """

    device_name: str
    size: Size
    product: str | None = None
    release_version: str | None = None
    sdk_version: str | None = None
    extra: Extra = field(default_factory=_nothing)


@dataclass(frozen=True, slots=True)
class TaskInfo:
    """What the annotator was asked to do: template, filled template, and the words a person would use.

    `category` is free text here, because released files and other datasets need not keep to `Category`.
    """

    category: str
    apps: tuple[str, ...]
    meta_task: str
    task: str
    instruction: str
    extra: Extra = field(default_factory=_nothing)


@dataclass(frozen=True, slots=True)
class StepAnnotations:
    """What a file of the second release says of a step beside its action; the fields are named as its keys.

    The texts are a language model's, `sam2_bbox` is the box of the touched element: left, top, right, bottom on the
    grid, or nothing where the file has an empty list. A key that the file does not have is None. `malformed` are the
    values of another kind; they are written back as they came.
    """

    description: str | None = None
    intention: str | None = None
    context: str | None = None
    low_level_instruction: str | None = None
    sam2_bbox: tuple[int, ...] | None = None
    malformed: Extra = field(default_factory=_nothing)

    def has(self, key: str) -> bool:
        """Whether the file has this key, whatever its value is."""
        return key in self.malformed or getattr(self, key) is not None

    def without(self, *keys: str) -> "StepAnnotations":
        return self.taking(NO_ANNOTATIONS, *keys)

    def taking(self, other: "StepAnnotations", *keys: str) -> "StepAnnotations":
        """These with the values of `keys` that `other` has."""
        kept = {key: value for key, value in self.malformed.items() if key not in keys}
        taken = {key: value for key, value in other.malformed.items() if key in keys}
        values: dict[str, Any] = {key: getattr(other, key) for key in keys}
        return replace(self, **values, malformed=MappingProxyType(kept | taken))


NO_ANNOTATIONS = StepAnnotations()


@dataclass(frozen=True, slots=True)
class Step:
    """One action and the file name of the screenshot that was on the screen before it.

    `spelling` has the `info` and `ps` of the file that the step was read from, where they say more than the action; a
    step that gets another action drops them. `keys` is the order in which the file had the keys beside the action.
    """

    screenshot: str
    action: Action
    annotations: StepAnnotations = NO_ANNOTATIONS
    spelling: Extra = field(default_factory=_nothing)
    extra: Extra = field(default_factory=_nothing)
    keys: tuple[str, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Episode:
    """A whole episode; the steps are numbered by their place, from 0, and the last one is terminal."""

    episode_id: str
    device: DeviceInfo
    task: TaskInfo
    steps: tuple[Step, ...]
    extra: Extra = field(default_factory=_nothing)


def is_episode_id(text: str) -> bool:
    """Whether `text` is an episode's id: 16 decimal digits. All that is, is safe as a part of a path."""
    return len(text) == 16 and text.isascii() and text.isdecimal()


def screenshot_name(episode_id: str, step: int) -> str:
    """The file name of a step's screenshot: ``<episode_id>_<step>.png``."""
    return f"{episode_id}_{step}.png"
