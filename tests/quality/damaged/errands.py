"""Tasks for the clean episodes: in two apps and more, on five of the devices."""

from dataclasses import dataclass

from odyssey_recorder.commands.demo_annotator import Drag, Move, On
from odyssey_recorder.model.episode import TaskInfo
from odyssey_recorder.recording.script import PressKey, ScriptComplete, ScriptImpossible, TypeText

HOME, BACK, RECENT = PressKey(key="HOME"), PressKey(key="BACK"), PressKey(key="RECENT")
DONE = ScriptComplete(complete="")


@dataclass(frozen=True, slots=True)
class Errand:
    name: str
    profile: str
    task: TaskInfo
    moves: tuple[Move, ...]


ERRANDS = (
    Errand(
        "candle",
        "small_phone",
        TaskInfo(
            "Web_Shopping",
            ("Shop", "Notes"),
            "Find {} in the shop and write its name down.",
            "Find the cedar and fig candle in the shop and write its name down.",
            "Search Shop for the cedar and fig candle and write its full name into a new note in Notes.",
        ),
        (
            On("Shop"),
            On("Search Shop"),
            TypeText(type="candle"),
            On("Cedar and fig candle"),
            HOME,
            On("Notes"),
            On("New note"),
            TypeText(type="Cedar and fig candle"),
            BACK,
            BACK,
            DONE,
        ),
    ),
    Errand(
        "tiles",
        "medium_phone",
        TaskInfo(
            "General_Tool",
            ("Calculator", "Notes"),
            "Work out {} and note it.",
            "Work out 7 times 8 tiles and note it.",
            "Let Calculator work out 7 times 8 tiles for my bathroom, and keep the result in Notes.",
        ),
        (
            On("Calculator"),
            On("7"),
            On("Multiply"),
            On("8"),
            On("="),
            HOME,
            On("Notes"),
            On("New note"),
            TypeText(type="56 tiles"),
            BACK,
            DONE,
        ),
    ),
    Errand(
        "dark",
        "small_phone",
        TaskInfo(
            "General_Tool",
            ("Settings", "Clock"),
            "Change the display to {} and look at the alarms.",
            "Change the display to the dark theme and look at the alarms.",
            "Switch Settings to the dark theme, then show me the world clock in Clock.",
        ),
        (On("Settings"), On("Display"), On("Dark theme"), HOME, On("Clock"), On("World clock"), DONE),
    ),
    Errand(
        "library",
        "small_phone",
        TaskInfo(
            "Information_Management",
            ("Mail", "Calendar"),
            "Look up {} in the mail and see what else is on that day.",
            "Look up when my library card expires in the mail and see what else is on that day.",
            "Read in Mail when my library card expires and tell me from Calendar what else is on that day.",
        ),
        (
            On("Mail"),
            Drag(up=0.3),
            On("Your card expires on 30 November"),
            HOME,
            On("Calendar"),
            On("Monday, November 30"),
            ScriptComplete(complete="Nothing else."),
        ),
    ),
    Errand(
        "forecast",
        "small_phone",
        TaskInfo(
            "Information_Management",
            ("Browser", "Notes"),
            "Keep {} in a note.",
            "Keep the weather of Oslo in a note.",
            "Open the weather of Oslo in Browser, copy a word of the forecast and paste it into Notes.",
        ),
        (
            On("Browser"),
            On("Oslo weather: forecast for the week"),
            Drag(up=0.3),
            On(
                "Sleet in the morning turns to light snow by the evening, with temperatures around 2 °C and a fresh"
                " wind from the fjord. Roads above 200 metres may be slippery tonight.",
                hold=True,
            ),
            On("Copy"),
            HOME,
            On("Notes"),
            On("New note"),
            On("Note", hold=True),
            On("Paste"),
            DONE,
        ),
    ),
    Errand(
        "zeppelins",
        "small_phone",
        TaskInfo(
            "Information_Management",
            ("Browser", "Notes"),
            "Find out when {} opens and write it down.",
            "Find out when the zeppelin museum opens and write it down.",
            "Look in Browser when the zeppelin museum opens, and write the hour into Notes.",
        ),
        (
            On("Browser"),
            On("Search or type web address"),
            TypeText(type="zeppelin museum"),
            On("Go"),
            HOME,
            On("Notes"),
            ScriptImpossible(impossible="Item not found"),
        ),
    ),
    Errand(
        "book club",
        "small_phone",
        TaskInfo(
            "Multi_Apps",
            ("Calendar", "Clock", "Notes"),
            "See whether {} fits: what the calendar, the alarms and the notes say of it.",
            "See whether the book club fits: what the calendar, the alarms and the notes say of it.",
            "Does the book club fit? Look at Wednesday the 25th in Calendar, at the alarms in Clock, and at Notes.",
        ),
        (
            On("Calendar"),
            On("Wednesday, November 25"),
            HOME,
            On("Clock"),
            HOME,
            On("Notes"),
            On("Book club"),
            RECENT,
            On("Clock"),
            DONE,
        ),
    ),
    Errand(
        "pancakes",
        "pixel_tablet",
        TaskInfo(
            "General_Tool",
            ("Notes", "Calculator"),
            "Work out how much {} needs.",
            "Work out how much a double portion of pancakes needs.",
            "Look up the flour for pancakes in Notes and let Calculator tell what a double portion of pancakes needs.",
        ),
        (On("Notes"), On("Pancakes"), HOME, On("Calculator"), On("4"), On("0"), ScriptComplete(complete="400 g")),
    ),
    Errand(
        "headphones",
        "pixel_fold",
        TaskInfo(
            "Social_Sharing",
            ("Shop", "Messages"),
            "Tell {} of an offer.",
            "Tell Jonas of an offer.",
            "Find headphones in Shop that cost little and tell Jonas of them in Messages.",
        ),
        (
            On("Shop"),
            On("Novo Basic wireless headphones"),
            HOME,
            On("Messages"),
            On("Jonas Weber"),
            On("Text message"),
            TypeText(type="Novo Basic is cheap"),
            On("Send message"),
            DONE,
        ),
    ),
    Errand(
        "balloons",
        "small_phone",
        TaskInfo(
            "Media_Entertainment",
            ("Photos", "Messages"),
            "Look at {} and tell a friend of it.",
            "Look at the balloon festival and tell a friend of it.",
            "Open the picture of the balloon festival in Photos and tell Mira in Messages that it was fine.",
        ),
        (
            On("Photos"),
            On("Balloon festival"),
            HOME,
            On("Messages"),
            On("Mira Vogel"),
            On("Text message"),
            TypeText(type="The balloons were fine"),
            On("Send message"),
            DONE,
        ),
    ),
    Errand(
        "frost",
        "medium_phone",
        TaskInfo(
            "Social_Sharing",
            ("Social", "Notes"),
            "Like {} and remember who wrote it.",
            "Like the post on the first frost and remember who wrote it.",
            "Like the post on the first frost in Social and write in Notes who wrote it.",
        ),
        (On("Social"), On("Like"), HOME, On("Notes"), On("New note"), TypeText(type="Jonas"), BACK, DONE),
    ),
    Errand(
        "cottage",
        "small_phone",
        TaskInfo(
            "General_Tool",
            ("Settings", "Notes"),
            "Find {} and see whether the phone knows the network.",
            "Find the password of the cottage and see whether the phone knows the network.",
            "See in Settings which Wi-Fi there is and find the password of the cottage in Notes.",
        ),
        (On("Settings"), On("Network & internet"), BACK, HOME, On("Notes"), On("Wi-Fi of the cottage"), DONE),
    ),
)
