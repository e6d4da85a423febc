"""Harmless changes that resemble a defect: they must have no findings."""

from PIL import ImageChops

from tests.checking.damaged.damage import action, at_step, damage
from tests.checking.damaged.damaged_episode import DamagedEpisode
from tests.checking.damaged.text_damage import add_texts


@at_step("", "library", "forecast", where=action("SCROLL"))
def short_scroll(episode: DamagedEpisode, step: int) -> None:
    """A SCROLL of 5% of the screen."""
    episode.set_scroll(step, (500, 500), (500, 550))


@damage("", "tiles")
def star_clicked(episode: DamagedEpisode) -> None:
    """A CLICK that changed nothing but a star of 24 dp."""
    image = episode.image(1)
    box = (900, 400, 963, 463)
    image.paste(ImageChops.invert(episode.image(0).crop(box).reduce(2)), (910, 410))
    episode.replace_screenshot(2, image)


@damage("", "pancakes", "headphones", "candle")
def with_texts(episode: DamagedEpisode) -> None:
    """Every step has its texts and its box."""
    add_texts(episode)


@damage()
def given_reason(episode: DamagedEpisode) -> None:
    """IMPOSSIBLE with a reason."""
    episode.set_impossible("Item not found")


@damage("", "zeppelins", "candle")
def reordered_instruction(episode: DamagedEpisode) -> None:
    """An instruction in another order and case."""
    words = episode.task["instruction"].removesuffix(".")
    episode.task["instruction"] = f"When you have time: {words[0].lower()}{words[1:]}, please!"
