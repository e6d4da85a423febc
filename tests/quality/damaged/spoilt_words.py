"""Damages to the task and the texts: apps, reasons, instruction, annotations, private data."""

from tests.quality.damaged.damage import action, at_step, damage, not_first
from tests.quality.damaged.wreck import Planted, Wreck

_WORDS = ("description", "intention", "low_level_instruction", "context")


@damage("candle", "library", "balloons", "frost")
def app_never_opened(wreck: Wreck) -> Planted:
    """An app of the task was never in front."""
    wreck.task["app"].append("Music")
    wreck.task["instruction"] = wreck.task["instruction"].removesuffix(".") + " and in Music."
    return Planted("EPI01")


@damage("candle", "balloons")
def foreign_app(wreck: Wreck) -> Planted:
    """Another app than those of the task was in front for four steps."""
    for record in wreck.records[-4:]:
        record["screen"]["package"] = "com.odyssey.clock"
        record["screen"]["activity"] = "com.odyssey.clock.MainActivity"
    return Planted("EPI01")


@damage("library")
def one_app(wreck: Wreck) -> tuple[Planted, ...]:
    """One app in a category that asks for two, and the instruction names the other one too."""
    del wreck.task["app"][1:]
    return Planted("EPI02"), Planted("INS02")


@damage("dark", "cottage")
def short(wreck: Wreck) -> Planted:
    """An episode of three steps."""
    last = len(wreck.steps) - 1
    wreck.renumber((1, last - 1, last))
    return Planted("EPI03")


@damage("zeppelins")
def no_reason(wreck: Wreck) -> Planted:
    """IMPOSSIBLE without a reason."""
    wreck.put_end("  ")
    return Planted("EPI04", len(wreck.steps) - 1)


@damage()
def unfilled(wreck: Wreck) -> Planted:
    """The instruction has the braces of its template."""
    wreck.task["instruction"] = "Please do it: " + wreck.task["meta_task"]
    return Planted("INS01")


@damage("zeppelins", "candle", "balloons")
def item_lost(wreck: Wreck) -> Planted:
    """The instruction lacks what the template was filled with."""
    words = {"zeppelin museum": "big museum", "cedar and fig candle": "cheapest candle", "balloon festival": "parade"}
    for old, new in words.items():
        wreck.task["instruction"] = wreck.task["instruction"].replace(old, new)
    return Planted("INS01")


@damage("library", "frost", "forecast")
def other_app_named(wreck: Wreck) -> Planted:
    """The instruction names an app that is not among the task's."""
    wreck.task["instruction"] = wreck.task["instruction"].removesuffix(".") + ", and look into Messages too."
    return Planted("INS02")


@at_step("ANN01", where=not_first)
def refused(wreck: Wreck, step: int) -> None:
    """The language model has refused to describe a screen, and the refusal stands for the description."""
    give_words(wreck)
    wreck.steps[step]["description"] = "I'm sorry, but I can't assist with that request."


@at_step("ANN02", where=not_first)
def places_in_words(wreck: Wreck, step: int) -> None:
    """A low-level instruction names coordinates."""
    give_words(wreck)
    wreck.steps[step]["low_level_instruction"] = "Click on the point (432, 118) on the screen."


@at_step("PRV01", "candle", "balloons", "frost", where=action("TYPE"))
def address(wreck: Wreck, step: int) -> None:
    """A text is an e-mail address."""
    old, text = str(wreck.steps[step]["info"]), "robin.keller@example.org"
    wreck.put_text(step, text)
    wreck.retype(step, old, text)


@damage()
def telephone(wreck: Wreck) -> Planted:
    """The instruction has a telephone number."""
    wreck.task["instruction"] = wreck.task["instruction"].removesuffix(".") + ", then call +49 170 5550123."
    return Planted("PRV01")


def give_words(wreck: Wreck) -> None:
    for step in wreck.steps:
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
    wreck.steps[0]["context"] = "Task just started, nothing has been done."
    ending = "Task completed." if wreck.steps[-1]["action"] == "COMPLETE" else "Task could not be completed."
    wreck.steps[-1]["low_level_instruction"] = ending
