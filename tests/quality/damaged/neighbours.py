"""Harmless cases close to a defect: they must have no findings."""

from PIL import ImageChops

from tests.quality.damaged.damage import action, at_step, damage
from tests.quality.damaged.spoilt_words import give_words
from tests.quality.damaged.wreck import Wreck


@at_step("", "library", "forecast", where=action("SCROLL"))
def little_scroll(wreck: Wreck, step: int) -> None:
    """A SCROLL of 5 % of the screen."""
    wreck.put_scroll(step, (500, 500), (500, 550))


@at_step("", where=Wreck.is_touch)
def unhurried(wreck: Wreck, step: int) -> None:
    """A CLICK for which the finger stayed for 390 ms."""
    wreck.records[step]["input"]["duration_us"] = 390_000


@at_step("")
def still_fresh(wreck: Wreck, step: int) -> None:
    """A frame that was on the screen one second before the finger came down, as in passive mode."""
    record = wreck.records[step]
    frame, touched_us = record["frame"], record["touched_us"]
    frame.update(started_us=touched_us - 1_500_000, arrived_us=touched_us - 1_000_000, streamed=True)
    record.update(check=None, age_us=1_000_000)


@damage("tiles")
def a_star(wreck: Wreck) -> None:
    """A CLICK that changed nothing but a star of 24 dp."""
    image = wreck.image(1)
    box = (900, 400, 963, 463)
    image.paste(ImageChops.invert(wreck.image(0).crop(box).reduce(2)), (910, 410))
    wreck.put_picture(2, image)


@damage("pancakes", "headphones", "candle")
def annotated(wreck: Wreck) -> None:
    """Every step has its texts and its box."""
    give_words(wreck)


@at_step("", "candle", "balloons", where=action("TYPE"))
def other_characters(wreck: Wreck, step: int) -> None:
    """A text in other scripts, with a backslash within, that the field shows as it is."""
    old, text = str(wreck.steps[step]["info"]), "Käse\\Brot, 牛乳 и хлеб"
    wreck.put_text(step, text)
    wreck.retype(step, old, text)


@damage("zeppelins", "candle")
def other_order(wreck: Wreck) -> None:
    """An instruction that says the same in another order and in other case."""
    words = wreck.task["instruction"].removesuffix(".")
    wreck.task["instruction"] = f"When you have time: {words[0].lower()}{words[1:]}, please!"
