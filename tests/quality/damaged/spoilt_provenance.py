"""Differences between an annotation and its provenance."""

from tests.quality.damaged.damage import action, at_step, damage
from tests.quality.damaged.wreck import Planted, Wreck


@at_step("ACT10", where=Wreck.is_touch)
def nudged_click(wreck: Wreck, step: int) -> None:
    """A CLICK was moved by a thousandth of the screen."""
    x, y = wreck.steps[step]["info"][0]
    wreck.put_press(step, x + 1 if x < 1000 else x - 1, y)


@at_step("ACT10 ACT04", "forecast", where=action("LONG_PRESS"))
def called_a_click(wreck: Wreck, step: int) -> None:
    """A LONG_PRESS is called a CLICK."""
    wreck.steps[step]["action"] = "CLICK"


@damage("tiles")
def changed_places(wreck: Wreck) -> tuple[Planted, ...]:
    """Two actions have changed places."""
    keys = ("action", "info", "ps")
    one, other = ({key: wreck.steps[step][key] for key in keys} for step in (1, 3))
    wreck.steps[1].update(other)
    wreck.steps[3].update(one)
    for step in (1, 3):
        wreck.records[step]["bbox"] = wreck.records[step]["bbox_source"] = None
    return Planted("ACT10", 1), Planted("ACT10", 3)


@damage()
def step_left_out(wreck: Wreck) -> Planted:
    """A step was taken out of the annotation, with its files, and not out of the proof."""
    provenance = wreck.provenance
    wreck.renumber(step for step in range(len(wreck.steps)) if step != 1)
    wreck.provenance = provenance | {"steps": [*wreck.records, wreck.records[-1]]}
    return Planted("ACT10")


@damage("candle", "library")
def torn_provenance(wreck: Wreck) -> Planted:
    """The proof cannot be read."""
    del wreck.provenance["steps"][0]["frame"]["number"]
    return Planted("ACT10")


@damage("candle")
def moved_with_its_provenance(wreck: Wreck) -> Planted:
    """A step was moved to the front with its proof, picture and view tree: its time is none of that place."""
    wreck.renumber((0, 3, *(step for step in range(1, len(wreck.steps)) if step != 3)))
    return Planted("ACT10", 2)
