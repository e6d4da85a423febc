"""Harmless cases close to a defect: they must have no findings."""

from PIL import ImageChops

from tests.quality.damaged.damage import Damage, among
from tests.quality.damaged.spoilt_words import give_words
from tests.quality.damaged.wreck import Planted, Wreck

NEIGHBOURS: list[Damage] = []
neighbour = among(NEIGHBOURS)


@neighbour("library", "forecast")
def little_scroll(wreck: Wreck) -> tuple[Planted, ...]:
    """A SCROLL of 5 % of the screen."""
    step = wreck.any_step(where=lambda step: wreck.is_action(step, "SCROLL"))
    wreck.put_scroll(step, (500, 500), (500, 550))
    return ()


@neighbour()
def unhurried(wreck: Wreck) -> tuple[Planted, ...]:
    """A CLICK for which the finger stayed for 390 ms."""
    wreck.records[wreck.any_step(where=wreck.is_touch)]["input"]["duration_us"] = 390_000
    return ()


@neighbour()
def still_fresh(wreck: Wreck) -> tuple[Planted, ...]:
    """A frame that was on the screen one second before the finger came down, as in passive mode."""
    record = wreck.records[wreck.any_step()]
    frame, touched_us = record["frame"], record["touched_us"]
    frame.update(started_us=touched_us - 1_500_000, arrived_us=touched_us - 1_000_000, streamed=True)
    record.update(check=None, age_us=1_000_000)
    return ()


@neighbour("tiles")
def a_star(wreck: Wreck) -> tuple[Planted, ...]:
    """A CLICK that changed nothing but a star of 24 dp."""
    image = wreck.image(1)
    box = (900, 400, 963, 463)
    image.paste(ImageChops.invert(wreck.image(0).crop(box).reduce(2)), (910, 410))
    wreck.put_picture(2, image)
    return ()


@neighbour("pancakes", "headphones", "candle")
def annotated(wreck: Wreck) -> tuple[Planted, ...]:
    """Every step has its texts and its box."""
    give_words(wreck)
    return ()


@neighbour("candle", "balloons")
def other_characters(wreck: Wreck) -> tuple[Planted, ...]:
    """A text in other scripts, with a backslash within, that the field shows as it is."""
    step = wreck.any_step(where=lambda step: wreck.is_action(step, "TYPE"))
    old, text = str(wreck.steps[step]["info"]), "Käse\\Brot, 牛乳 и хлеб"
    wreck.put_text(step, text)
    wreck.retype(step, old, text)
    return ()


@neighbour("zeppelins", "candle")
def other_order(wreck: Wreck) -> tuple[Planted, ...]:
    """An instruction that says the same in another order and in other case."""
    words = wreck.task["instruction"].removesuffix(".")
    wreck.task["instruction"] = f"When you have time: {words[0].lower()}{words[1:]}, please!"
    return ()
