"""Tasks for the clean episodes: in two apps and more, on five of the devices."""

from dataclasses import dataclass

from odyssey_recorder.commands.demo_annotator import Drag, Move, On
from odyssey_recorder.model.episode import TaskInfo
from odyssey_recorder.recording.script import PressKey, ScriptComplete, ScriptImpossible, TypeText

_KEYS = {key: PressKey(key=key) for key in ("HOME", "BACK", "RECENT")}
_UP = Drag(up=0.3)
_FORECAST = (
    "Sleet in the morning turns to light snow by the evening, with temperatures around 2 °C and a fresh"
    " wind from the fjord. Roads above 200 metres may be slippery tonight."
)


@dataclass(frozen=True, slots=True)
class ScriptedTask:
    name: str
    profile: str
    task: TaskInfo
    moves: tuple[Move, ...]


def _scripted(
    name: str, profile: str, category: str, apps: str, texts: tuple[str, str, str], *moves: str | Move
) -> ScriptedTask:
    """`texts` are template, item and instruction.

    A move that is a text is the label of the view to touch, or a system key; without a terminal step the episode is
    COMPLETE.
    """
    template, item, instruction = texts
    task = TaskInfo(category, tuple(apps.split(", ")), template, template.replace("{}", item), instruction)
    parsed = [_KEYS.get(move, On(move)) if isinstance(move, str) else move for move in moves]
    if not isinstance(parsed[-1], ScriptComplete | ScriptImpossible):
        parsed.append(ScriptComplete(complete=""))
    return ScriptedTask(name, profile, task, tuple(parsed))


SCRIPTED_TASKS = (
    _scripted(
        "candle", "small_phone", "Web_Shopping", "Shop, Notes",
        ("Find {} in the shop and write its name down.", "the cedar and fig candle",
         "Search Shop for the cedar and fig candle and write its full name into a new note in Notes."),
        "Shop", "Search Shop", TypeText(type="candle"), "Cedar and fig candle",
        "HOME", "Notes", "New note", TypeText(type="Cedar and fig candle"), "BACK", "BACK",
    ),
    _scripted(
        "tiles", "medium_phone", "General_Tool", "Calculator, Notes",
        ("Work out {} and note it.", "7 times 8 tiles",
         "Let Calculator work out 7 times 8 tiles for my bathroom, and keep the result in Notes."),
        "Calculator", "7", "Multiply", "8", "=", "HOME", "Notes", "New note", TypeText(type="56 tiles"), "BACK",
    ),
    _scripted(
        "dark", "small_phone", "General_Tool", "Settings, Clock",
        ("Change the display to {} and look at the alarms.", "the dark theme",
         "Switch Settings to the dark theme, then show me the world clock in Clock."),
        "Settings", "Display", "Dark theme", "HOME", "Clock", "World clock",
    ),
    _scripted(
        "library", "small_phone", "Information_Management", "Mail, Calendar",
        ("Look up {} in the mail and see what else is on that day.", "when my library card expires",
         "Read in Mail when my library card expires and tell me from Calendar what else is on that day."),
        "Mail", _UP, "Your card expires on 30 November", "HOME", "Calendar", "Monday, November 30",
        ScriptComplete(complete="Nothing else."),
    ),
    _scripted(
        "forecast", "small_phone", "Information_Management", "Browser, Notes",
        ("Keep {} in a note.", "the weather of Oslo",
         "Open the weather of Oslo in Browser, copy a word of the forecast and paste it into Notes."),
        "Browser", "Oslo weather: forecast for the week", _UP, On(_FORECAST, hold=True), "Copy",
        "HOME", "Notes", "New note", On("Note", hold=True), "Paste",
    ),
    _scripted(
        "zeppelins", "small_phone", "Information_Management", "Browser, Notes",
        ("Find out when {} opens and write it down.", "the zeppelin museum",
         "Look in Browser when the zeppelin museum opens, and write the hour into Notes."),
        "Browser", "Search or type web address", TypeText(type="zeppelin museum"), "Go", "HOME", "Notes",
        ScriptImpossible(impossible="Item not found"),
    ),
    _scripted(
        "book club", "small_phone", "Multi_Apps", "Calendar, Clock, Notes",
        ("See whether {} fits: what the calendar, the alarms and the notes say of it.", "the book club",
         "Does the book club fit? Look at Wednesday the 25th in Calendar, at the alarms in Clock, and at Notes."),
        "Calendar", "Wednesday, November 25", "HOME", "Clock", "HOME", "Notes", "Book club", "RECENT", "Clock",
    ),
    _scripted(
        "pancakes", "pixel_tablet", "General_Tool", "Notes, Calculator",
        ("Work out how much {} needs.", "a double portion of pancakes",
         "Look up the flour for pancakes in Notes and let Calculator tell what a double portion of pancakes needs."),
        "Notes", "Pancakes", "HOME", "Calculator", "4", "0", ScriptComplete(complete="400 g"),
    ),
    _scripted(
        "headphones", "pixel_fold", "Social_Sharing", "Shop, Messages",
        ("Tell {} of an offer.", "Jonas",
         "Find headphones in Shop that cost little and tell Jonas of them in Messages."),
        "Shop", "Novo Basic wireless headphones", "HOME", "Messages", "Jonas Weber", "Text message",
        TypeText(type="Novo Basic is cheap"), "Send message",
    ),
    _scripted(
        "balloons", "small_phone", "Media_Entertainment", "Photos, Messages",
        ("Look at {} and tell a friend of it.", "the balloon festival",
         "Open the screenshot of the balloon festival in Photos and tell Mira in Messages that it was fine."),
        "Photos", "Balloon festival", "HOME", "Messages", "Mira Vogel", "Text message",
        TypeText(type="The balloons were fine"), "Send message",
    ),
    _scripted(
        "frost", "medium_phone", "Social_Sharing", "Social, Notes",
        ("Like {} and remember who wrote it.", "the post on the first frost",
         "Like the post on the first frost in Social and write in Notes who wrote it."),
        "Social", "Like", "HOME", "Notes", "New note", TypeText(type="Jonas"), "BACK",
    ),
    _scripted(
        "cottage", "small_phone", "General_Tool", "Settings, Notes",
        ("Find {} and see whether the phone knows the network.", "the password of the cottage",
         "See in Settings which Wi-Fi there is and find the password of the cottage in Notes."),
        "Settings", "Network & internet", "BACK", "HOME", "Notes", "Wi-Fi of the cottage",
    ),
)  # fmt: skip
FEW_TASKS = tuple(scripted for scripted in SCRIPTED_TASKS if scripted.name in {"candle", "library", "balloons"})
"""Enough for a defect of every check; they are recorded side by side."""
