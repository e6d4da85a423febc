"""The accessibility nodes of the screen, which `uiautomator dump` writes."""

from collections.abc import Iterator
from dataclasses import dataclass

from odyssey_simulator.ui.geometry import Rect


@dataclass(frozen=True, slots=True)
class Node:
    """`bounds` are pixels of the frame as displayed, clipped to the visible part."""

    class_name: str
    package: str
    bounds: Rect
    text: str = ""
    hint: str = ""
    content_desc: str = ""
    resource_id: str = ""
    clickable: bool = False
    long_clickable: bool = False
    scrollable: bool = False
    checkable: bool = False
    checked: bool = False
    focusable: bool = False
    focused: bool = False
    enabled: bool = True
    selected: bool = False
    password: bool = False
    children: tuple["Node", ...] = ()

    def walk(self) -> Iterator["Node"]:
        yield self
        for child in self.children:
            yield from child.walk()
