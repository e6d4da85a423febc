"""Damages to the task and the texts: apps, reason, instruction, texts of steps, private data."""

from tests.checking.damaged.damage import action, at_step, damage, not_first
from tests.checking.damaged.damaged_episode import DamagedEpisode, ExpectedFinding

_WORDS = ("description", "intention", "low_level_instruction", "context")


@damage("EPI01", "candle", "library", "balloons", "frost")
def unopened_app(episode: DamagedEpisode) -> None:
    """An app of the task was never in front."""
    episode.task["app"].append("Music")
    episode.task["instruction"] = episode.task["instruction"].removesuffix(".") + " and in Music."


@damage("EPI01", "candle", "balloons")
def other_app(episode: DamagedEpisode) -> None:
    """An app that is not of the task was in front for four steps."""
    for record in episode.records[-4:]:
        record["screen"]["package"] = "com.odyssey.clock"
        record["screen"]["activity"] = "com.odyssey.clock.MainActivity"


@damage("EPI02 INS02", "library")
def single_app(episode: DamagedEpisode) -> None:
    """One app in a category that asks for two, and the instruction names the other one too."""
    del episode.task["app"][1:]


@damage("EPI03", "dark", "cottage", "library")
def too_few_steps(episode: DamagedEpisode) -> None:
    """An episode with a step fewer than its apps take: one to open each, one to do something, and the end."""
    last = len(episode.steps) - 1
    episode.arrange_steps((1, *range(last + 1 - len(episode.task["app"]), last + 1)))


@damage()
def missing_reason(episode: DamagedEpisode) -> ExpectedFinding:
    """IMPOSSIBLE without a reason."""
    episode.set_impossible("  ")
    return ExpectedFinding("EPI04", len(episode.steps) - 1)


@damage("INS01")
def unfilled_template(episode: DamagedEpisode) -> None:
    """The instruction contains the braces of its template."""
    episode.task["instruction"] = "Please do it: " + episode.task["meta_task"]


@damage("INS01", "zeppelins", "candle", "balloons")
def missing_item(episode: DamagedEpisode) -> None:
    """The instruction lacks the item of the template."""
    words = {"zeppelin museum": "big museum", "cedar and fig candle": "cheapest candle", "balloon festival": "parade"}
    for old, new in words.items():
        episode.task["instruction"] = episode.task["instruction"].replace(old, new)


@at_step("ACT11", "balloons", where=action("TYPE"))
def other_text_demanded(episode: DamagedEpisode, step: int) -> None:
    """A text of which the task demands one word otherwise."""
    instruction = episode.task["instruction"]
    episode.task["instruction"] = instruction.replace("that it was fine", "\u201cThe balloons were great\u201d")


@damage("INS02", "library", "frost", "forecast")
def other_app_in_instruction(episode: DamagedEpisode) -> None:
    """The instruction names an app that the task does not have."""
    episode.task["instruction"] = episode.task["instruction"].removesuffix(".") + ", and look into Messages too."


@at_step("ANN01", where=not_first)
def refusal_as_description(episode: DamagedEpisode, step: int) -> None:
    """A description is the refusal of a language model to describe the screen."""
    add_texts(episode)
    episode.steps[step]["description"] = "I'm sorry, but I can't assist with that request."


@at_step("ANN02", where=not_first)
def coordinates_in_text(episode: DamagedEpisode, step: int) -> None:
    """A low-level instruction names coordinates."""
    add_texts(episode)
    episode.steps[step]["low_level_instruction"] = "Click on the point (432, 118) on the screen."


@at_step("PRV01", "candle", "balloons", "frost", where=action("TYPE"))
def email_address(episode: DamagedEpisode, step: int) -> None:
    """A text is an e-mail address."""
    old, text = str(episode.steps[step]["info"]), "robin.keller@example.org"
    episode.set_text(step, text)
    episode.replace_text_in_views(step, old, text)


@damage("PRV01")
def phone_number(episode: DamagedEpisode) -> None:
    """The instruction has a telephone number."""
    episode.task["instruction"] = episode.task["instruction"].removesuffix(".") + ", then call +49 170 5550123."


def add_texts(episode: DamagedEpisode) -> None:
    for step in episode.steps:
        words = (
            "This is a screenshot of an app. It shows what the task asks for.",
            "To get on with the task, I choose to do this. This allows me to see the next screen.",
            "Open the entry that the task asks for.",
            "So far, the app was opened. Its first page is shown.",
        )
        step.update(zip(_WORDS, words, strict=True), sam2_bbox=[])
        if isinstance(step["info"], list) and step["action"] != "SCROLL":
            x, y = step["info"][0]
            step["sam2_bbox"] = [max(0, x - 20), max(0, y - 20), min(1000, x + 20), min(1000, y + 20)]
    episode.steps[0]["context"] = "Task just started, nothing has been done."
    ending = "Task completed." if episode.steps[-1]["action"] == "COMPLETE" else "Task could not be completed."
    episode.steps[-1]["low_level_instruction"] = ending
