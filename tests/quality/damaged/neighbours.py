"""Harmless cases close to a defect: they must have no findings."""

from PIL import ImageChops

from tests.quality.damaged.damage import action, at_step, damage
from tests.quality.damaged.spoilt_words import give_words
from tests.quality.damaged.wreck import Wreck


@at_step("", "library", "forecast", where=action("SCROLL"))
def little_scroll(wreck: Wreck, step: int) -> None:
    """A SCROLL of 5% of the screen."""
    wreck.put_scroll(step, (500, 500), (500, 550))


@damage("tiles")
def a_star(wreck: Wreck) -> None:
    """A CLICK that changed nothing but a star of 24 dp."""
    image = wreck.image(1)
    box = (900, 400, 963, 463)
    image.paste(ImageChops.invert(wreck.image(0).crop(box).reduce(2)), (910, 410))
    wreck.put_screenshot(2, image)


@damage("pancakes", "headphones", "candle")
def annotated(wreck: Wreck) -> None:
    """Every step has its texts and its box."""
    give_words(wreck)


@damage("zeppelins", "candle")
def other_order(wreck: Wreck) -> None:
    """An instruction that says the same in another order and in other case."""
    words = wreck.task["instruction"].removesuffix(".")
    wreck.task["instruction"] = f"When you have time: {words[0].lower()}{words[1:]}, please!"
