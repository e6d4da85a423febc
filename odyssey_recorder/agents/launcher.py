"""The home screen: which apps a person sees there."""

import re
from collections.abc import Mapping, Sequence

from odyssey_recorder.device.view_hierarchy import ViewNode, labels_of
from odyssey_recorder.model.geometry import Box

_LAUNCHER = re.compile(r"launcher|\.home$")
_BAR = re.compile(r":id/(?:back|home|home_button|recent_apps)$")


def is_launcher(package: str) -> bool:
    return _LAUNCHER.search(package) is not None


def icons_in(nodes: Sequence[ViewNode]) -> Mapping[str, Box]:
    """The icons of a launcher's screen by their names; empty for other screens."""
    nodes = tuple(nodes)
    return {
        labels[0]: node.box
        for at, node in enumerate(nodes)
        if node.clickable and not node.is_field and is_launcher(node.package) and not _BAR.search(node.resource_id)
        if (labels := labels_of(nodes, at))
    }
