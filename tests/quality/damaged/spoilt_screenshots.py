"""Damages to screenshots: files that are missing or broken, of another size, black, stale or too late."""

import io

from PIL import Image, ImageChops

from tests.quality.damaged.damage import at_step, damage, key
from tests.quality.damaged.spoilt_words import give_words
from tests.quality.damaged.wreck import Planted, Wreck

_SMALL = ("candle", "dark", "library", "zeppelins", "balloons", "cottage")
_ONWARDS = ("candle", "library", "zeppelins", "balloons")
"""Errands that never return to an earlier screen one step later."""


@at_step("IMG01")
def missing(wreck: Wreck, step: int) -> None:
    """A screenshot is not there."""
    wreck.screenshot(step).unlink()


@at_step("IMG01")
def flipped_bit(wreck: Wreck, step: int) -> None:
    """One bit of a PNG has flipped."""
    data = bytearray(wreck.screenshot(step).read_bytes())
    data[wreck.rng.randrange(100, len(data) - 20)] ^= 0x10
    wreck.put_file(step, bytes(data))


@at_step("IMG01", *_SMALL)
def exchanged(wreck: Wreck, step: int) -> None:
    """A screenshot is whole, but not the file that the recorder wrote."""
    file = io.BytesIO()
    ImageChops.offset(wreck.image(step), 0, 30).save(file, "PNG")
    wreck.put_file(step, file.getvalue())


@damage()
def miscounted(wreck: Wreck) -> Planted:
    """The file's step_length is not the count of the steps."""
    wreck.annotation["step_length"] += wreck.rng.choice((-1, 1))
    return Planted("IMG02")


@damage()
def counted_from_one(wreck: Wreck) -> tuple[Planted, ...]:
    """The steps are numbered from 1."""
    for step in wreck.steps:
        step["step"] += 1
    return tuple(Planted("IMG02", number) for number in range(len(wreck.steps)))


@damage()
def one_too_many(wreck: Wreck) -> Planted:
    """There is a screenshot more than there are steps."""
    count = len(wreck.steps)
    wreck.screenshot(count).write_bytes(wreck.screenshot(count - 1).read_bytes())
    return Planted("IMG02")


@damage("pancakes", "headphones")
def swapped(wreck: Wreck) -> tuple[Planted, ...]:
    """The file's h and w are swapped against its pictures."""
    return _swap(wreck)


@damage("pancakes")
def swapped_in_released_data(wreck: Wreck) -> tuple[Planted, ...]:
    """h and w are swapped in data without a proof, as in 780 steps of the published ones."""
    give_words(wreck)
    wreck.be_released()
    return _swap(wreck)


@at_step("IMG03", *_SMALL, where=key("HOME"))
def turned(wreck: Wreck, step: int) -> None:
    """A screenshot lies on its side while the phone stood upright."""
    wreck.put_screenshot(step, wreck.image(step).transpose(Image.Transpose.ROTATE_90))


@at_step("IMG04", *_SMALL)
def secure_window(wreck: Wreck, step: int) -> None:
    """A window that may not be captured: black, but for the bars."""
    image = wreck.image(step)
    image.paste("#000000", (0, 64, image.width, image.height - 96))
    wreck.put_screenshot(step, image)


@at_step("IMG05")
def too_late(wreck: Wreck, step: int) -> None:
    """A frame was asked for after the finger had come down."""
    record = wreck.records[step]
    for name in ("started_us", "arrived_us"):
        record["frame"][name] = record["touched_us"] + 40_000
    record["check"] = None


@at_step("IMG07", *_ONWARDS, where=Wreck.is_touch)
def stale(wreck: Wreck, step: int) -> None:
    """A screenshot is the one before it again, though the action had an effect."""
    wreck.put_same_screenshot(step + 1, step)


@at_step("IMG07", *_ONWARDS, where=Wreck.is_touch)
def stale_but_for_the_clock(wreck: Wreck, step: int) -> None:
    """A screenshot is the one before it again, a minute later: the clock in the status bar has gone on."""
    image = wreck.image(step)
    width = image.width
    bar = image.crop((0, 0, width, 48))
    image.paste(ImageChops.offset(bar, 3, 0), (0, 0))
    wreck.put_screenshot(step + 1, image)


@damage("candle")
def of_another_step(wreck: Wreck) -> tuple[Planted, ...]:
    """A screenshot is that of a step long before it, as if the recorder had taken it twice."""
    wreck.put_same_screenshot(8, 4)
    return Planted("IMG06", 8), Planted("IMG06", 4)


@at_step("IMG08")
def restless(wreck: Wreck, step: int) -> None:
    """The screen had not come to rest when the frame was taken."""
    wreck.records[step]["frame"]["settled"] = False


def _swap(wreck: Wreck) -> tuple[Planted, ...]:
    device = wreck.annotation["device_info"]
    device["h"], device["w"] = device["w"], device["h"]
    return tuple(Planted("IMG03", step) for step in range(len(wreck.steps)))
