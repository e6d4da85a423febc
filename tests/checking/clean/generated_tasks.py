"""What can be done in one app of the simulated emulator, and tasks of two or three apps combined from it."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

from odyssey_recorder.commands.demo_annotator import Drag, Move, On
from odyssey_recorder.model.episode import TaskInfo
from odyssey_recorder.recording.script import PressKey, ScriptComplete, ScriptImpossible, TypeText

HOME, BACK = PressKey(key="HOME"), PressKey(key="BACK")


@dataclass(frozen=True, slots=True)
class AppTask:
    app: str
    words: str
    moves: tuple[Move, ...]


def _in_app(app: str, words: str, *moves: str | Move) -> AppTask:
    """Open the app and go on; words are those of the view to touch."""
    return AppTask(app, words, tuple(On(move) if isinstance(move, str) else move for move in (app, *moves)))


def _open(app: str, *what: str) -> list[AppTask]:
    return [_in_app(app, f"open {one}", one) for one in what]


def _article(query: str, title: str) -> AppTask:
    return _in_app("Browser", f"read {title}", "Search or type web address", TypeText(type=query), "Go", title)


def _product(query: str, name: str) -> AppTask:
    return _in_app("Shop", f"look at {name}", "Search Shop", TypeText(type=query), name)


def _sum(left: str, word: str, sign: str, right: str) -> AppTask:
    return _in_app("Calculator", f"work out {left} {word} {right}", left, sign, right, "=")


def _note(words: str) -> AppTask:
    return _in_app("Notes", f"write down {words}", "New note", TypeText(type=words), BACK, BACK)


APP_TASKS: tuple[AppTask, ...] = (
    *_open("Notes", "Packing list", "Pancakes", "Book club", "Gift ideas", "Wi-Fi of the cottage", "Quote"),
    *_open("Calendar", "Wednesday, November 25", "Thursday, November 26", "Monday, November 30"),
    *_open("Clock", "World clock", "Stopwatch", "Timer"),
    *_open("Settings", "Network & internet", "Connected devices", "Notifications", "Display", "Battery", "Storage"),
    *_open("Mail", "Dinner on Saturday", "Quarterly figures by Monday?", "Your card expires on 30 November"),
    *_open("Messages", "Mira Vogel", "Jonas Weber", "Lena Hartmann", "Sofia Rossi", "Aisha Rahman"),
    *_open("Photos", "First frost on the ridge", "Brunch on Sunday", "Fog between the firs", "Balloon festival"),
    *_open("Photos", "Albums", "Golden October", "Skyline from the bridge", "Noodles with Kenji"),
    *_open("Music", "Albums", "Playlists"),
    *_open("Social", "Like", "Comments", "Profile"),
    *_open("Browser", "Oslo weather: forecast for the week", "Fluffy pancakes in twenty minutes"),
    *_open("Shop", "Novo Basic wireless headphones", "Saved", "Orders"),
    _article("lisbon weather", "Lisbon weather: forecast for the week"),
    _article("tokyo weather", "Tokyo weather: forecast for the week"),
    _article("lentil soup", "Red lentil soup with lemon"),
    _article("kyoto", "Kyoto in autumn: gardens, temples, tea"),
    _article("comet", "A comet you can see without a telescope"),
    _product("kettle", "Gooseneck electric kettle"),
    _product("candle", "Cedar and fig candle"),
    _product("puzzle", "World map puzzle, 1000 pieces"),
    _product("lamp", "Arc reading lamp"),
    _sum("7", "times", "Multiply", "8"),
    _sum("9", "plus", "Plus", "5"),
    _sum("8", "minus", "Minus", "3"),
    _note("Call Nora"),
    _note("Water the plants"),
    _note("Return the drill"),
    _in_app("Browser", "scroll the forecast of Oslo", "Oslo weather: forecast for the week", Drag(up=0.3)),
    _in_app("Settings", "scroll the topics", Drag(up=0.3)),
    _in_app("Settings", "go to Display and back", "Display", BACK),
    _in_app("Settings", "turn on the Dark theme", "Display", "Dark theme"),
    _in_app("Notes", "look into Quote and go back", "Quote", BACK),
    _in_app("Calendar", "turn to the Next month", "Next month"),
    _in_app("Messages", "write Thank you to Mum", "Mum", "Text message", TypeText(type="Thank you"), "Send message"),
)
GeneratedTask = tuple[TaskInfo, tuple[Move, ...]]
_CATEGORIES = ("Information_Management", "General_Tool", "Web_Shopping", "Social_Sharing", "Media_Entertainment")


def generated_tasks(seed: int) -> Iterator[GeneratedTask]:
    rng = random.Random(seed)
    done: set[tuple[AppTask, ...]] = set()
    while True:
        count = 3 if len(done) % 5 == 4 else 2
        parts = tuple(rng.sample(APP_TASKS, count))
        if len({part.app for part in parts}) == count and parts not in done:
            done.add(parts)
            yield _generated_task(parts, rng)


def _generated_task(parts: tuple[AppTask, ...], rng: random.Random) -> GeneratedTask:
    task = TaskInfo(
        rng.choice(_CATEGORIES) if len(parts) == 2 else "Multi_Apps",
        tuple(part.app for part in parts),
        f"Do this: {', then '.join('{}' for _ in parts)}.",
        f"Do this: {', then '.join(part.words for part in parts)}.",
        f"Please: {', afterwards '.join(f'in {part.app} {part.words}' for part in parts)}.",
    )
    moves = [move for part in parts for move in (HOME, *part.moves)][1:]
    end = ScriptImpossible(impossible="Item not found") if rng.random() < 0.1 else ScriptComplete(complete="")
    return task, (*moves, end)
