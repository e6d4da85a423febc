"""Differences between an annotation and its provenance."""

from tests.checking.damaged.damage import action, at_step, damage
from tests.checking.damaged.damaged_episode import DamagedEpisode, ExpectedFinding


@at_step("ACT10", where=DamagedEpisode.is_touch)
def moved_click(episode: DamagedEpisode, step: int) -> None:
    """A CLICK was moved by a thousandth of the screen."""
    x, y = episode.steps[step]["info"][0]
    episode.move_press_in_annotation(step, x + 1 if x < 1000 else x - 1, y)


@at_step("ACT12")
def lost_connection(episode: DamagedEpisode, step: int) -> None:
    """The connection was lost while an action was sent."""
    episode.records[step]["flags"] = [{"code": "connection_broke"}]


@at_step("ACT10 ACT04", "forecast", where=action("LONG_PRESS"))
def long_press_as_click(episode: DamagedEpisode, step: int) -> None:
    """A LONG_PRESS was changed to a CLICK."""
    episode.steps[step]["action"] = "CLICK"


@damage("", "tiles")
def exchanged_actions(episode: DamagedEpisode) -> tuple[ExpectedFinding, ...]:
    """Two actions were exchanged."""
    keys = ("action", "info", "ps")
    one, other = ({key: episode.steps[step][key] for key in keys} for step in (1, 3))
    episode.steps[1].update(other)
    episode.steps[3].update(one)
    for step in (1, 3):
        episode.records[step]["bbox"] = episode.records[step]["bbox_source"] = None
    return ExpectedFinding("ACT10", 1), ExpectedFinding("ACT10", 3)


@damage("ACT10")
def step_left_out(episode: DamagedEpisode) -> None:
    """A step was removed from the annotation with its files, but not from the provenance."""
    provenance = episode.provenance
    episode.arrange_steps(step for step in range(len(episode.steps)) if step != 1)
    episode.provenance = provenance | {"steps": [*episode.records, episode.records[-1]]}


@damage("ACT10", "candle", "library")
def unreadable_provenance(episode: DamagedEpisode) -> None:
    """The provenance cannot be read."""
    del episode.provenance["steps"][0]["frame"]["number"]


@damage("", "candle")
def moved_step(episode: DamagedEpisode) -> ExpectedFinding:
    """A step was moved to the front with all its files, so that the times are out of order."""
    episode.arrange_steps((0, 3, *(step for step in range(1, len(episode.steps)) if step != 3)))
    return ExpectedFinding("ACT10", 2)
