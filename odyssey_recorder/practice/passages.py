"""What an episode came by, step by step: the app, what could be read on its screen, and what was done there."""

from collections.abc import Callable
from dataclasses import dataclass

from odyssey_recorder.dataset.provenance import EpisodeProvenance, StepRecord
from odyssey_recorder.device.view_hierarchy import ViewNode, parse
from odyssey_recorder.errors import DeviceError
from odyssey_recorder.model.action import Action
from odyssey_recorder.model.episode import Episode

Trees = Callable[[int], str | None]
"""The view tree of a step as XML; None where there is none."""


@dataclass(frozen=True, slots=True)
class Passed:
    """One step; `texts` are those of the app's views, None where nobody could read them.

    `is_idle` says that the next step began on the very same picture: this one changed nothing.
    """

    action: Action
    package: str
    activity: str
    texts: tuple[str, ...] | None
    is_idle: bool = False


Trail = tuple[Passed, ...]


def trail_of(episode: Episode, provenance: EpisodeProvenance, trees: Trees) -> Trail:
    """The trail of an episode; a view tree that cannot be read is as one that is not there."""
    records = provenance.steps
    pictures = [record.frame.rgb_sha256 for record in records]
    return tuple(
        _passage(step.action, record, trees(number), is_idle=pictures[number : number + 2].count(pictures[number]) == 2)
        for number, (step, record) in enumerate(zip(episode.steps, records, strict=True))
    )


def _passage(action: Action, record: StepRecord, tree: str | None, *, is_idle: bool) -> Passed:
    nodes = _nodes(tree)
    screen = record.screen
    package = screen.package if screen else _largest_package(nodes or ())
    texts = None if nodes is None else tuple(dict.fromkeys(_texts(nodes, package)))
    return Passed(action, package, screen.activity if screen else "", texts, is_idle)


def _nodes(tree: str | None) -> tuple[ViewNode, ...] | None:
    try:
        return None if tree is None else parse(tree)
    except DeviceError:
        return None


def _texts(nodes: tuple[ViewNode, ...], package: str) -> list[str]:
    """What stands in the app's own views and not in the bars or the keyboard, once each."""
    own = (node for node in nodes if node.package == package)
    return [words for node in own for words in (node.text, node.description) if words]


def _largest_package(nodes: tuple[ViewNode, ...]) -> str:
    return max(nodes, key=lambda node: node.box.area).package if nodes else ""
