"""Damages to screenshots: files that are missing or broken, of another size, black, stale or too late."""

import io

from PIL import Image, ImageChops

from tests.quality.damaged.damage import Damage, among
from tests.quality.damaged.spoilt_words import give_words
from tests.quality.damaged.wreck import Planted, Wreck

DAMAGES: list[Damage] = []
damage = among(DAMAGES)

_SMALL = ("candle", "dark", "library", "zeppelins", "balloons", "cottage")
_ONWARDS = ("candle", "library", "zeppelins", "balloons")
"""Errands that never return to an earlier screen one step later."""


@damage()
def missing(wreck: Wreck) -> Planted:
    """A screenshot is not there."""
    step = wreck.any_step()
    wreck.picture(step).unlink()
    return Planted("IMG01", step)


@damage()
def truncated(wreck: Wreck) -> Planted:
    """A PNG is cut off in its middle."""
    step = wreck.any_step()
    data = wreck.picture(step).read_bytes()
    wreck.put_file(step, data[: len(data) * 2 // 3])
    return Planted("IMG01", step)


@damage()
def flipped_bit(wreck: Wreck) -> Planted:
    """One bit of a PNG has flipped."""
    step = wreck.any_step()
    data = bytearray(wreck.picture(step).read_bytes())
    data[wreck.rng.randrange(100, len(data) - 20)] ^= 0x10
    wreck.put_file(step, bytes(data))
    return Planted("IMG01", step)


@damage(*_SMALL)
def jpeg(wreck: Wreck) -> Planted:
    """A JPEG bears the name of a PNG."""
    step = wreck.any_step()
    file = io.BytesIO()
    wreck.image(step).save(file, "JPEG")
    wreck.put_file(step, file.getvalue())
    return Planted("IMG01", step)


@damage(*_SMALL)
def exchanged(wreck: Wreck) -> Planted:
    """A screenshot is whole, but not the file that the recorder wrote."""
    step = wreck.any_step()
    file = io.BytesIO()
    ImageChops.offset(wreck.image(step), 0, 30).save(file, "PNG")
    wreck.put_file(step, file.getvalue())
    return Planted("IMG01", step)


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
def misnamed(wreck: Wreck) -> Planted:
    """A step names the screenshot of the one before it."""
    step = wreck.any_step(where=lambda step: step > 0)
    wreck.steps[step]["screenshot"] = wreck.picture(step - 1).name
    return Planted("IMG02", step)


@damage()
def one_too_many(wreck: Wreck) -> Planted:
    """There is a screenshot more than there are steps."""
    count = len(wreck.steps)
    wreck.picture(count).write_bytes(wreck.picture(count - 1).read_bytes())
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


@damage(*_SMALL)
def halved(wreck: Wreck) -> Planted:
    """A screenshot has half the size of the others."""
    step = wreck.any_step(where=lambda step: wreck.is_key(step, "HOME"))
    wreck.put_picture(step, wreck.image(step).reduce(2))
    return Planted("IMG03", step)


@damage(*_SMALL)
def turned(wreck: Wreck) -> Planted:
    """A screenshot lies on its side while the phone stood upright."""
    step = wreck.any_step(where=lambda step: wreck.is_key(step, "HOME"))
    wreck.put_picture(step, wreck.image(step).transpose(Image.Transpose.ROTATE_90))
    return Planted("IMG03", step)


@damage(*_SMALL)
def secure_window(wreck: Wreck) -> Planted:
    """A window that may not be captured: black, but for the bars."""
    return _filled(wreck, "#000000")


@damage()
def too_late(wreck: Wreck) -> Planted:
    """A frame was asked for after the finger had come down."""
    step = wreck.any_step()
    record = wreck.records[step]
    for name in ("started_us", "arrived_us"):
        record["frame"][name] = record["touched_us"] + 40_000
    record["check"] = None
    return Planted("IMG05", step)


@damage(*_ONWARDS)
def stale(wreck: Wreck) -> Planted:
    """A screenshot is the one before it again, though the action had an effect."""
    step = wreck.any_step(where=wreck.is_touch)
    wreck.put_same_picture(step + 1, step)
    return Planted("IMG07", step)


@damage(*_ONWARDS)
def stale_but_for_the_clock(wreck: Wreck) -> Planted:
    """A screenshot is the one before it again, a minute later: the clock in the status bar has gone on."""
    step = wreck.any_step(where=wreck.is_touch)
    image = wreck.image(step)
    width = image.width
    bar = image.crop((0, 0, width, 48))
    image.paste(ImageChops.offset(bar, 3, 0), (0, 0))
    wreck.put_picture(step + 1, image)
    return Planted("IMG07", step)


@damage("candle")
def of_another_step(wreck: Wreck) -> tuple[Planted, ...]:
    """A screenshot is that of a step long before it, as if the recorder had taken it twice."""
    wreck.put_same_picture(8, 4)
    return Planted("IMG06", 8), Planted("IMG06", 4)


@damage()
def restless(wreck: Wreck) -> Planted:
    """The screen had not come to rest when the frame was taken."""
    step = wreck.any_step()
    wreck.records[step]["frame"]["settled"] = False
    return Planted("IMG08", step)


def _swap(wreck: Wreck) -> tuple[Planted, ...]:
    device = wreck.annotation["device_info"]
    device["h"], device["w"] = device["w"], device["h"]
    return tuple(Planted("IMG03", step) for step in range(len(wreck.steps)))


def _filled(wreck: Wreck, color: str) -> Planted:
    step = wreck.any_step()
    image = wreck.image(step)
    image.paste(color, (0, 64, image.width, image.height - 96))
    wreck.put_picture(step, image)
    return Planted("IMG04", step)
