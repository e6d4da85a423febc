"""Damages to actions: invalid words and positions, endings, wrong kinds, boxes."""

from tests.quality.damaged.damage import action, at_step, damage, key
from tests.quality.damaged.spoilt_words import give_words
from tests.quality.damaged.wreck import Planted, Wreck

_TYPED = ("candle", "tiles", "zeppelins", "balloons", "frost", "headphones")
_BACK = ("candle", "tiles", "frost", "cottage")


@at_step("ACT01", where=Wreck.is_touch)
def unknown_action(wreck: Wreck, step: int) -> None:
    """An action is none of the format's."""
    wreck.steps[step]["action"] = wreck.rng.choice(("TAP", "SWIPE", "click"))


@at_step("ACT02", where=Wreck.is_touch)
def beside_the_grid(wreck: Wreck, step: int) -> None:
    """A place is outside 0..1000."""
    wreck.put_action(step, "CLICK", [[1440, 620], [1440, 620]], "[(1440, 620)]")


@damage("candle", "dark", "library", "balloons")
def endless(wreck: Wreck) -> Planted:
    """The terminal step is missing."""
    wreck.renumber(range(len(wreck.steps) - 1))
    return Planted("ACT03")


@at_step("ACT03", "book club", "tiles", "balloons", where=key("HOME"))
def ended_twice(wreck: Wreck, step: int) -> None:
    """A step before the last one is COMPLETE."""
    wreck.put_action(step, "COMPLETE")
    wreck.records[step]["input"] = None


@at_step("ACT04", "library", "forecast", where=action("SCROLL"))
def hardly_scrolled(wreck: Wreck, step: int) -> None:
    """A SCROLL of 2% of the screen."""
    wreck.put_scroll(step, (500, 500), (500, 520))


@at_step("ACT04 ACT10", where=Wreck.is_touch)
def held_long(wreck: Wreck, step: int) -> None:
    """A CLICK for which the finger stayed for 900 ms."""
    wreck.records[step]["input"]["duration_us"] = 900_000


@at_step("ACT05", *_TYPED, where=action("TYPE"))
def another_text(wreck: Wreck, step: int) -> None:
    """A text that the field does not show afterwards."""
    wreck.put_text(step, "what nobody typed")


@at_step("ACT05", *_TYPED, where=action("TYPE"))
def no_field(wreck: Wreck, step: int) -> None:
    """A TYPE on a screen without a field that has the focus."""
    tree = wreck.tree(step)
    tree.write_text(tree.read_text(encoding="utf-8").replace('focused="true"', 'focused="false"'), encoding="utf-8")
    wreck.records[step]["screen"]["keyboard_shown"] = False


@damage()
def again_and_again(wreck: Wreck) -> tuple[Planted, ...]:
    """The same CLICK at the same place three times, though each time the same screen is there."""
    step = wreck.any_step(where=wreck.is_touch)
    steps = range(len(wreck.steps))
    wreck.renumber([*steps[: step + 1], step, step, *steps[step + 1 :]])
    return Planted("IMG07", step), Planted("IMG07", step + 1), Planted("ACT06", step + 2)


@damage("cottage", "candle", "library")
def to_and_fro(wreck: Wreck) -> tuple[Planted, ...]:
    """From one screen to another and back, and again."""
    steps = range(len(wreck.steps))
    home = wreck.any_step(where=lambda step: wreck.is_key(step, "HOME"))
    # From the launcher into an app and back to the launcher, twice.
    wreck.renumber([*steps[: home + 1], 0, home, 0, home, *steps[home + 1 :]])
    return Planted("ACT06", home + 4), Planted("ACT10", home + 1), Planted("ACT10", home + 3)


@at_step("ACT07 IMG07", "candle", "library", "zeppelins", "balloons", where=Wreck.is_touch)
def missed(wreck: Wreck, step: int) -> None:
    """A CLICK beside everything that can be clicked, which does nothing."""
    wreck.put_place(step, 500, 15)
    wreck.records[step]["bbox"] = wreck.records[step]["bbox_source"] = None
    wreck.put_same_screenshot(step + 1, step)


@at_step("ACT08", *_BACK, where=key("BACK"))
def not_home(wreck: Wreck, step: int) -> None:
    """HOME, after which the same app is in front."""
    wreck.put_action(step, "CLICK", "KEY_HOME")
    wreck.records[step]["input"]["key"] = "HOME"


@at_step("ACT08 IMG07", *_BACK, where=key("BACK"))
def back_without_effect(wreck: Wreck, step: int) -> None:
    """BACK, after which the screen is the same."""
    wreck.put_same_screenshot(step + 1, step)


@at_step("ACT09", where=Wreck.is_touch)
def box_elsewhere(wreck: Wreck, step: int) -> None:
    """A box that does not hold the CLICK."""
    x, y, _ = wreck.records[step]["input"]["samples"][0]
    aside = 200 if x < 400 else -200
    wreck.records[step]["bbox"] = [x + aside - 40, y - 40, x + aside + 40, y + 40]


@at_step("ACT09", where=Wreck.is_touch)
def empty_box(wreck: Wreck, step: int) -> None:
    """An empty sam2_bbox on a CLICK, with which the official evaluator counts every prediction wrong."""
    give_words(wreck)
    wreck.steps[step]["sam2_bbox"] = []
