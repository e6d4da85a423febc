"""How a person does on a screen what models have tools for: open an app, press Enter. Both click on what is seen."""

from collections.abc import Mapping

from odyssey_recorder.checking.one_episode.apps import is_launcher
from odyssey_recorder.device.view_hierarchy import ViewNode, labels_of
from odyssey_recorder.model.geometry import Box, Pixel, Point, Size, to_grid

_BAR = ("back", "home", "home_button", "recent_apps")
_ENTER = {"enter", "return", "search", "go", "done", "send", "next"}
"""What keyboards call the key; what it does depends on the field."""


def icons_in(nodes: tuple[ViewNode, ...]) -> Mapping[str, Box]:
    """The icons of a launcher's screen by their names; empty for other screens."""
    return {
        labels[0]: node.box
        for at, node in enumerate(nodes)
        if node.clickable and not node.is_field and is_launcher(node.package)
        if node.resource_id.rpartition("/")[2] not in _BAR and (labels := labels_of(nodes, at))
    }


def icon_of(app: str, nodes: tuple[ViewNode, ...], size: Size) -> Point | None:
    """The place of the icon with this name in any case, or of the only one with a part of it."""
    icons = {name.casefold(): box for name, box in icons_in(nodes).items()}
    wanted = app.strip().casefold()
    similar = [box for name, box in icons.items() if wanted and (wanted in name or name in wanted)]
    found = icons.get(wanted, similar[0] if len(similar) == 1 else None)
    return None if found is None else _middle(found, size)


def enter_key(nodes: tuple[ViewNode, ...], size: Size) -> Point | None:
    """Of the keyboard on the screen; None if there is none, or its keys cannot be read."""
    for at, node in enumerate(nodes):
        labels = labels_of(nodes, at) if ".inputmethod" in node.package and node.takes_touches else ()
        if any(label.casefold() in _ENTER for label in labels):
            return _middle(node.box, size)
    return None


def _middle(box: Box, size: Size) -> Point:
    return to_grid(Pixel((box.left + box.right) // 2, (box.top + box.bottom) // 2), size)
