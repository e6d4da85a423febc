"""Damages to screenshots: files that are missing or broken, of another size, black, stale or too late."""

import io

from PIL import Image, ImageChops

from tests.checking.damaged.damage import at_step, damage, key
from tests.checking.damaged.damaged_episode import DamagedEpisode, ExpectedFinding
from tests.checking.damaged.text_damage import add_texts

_ON_SMALL_PHONE = ("candle", "dark", "library", "zeppelins", "balloons", "cottage")
_WITHOUT_RETURN = ("candle", "library", "zeppelins", "balloons")
"""Tasks that never return to an earlier screen one step later."""


@at_step("IMG01")
def missing_screenshot(episode: DamagedEpisode, step: int) -> None:
    """A screenshot is missing."""
    episode.screenshot(step).unlink()


@at_step("IMG01")
def flipped_bit(episode: DamagedEpisode, step: int) -> None:
    """One bit of a PNG has flipped."""
    data = bytearray(episode.screenshot(step).read_bytes())
    data[episode.rng.randrange(100, len(data) - 20)] ^= 0x10
    episode.replace_file(step, bytes(data))


@at_step("IMG01", *_ON_SMALL_PHONE)
def replaced_screenshot(episode: DamagedEpisode, step: int) -> None:
    """A screenshot is intact, but not the file that the recorder wrote."""
    file = io.BytesIO()
    ImageChops.offset(episode.image(step), 0, 30).save(file, "PNG")
    episode.replace_file(step, file.getvalue())


@damage("IMG02")
def wrong_step_length(episode: DamagedEpisode) -> None:
    """The file's step_length is not the count of the steps."""
    episode.annotation["step_length"] += episode.rng.choice((-1, 1))


@damage()
def counted_from_one(episode: DamagedEpisode) -> tuple[ExpectedFinding, ...]:
    """The steps are numbered from 1."""
    for step in episode.steps:
        step["step"] += 1
    return tuple(ExpectedFinding("IMG02", number) for number in range(len(episode.steps)))


@damage("IMG02")
def extra_screenshot(episode: DamagedEpisode) -> None:
    """There is one screenshot more than there are steps."""
    count = len(episode.steps)
    episode.screenshot(count).write_bytes(episode.screenshot(count - 1).read_bytes())


@damage("", "pancakes", "headphones")
def swapped_size(episode: DamagedEpisode) -> tuple[ExpectedFinding, ...]:
    """h and w are swapped in the annotation."""
    return _swap_size(episode)


@damage("", "pancakes")
def swapped_size_in_released_data(episode: DamagedEpisode) -> tuple[ExpectedFinding, ...]:
    """h and w are swapped in data without provenance, as in 780 released steps."""
    add_texts(episode)
    episode.drop_recorded_files()
    return _swap_size(episode)


@at_step("IMG03", *_ON_SMALL_PHONE, where=key("HOME"))
def rotated_screenshot(episode: DamagedEpisode, step: int) -> None:
    """A screenshot is rotated though the device was upright."""
    episode.replace_screenshot(step, episode.image(step).transpose(Image.Transpose.ROTATE_90))


@at_step("IMG04", *_ON_SMALL_PHONE)
def secure_window(episode: DamagedEpisode, step: int) -> None:
    """A window that may not be captured: black, but for the bars."""
    image = episode.image(step)
    image.paste("#000000", (0, 64, image.width, image.height - 96))
    episode.replace_screenshot(step, image)


@at_step("IMG05")
def late_frame(episode: DamagedEpisode, step: int) -> None:
    """A frame was requested after the touch-down."""
    record = episode.records[step]
    for name in ("started_us", "arrived_us"):
        record["frame"][name] = record["touched_us"] + 40_000
    record["check"] = None


@at_step("IMG07", *_WITHOUT_RETURN, where=DamagedEpisode.is_touch_in_app)
def stale_screenshot(episode: DamagedEpisode, step: int) -> None:
    """A screenshot repeats the one before it, though the action had an effect."""
    episode.repeat_screenshot(step + 1, step)


@at_step("IMG07", *_WITHOUT_RETURN, where=DamagedEpisode.is_touch_in_app)
def stale_screenshot_with_new_clock(episode: DamagedEpisode, step: int) -> None:
    """A screenshot repeats the one before it, except for the clock in the status bar."""
    image = episode.image(step)
    width = image.width
    bar = image.crop((0, 0, width, 48))
    image.paste(ImageChops.offset(bar, 3, 0), (0, 0))
    episode.replace_screenshot(step + 1, image)


@damage("", "candle")
def screenshot_of_another_step(episode: DamagedEpisode) -> tuple[ExpectedFinding, ...]:
    """A screenshot is that of a much earlier step."""
    episode.repeat_screenshot(8, 4)
    return ExpectedFinding("IMG06", 8), ExpectedFinding("IMG06", 4)


@at_step("IMG08")
def unsettled_frame(episode: DamagedEpisode, step: int) -> None:
    """The screen was not settled when the frame was taken."""
    episode.records[step]["frame"]["settled"] = False


def _swap_size(episode: DamagedEpisode) -> tuple[ExpectedFinding, ...]:
    device = episode.annotation["device_info"]
    device["h"], device["w"] = device["w"], device["h"]
    return tuple(ExpectedFinding("IMG03", step) for step in range(len(episode.steps)))
