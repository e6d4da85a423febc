"""Damages to actions: invalid words and positions, endings, wrong kinds, boxes."""

from tests.quality.damaged.damage import Damage, among
from tests.quality.damaged.spoilt_words import give_words
from tests.quality.damaged.wreck import Planted, Wreck

DAMAGES: list[Damage] = []
damage = among(DAMAGES)

_TYPED = ("candle", "tiles", "zeppelins", "balloons", "frost", "headphones")
_BACK = ("candle", "tiles", "frost", "cottage")


@damage()
def unknown_action(wreck: Wreck) -> Planted:
    """An action is none of the format's."""
    step = wreck.any_step(where=wreck.is_touch)
    wreck.steps[step]["action"] = wreck.rng.choice(("TAP", "SWIPE", "click"))
    return Planted("ACT01", step)


@damage()
def beside_the_grid(wreck: Wreck) -> Planted:
    """A place is outside 0..1000."""
    step = wreck.any_step(where=wreck.is_touch)
    wreck.put_action(step, "CLICK", [[1440, 620], [1440, 620]], "[(1440, 620)]")
    return Planted("ACT02", step)


@damage()
def endless(wreck: Wreck) -> Planted:
    """The terminal step is missing."""
    wreck.renumber(range(len(wreck.steps) - 1))
    return Planted("ACT03")


@damage("book club", "tiles", "balloons")
def ended_twice(wreck: Wreck) -> Planted:
    """A step before the last one is COMPLETE."""
    step = wreck.any_step(where=lambda step: wreck.is_key(step, "HOME"))
    wreck.put_action(step, "COMPLETE")
    wreck.records[step]["input"] = None
    return Planted("ACT03", step)


@damage("library", "forecast")
def hardly_scrolled(wreck: Wreck) -> Planted:
    """A SCROLL of 2 % of the screen."""
    step = wreck.any_step(where=lambda step: wreck.is_action(step, "SCROLL"))
    wreck.put_scroll(step, (500, 500), (500, 520))
    return Planted("ACT04", step)


@damage()
def held_long(wreck: Wreck) -> tuple[Planted, ...]:
    """A CLICK for which the finger stayed for 900 ms."""
    step = wreck.any_step(where=wreck.is_touch)
    wreck.records[step]["input"]["duration_us"] = 900_000
    return Planted("ACT04", step), Planted("ACT10", step)


@damage(*_TYPED)
def another_text(wreck: Wreck) -> Planted:
    """A text that the field does not show afterwards."""
    step = _typing(wreck)
    wreck.put_text(step, "what nobody typed")
    return Planted("ACT05", step)


@damage(*_TYPED)
def no_field(wreck: Wreck) -> Planted:
    """A TYPE on a screen without a field that has the focus."""
    step = _typing(wreck)
    tree = wreck.tree(step)
    tree.write_text(tree.read_text(encoding="utf-8").replace('focused="true"', 'focused="false"'), encoding="utf-8")
    wreck.records[step]["screen"]["keyboard_shown"] = False
    return Planted("ACT05", step)


@damage("tiles", "candle")
def colon(wreck: Wreck) -> Planted:
    """A text with a colon, which the official evaluator cuts off there."""
    step = _typing(wreck)
    text = str(wreck.steps[step]["info"])
    spelled = f"at 9:30 {text}"
    wreck.put_text(step, spelled)
    wreck.retype(step, text, spelled)
    return Planted("ACT05", step)


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


@damage("candle", "library", "zeppelins", "balloons")
def missed(wreck: Wreck) -> tuple[Planted, ...]:
    """A CLICK beside everything that can be clicked, which does nothing."""
    step = wreck.any_step(where=wreck.is_touch)
    wreck.put_place(step, 500, 15)
    wreck.records[step]["bbox"] = wreck.records[step]["bbox_source"] = None
    wreck.put_same_picture(step + 1, step)
    return Planted("ACT07", step), Planted("IMG07", step)


@damage(*_BACK)
def not_home(wreck: Wreck) -> Planted:
    """HOME, after which the same app is in front."""
    step = wreck.any_step(where=lambda step: wreck.is_key(step, "BACK"))
    wreck.put_action(step, "CLICK", "KEY_HOME")
    wreck.records[step]["input"]["key"] = "HOME"
    return Planted("ACT08", step)


@damage(*_BACK)
def back_without_effect(wreck: Wreck) -> tuple[Planted, ...]:
    """BACK, after which the screen is the same."""
    step = wreck.any_step(where=lambda step: wreck.is_key(step, "BACK"))
    wreck.put_same_picture(step + 1, step)
    return Planted("ACT08", step), Planted("IMG07", step)


@damage()
def box_elsewhere(wreck: Wreck) -> Planted:
    """A box that does not hold the CLICK."""
    step = wreck.any_step(where=wreck.is_touch)
    x, y, _ = wreck.records[step]["input"]["samples"][0]
    aside = 200 if x < 400 else -200
    wreck.records[step]["bbox"] = [x + aside - 40, y - 40, x + aside + 40, y + 40]
    return Planted("ACT09", step)


@damage()
def whole_screen(wreck: Wreck) -> Planted:
    """A box of nearly the whole screen."""
    step = wreck.any_step(where=wreck.is_touch)
    frame = wreck.records[step]["frame"]
    wreck.records[step]["bbox"] = [0, 0, frame["width"], frame["height"] - 100]
    return Planted("ACT09", step)


@damage()
def empty_box(wreck: Wreck) -> Planted:
    """An empty sam2_bbox on a CLICK, with which the official evaluator counts every prediction wrong."""
    give_words(wreck)
    step = wreck.any_step(where=wreck.is_touch)
    wreck.steps[step]["sam2_bbox"] = []
    return Planted("ACT09", step)


def _typing(wreck: Wreck) -> int:
    return wreck.any_step(where=lambda step: wreck.is_action(step, "TYPE"))
