"""Texts as people and models may write them: three sets of wordings."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from odyssey_recorder.annotation.text_kinds import TextKind
from tests.annotation.played_episodes import PlayedEpisode, PlayedStep

FIRST = "Task just started, nothing has been done."
ENDS = {"COMPLETE": "Task completed.", "IMPOSSIBLE": "Task could not be completed."}


@dataclass(frozen=True, slots=True)
class Wording:
    """Phrases with gaps: {label}, {typed}, {direction}, {app}, {aim}; `doing` is for intentions, `did` for contexts."""

    low: Mapping[str, Sequence[str]]
    doing: Mapping[str, Sequence[str]]
    did: Mapping[str, Sequence[str]]
    intention: Sequence[str]
    description: Sequence[str]
    home: Sequence[str]
    context: Sequence[str]


TUNED = Wording(
    low={
        "APP": ("Open the {label} app.", "Launch {label}.", "Tap the {label} icon."),
        "CLICK": ('Tap on "{label}".', "Select {label}.", "Click the {label} button to continue."),
        "LONG_PRESS": ('Long press "{label}".', "Press and hold {label}."),
        "SCROLL": ("Scroll {direction}.", "Scroll {direction} to see more of the page."),
        "TYPE": ('Type "{typed}" in the text field.', "Enter '{typed}'.", "Type {typed} into the field."),
        "HOME": ("Return to the home screen.", "Press the home button."),
        "BACK": ("Go back to the previous screen.", "Press the back button."),
        "RECENT": ("Open the recent apps.", "Show the overview of recent apps."),
    },
    doing={
        "APP": ("selecting the {label} app", "opening {label}"),
        "CLICK": ('tapping on "{label}"', "selecting {label}"),
        "LONG_PRESS": ("holding {label}", 'long pressing "{label}"'),
        "SCROLL": ("scrolling {direction}",),
        "TYPE": ('typing "{typed}"', "entering '{typed}' in the field"),
        "HOME": ("returning to the home screen",),
        "BACK": ("going back to the previous screen",),
        "RECENT": ("opening the recent apps",),
        "COMPLETE": ("finishing the task here",),
        "IMPOSSIBLE": ("stopping here",),
    },
    did={
        "APP": ("opened the {label} app", "accessed {label}"),
        "CLICK": ('tapped "{label}"', "selected {label}"),
        "LONG_PRESS": ('held "{label}"',),
        "SCROLL": ("scrolled {direction}",),
        "TYPE": ('typed "{typed}"', 'entered "{typed}"'),
        "HOME": ("returned to the home screen",),
        "BACK": ("gone back",),
        "RECENT": ("looked at the recent apps",),
    },
    intention=("I am {doing} to {aim}. This action will help me get on with the task.", "I am {doing} to {aim}."),
    description=(
        'This is a screenshot of the {app} app, showing "{one}" and "{two}".',
        "This is a screenshot of the {app} app. It displays several elements, among them {one} and {two}.",
    ),
    home=("This is a screenshot of an Android home screen displaying various app icons, including {one} and {two}.",),
    context=("So far, the user has {did}.", "So far, {did} has been the progress: the user has {did}."),
)
HELD_OUT = Wording(
    low={
        "APP": ("Start {label} from the home screen.", "Tap on the {label} app icon.", "Open {label}."),
        "CLICK": ("Press {label}.", "Choose the “{label}” option.", "Click on the element labelled {label}.",
                  "Tap the entry '{label}' in order to proceed."),
        "LONG_PRESS": ("Touch and hold the entry {label}.", "Long-press on “{label}” to open its menu."),
        "SCROLL": ("Scroll further {direction} to look for more.", "Swipe to scroll {direction} the list."),
        "TYPE": ("Input “{typed}”.", 'Write "{typed}" into the active field.', "Type in {typed}."),
        "HOME": ("Go to the home screen.", "Navigate back to the home screen of the phone."),
        "BACK": ("Navigate back.", "Return to the previous page."),
        "RECENT": ("Open the app switcher.", "View the recently used apps."),
    },
    doing={
        "APP": ("launch the {label} app", "open {label} from the home screen"),
        "CLICK": ("tap the {label} element", 'press "{label}"', "select “{label}”"),
        "LONG_PRESS": ("long-press {label}",),
        "SCROLL": ("scroll {direction} on this page",),
        "TYPE": ("type “{typed}” into the field", 'input "{typed}"'),
        "HOME": ("go to the home screen",),
        "BACK": ("navigate back",),
        "RECENT": ("open the overview of recent apps",),
        "COMPLETE": ("complete the task",),
        "IMPOSSIBLE": ("end the task, which cannot be done",),
    },
    did={
        "APP": ("launched {label}", "navigated to the {label} app"),
        "CLICK": ("chosen “{label}”", "pressed {label}"),
        "LONG_PRESS": ("touched and held {label}",),
        "SCROLL": ("moved {direction} in the content",),
        "TYPE": ("provided the text “{typed}”", "typed {typed}"),
        "HOME": ("gone to the home screen of the phone",),
        "BACK": ("navigated back",),
        "RECENT": ("opened the overview of recent apps",),
    },
    intention=(
        "To {aim}, I choose to {doing}. This allows me to move forward.",
        "I want to {doing} because I need to {aim}.",
        "I will {doing} so that I can {aim}.",
    ),
    description=(
        "This is a screenshot of a page in {app}. The items {one} and {two} are visible.",
        "The screenshot shows the {app} application with entries such as “{one}” and “{two}”.",
        "This is a screenshot of {app}, where '{one}' can be seen.",
    ),
    home=(
        "This is a screenshot of the phone's home screen with icons of apps such as {one} and {two}.",
        "The home screen of the device is displayed, with {one} among the apps.",
    ),
    context=(
        "So far, the user has {did}. The task is still in progress.",
        "So far, the following has been achieved: the user has {did}.",
    ),
)  # fmt: skip


def kind_of(step: PlayedStep) -> str:
    is_app = step.action == "CLICK" and not step.app and step.label[:1].isupper()
    return "APP" if is_app else step.action


def instruction(step: PlayedStep, wording: Wording, rng: random.Random) -> str:
    return ENDS.get(step.action) or _filled(rng.choice(wording.low[kind_of(step)]), step)


def intention(
    played: PlayedEpisode, number: int, wording: Wording, rng: random.Random, step: PlayedStep | None = None
) -> str:
    step = step or played.steps[number]
    doing = _filled(rng.choice(wording.doing[kind_of(step)]), step)
    aim = played.evidence.episode.task.task.removeprefix("Do this: ").split(", then ")[-1].rstrip(".")
    return rng.choice(wording.intention).format(doing=doing, aim=aim)


def description(played: PlayedEpisode, number: int, wording: Wording, rng: random.Random) -> str:
    step, views = played.steps[number], played.evidence.steps[number].views or ()
    texts = [one.text for one in views if 0 < len(one.text) < 40 and "\n" not in one.text]
    visible = [one for one in texts if one != "Lumen"] or ["nothing"]
    one, two = (rng.choice(visible), rng.choice(visible)) if step.app else (rng.choice(step.labels or visible),) * 2
    return rng.choice(wording.description if step.app else wording.home).format(app=step.app, one=one, two=two)


def context(played: PlayedEpisode, number: int, wording: Wording, rng: random.Random) -> str:
    if number == 0:
        return FIRST
    clauses = [_filled(rng.choice(wording.did[kind_of(one)]), one) for one in played.steps[max(0, number - 4) : number]]
    did = ", ".join(dict.fromkeys(clauses)) if len(clauses) < 2 else f"{', '.join(clauses[:-1])} and {clauses[-1]}"
    return rng.choice(wording.context).format(did=did)


def text(played: PlayedEpisode, number: int, kind: TextKind, wording: Wording, rng: random.Random) -> str:
    match kind:
        case TextKind.INSTRUCTION:
            return instruction(played.steps[number], wording, rng)
        case TextKind.INTENTION:
            return intention(played, number, wording, rng)
        case TextKind.DESCRIPTION:
            return description(played, number, wording, rng)
        case TextKind.CONTEXT:
            return context(played, number, wording, rng)


def _filled(phrase: str, step: PlayedStep) -> str:
    return phrase.format(label=step.label, typed=step.typed, direction=step.direction, app=step.app)


FRESH = Wording(
    low={
        "APP": ("Find {label} among the apps and open it.", "Tap {label}.", "Launch the app called {label}."),
        "CLICK": ('Hit "{label}".', "Open {label}.", "Tap the item that reads “{label}”.", "Go on with {label}."),
        "LONG_PRESS": ("Hold {label} for a moment.", "Tap and hold “{label}”."),
        "SCROLL": ("Move {direction} the page by scrolling.", "Scroll the page {direction}."),
        "TYPE": ("Fill in “{typed}”.", 'Search for "{typed}" by typing it.', "Key in '{typed}' with the keyboard."),
        "HOME": ("Leave the app and go home.", "Exit to the home screen."),
        "BACK": ("Go back one page.", "Use the back key."),
        "RECENT": ("Bring up the list of recent apps.", "Switch to the overview."),
    },
    doing={
        "APP": ("starting the {label} app", "clicking on the icon of {label}"),
        "CLICK": ("choosing {label}", "clicking “{label}” on this page", 'opening "{label}"'),
        "LONG_PRESS": ("keeping my finger on {label}", "pressing and holding “{label}”"),
        "SCROLL": ("scrolling the page {direction}", "scrolling further {direction}"),
        "TYPE": ("writing “{typed}”", "filling in '{typed}'"),
        "HOME": ("leaving this app for the home screen", "going home"),
        "BACK": ("returning to where I was before", "pressing back"),
        "RECENT": ("bringing up the recent apps",),
        "COMPLETE": ("ending the episode",),
        "IMPOSSIBLE": ("giving up at this point",),
    },
    did={
        "APP": ("started the {label} app", "gone into {label}"),
        "CLICK": ("clicked on “{label}”", "picked {label}"),
        "LONG_PRESS": ("long-pressed {label}",),
        "SCROLL": ("looked further {direction}",),
        "TYPE": ("written “{typed}”", "filled in '{typed}'"),
        "HOME": ("left for the home screen",),
        "BACK": ("returned to the page before",),
        "RECENT": ("brought up the recent apps",),
    },
    intention=(
        "In order to {aim}, I am now {doing}.",
        "I am {doing}, because my task is to {aim}.",
        "By {doing}, I can {aim}.",
    ),
    description=(
        "This is a screenshot of {app} with {one} near {two}. Other entries are below.",
        'This is a screenshot from the {app} app that lists "{one}".',
    ),
    home=("This is a screenshot of the launcher. Icons such as {one} and {two} can be opened.",),
    context=(
        "So far, {did} are the steps taken: the user has {did}.",
        "So far, the user has {did}, as the task asks for.",
    ),
)  # fmt: skip
"""A third set, written after the checks were tuned on the first two."""
