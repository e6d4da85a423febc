"""Damages to actions: unknown names, positions, endings, wrong kinds, boxes."""

from tests.checking.damaged.damage import action, at_step, damage, key
from tests.checking.damaged.damaged_episode import DamagedEpisode, ExpectedFinding
from tests.checking.damaged.text_damage import add_texts

_TYPED = ("candle", "tiles", "zeppelins", "balloons", "frost", "headphones")
_BACK = ("candle", "tiles", "frost", "cottage")


@at_step("ACT01", where=DamagedEpisode.is_touch)
def unknown_action(episode: DamagedEpisode, step: int) -> None:
    """An action is unknown to the format."""
    episode.steps[step]["action"] = episode.rng.choice(("TAP", "SWIPE", "click"))


@at_step("ACT02", where=DamagedEpisode.is_touch)
def position_off_the_grid(episode: DamagedEpisode, step: int) -> None:
    """A position is outside 0..1000."""
    episode.set_action(step, "CLICK", [[1440, 620], [1440, 620]], "[(1440, 620)]")


@damage("ACT03", "candle", "dark", "library", "balloons")
def missing_terminal_step(episode: DamagedEpisode) -> None:
    """The terminal step is missing."""
    episode.arrange_steps(range(len(episode.steps) - 1))


@at_step("ACT03", "book club", "tiles", "balloons", where=key("HOME"))
def early_terminal_step(episode: DamagedEpisode, step: int) -> None:
    """A step before the last one is COMPLETE."""
    episode.set_action(step, "COMPLETE")
    episode.records[step]["input"] = None


@at_step("ACT04", "library", "forecast", where=action("SCROLL"))
def tiny_scroll(episode: DamagedEpisode, step: int) -> None:
    """A SCROLL of 2% of the screen."""
    episode.set_scroll(step, (500, 500), (500, 520))


@at_step("ACT04 ACT10", where=DamagedEpisode.is_touch)
def long_click(episode: DamagedEpisode, step: int) -> None:
    """A CLICK that was held for 900 ms."""
    episode.records[step]["input"]["duration_us"] = 900_000


@at_step("ACT05", *_TYPED, where=action("TYPE"))
def wrong_text(episode: DamagedEpisode, step: int) -> None:
    """A text that its field does not show afterwards."""
    episode.set_text(step, "what nobody typed")


@at_step("ACT05", *_TYPED, where=action("TYPE"))
def text_without_field(episode: DamagedEpisode, step: int) -> None:
    """A TYPE without a focused field on the screen."""
    tree = episode.tree(step)
    tree.write_text(tree.read_text(encoding="utf-8").replace('focused="true"', 'focused="false"'), encoding="utf-8")
    episode.records[step]["screen"]["keyboard_shown"] = False


@damage()
def repeated_click(episode: DamagedEpisode) -> tuple[ExpectedFinding, ...]:
    """The same CLICK three times, each on the same screen."""
    step = episode.random_step(where=episode.is_touch)
    steps = range(len(episode.steps))
    episode.arrange_steps([*steps[: step + 1], step, step, *steps[step + 1 :]])
    return ExpectedFinding("IMG07", step), ExpectedFinding("IMG07", step + 1), ExpectedFinding("ACT06", step + 2)


@damage("", "cottage", "candle", "library")
def repeated_round_trip(episode: DamagedEpisode) -> tuple[ExpectedFinding, ...]:
    """From one screen to another and back, twice."""
    steps = range(len(episode.steps))
    home = episode.random_step(where=lambda step: episode.is_key(step, "HOME"))
    episode.arrange_steps([*steps[: home + 1], 0, home, 0, home, *steps[home + 1 :]])
    return ExpectedFinding("ACT06", home + 4), ExpectedFinding("ACT10", home + 1), ExpectedFinding("ACT10", home + 3)


@at_step("ACT07 IMG07", "candle", "library", "zeppelins", "balloons", where=DamagedEpisode.is_touch_in_app)
def click_on_nothing(episode: DamagedEpisode, step: int) -> None:
    """A CLICK on nothing, without an effect."""
    episode.move_press(step, 500, 15)
    episode.records[step]["bbox"] = episode.records[step]["bbox_source"] = None
    episode.repeat_screenshot(step + 1, step)


@at_step("ACT08", *_BACK, where=key("BACK"))
def home_without_effect(episode: DamagedEpisode, step: int) -> None:
    """HOME that leaves the same app in front."""
    episode.set_action(step, "CLICK", "KEY_HOME")
    episode.records[step]["input"]["key"] = "HOME"


@at_step("ACT08 IMG07", *_BACK, where=key("BACK"))
def back_without_effect(episode: DamagedEpisode, step: int) -> None:
    """BACK that leaves the screen unchanged."""
    episode.repeat_screenshot(step + 1, step)


@at_step("ACT09", where=DamagedEpisode.is_touch)
def misplaced_box(episode: DamagedEpisode, step: int) -> None:
    """A box that does not contain the CLICK."""
    x, y, _ = episode.records[step]["input"]["samples"][0]
    x += 200 if x < 400 else -200
    episode.records[step]["bbox"] = [x - 40, y - 40, x + 40, y + 40]


@at_step("ACT09", where=DamagedEpisode.is_touch)
def empty_box(episode: DamagedEpisode, step: int) -> None:
    """An empty sam2_bbox on a CLICK, for which the official evaluator counts every prediction as wrong."""
    add_texts(episode)
    episode.steps[step]["sam2_bbox"] = []
