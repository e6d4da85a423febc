"""Labelled screenshots and pairs of screenshots of the simulated emulator, which provides the labels."""

import random
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path

from PIL import Image, ImageChops, ImageColor, ImageOps

from odyssey_recorder.checking.one_episode.check import area_dp2
from odyssey_recorder.checking.screenshot import change, measure
from odyssey_recorder.device.profile import profile_named
from odyssey_recorder.model.geometry import Size
from odyssey_simulator.journal import RecordedInput, RecordedJournal
from odyssey_simulator.phone import ComposedFrame, PhoneState, Rect
from tests.checking.folders import png, view_of
from tests.cli import wait_until
from tests.simulator.person import Person, person_with

APPS = (
    "Shop", "Notes", "Settings", "Social", "Messages", "Calculator", "Clock", "Calendar", "Music", "Mail", "Photos",
    "To-do", "Browser",
)  # fmt: skip
_UNUSED_KEY, _POWER = 0, 26
_SWITCHES = ("Notifications", "Display", "Connected devices")


@dataclass(frozen=True, slots=True)
class Pair:
    """`share` (0..1) is of the pixels that the checks look at, `area` the same in dp²; `kind` is the action."""

    kind: str
    profile: str
    changed: bool
    share: float

    @property
    def area(self) -> float:
        profile = profile_named(self.profile)
        return area_dp2(self.share, Size(profile.size.width, profile.size.height), profile.density)


@dataclass(frozen=True, slots=True)
class LabelledScreen:
    kind: str
    blank: bool
    deviation: float
    flat: float


def image_of(screen: ComposedFrame) -> Image.Image:
    return Image.frombytes("RGBA", (screen.width, screen.height), screen.rgba).convert("RGB")


def random_pairs(profile: str, *, seed: int, actions: int) -> list[Pair]:
    with tempfile.TemporaryDirectory() as folder:
        journal = Path(folder) / "journal"
        with person_with(profile, seed=seed, journal=journal) as person:
            recorder = _PairRecorder(person, profile)
            _act_randomly(recorder, random.Random(f"{profile}{seed}"), actions)
        return [*recorder.labelled(RecordedJournal.read(journal))]


def _open(person: Person, app: str, *pages: str) -> None:
    """`pages` are opened one after the other, each from the one before."""
    person.phone.clear_recents()
    person.open(app)
    for page in pages:
        person.scroll_to(page)
        person.tap(page)


# Actions.


class _PairRecorder:
    """Screenshots before and after each action; in the journal the actions are separated by an unused key."""

    def __init__(self, person: Person, profile: str) -> None:
        self.person = person
        self.profile = profile
        self._recorded: list[tuple[str, float]] = []

    def do(self, kind: str, act: Callable[[], object]) -> None:
        self.person.phone.press_key(_UNUSED_KEY)
        before = self.person.phone.screen()
        act()
        after = self.person.phone.screen()
        self.person.phone.press_key(_UNUSED_KEY)
        same = before is after
        self._recorded.append((kind, 0.0 if same else change(view_of(image_of(before)), view_of(image_of(after)))))

    def labelled(self, journal: RecordedJournal) -> Iterator[Pair]:
        for (kind, share), inputs in zip(self._recorded, _inputs_between_marks(journal), strict=True):
            yield Pair(kind, self.profile, journal.changed_screen(*inputs), share)


def _inputs_between_marks(journal: RecordedJournal) -> Iterator[tuple[RecordedInput, ...]]:
    marks = [at for at, felt in enumerate(journal.inputs) if felt.text == f"key {_UNUSED_KEY}"]
    for begin, end in list(pairwise(marks))[::2]:
        yield journal.inputs[begin + 1 : end]


def _act_randomly(recorder: _PairRecorder, rng: random.Random, actions: int) -> None:
    person = recorder.person
    for number in range(actions):
        if number % 8 == 0:
            _open(person, rng.choice(APPS))
        kind = rng.choices(("tap", "beside", "scroll", "back"), (5, 2, 2, 1))[0]
        if kind == "tap":
            node = rng.choice([node for node in person.nodes if node.clickable])
            recorder.do("tap", partial(person.tap_at, *node.bounds.center))
        elif kind == "beside":
            recorder.do("tap beside everything", partial(person.tap_at, *person.phone.state().status_bar.center))
        elif kind == "scroll":
            _scroll(recorder, share=rng.choice((-0.5, 0.5, -0.1)))
        else:
            recorder.do("BACK", person.back)


def _scroll(recorder: _PairRecorder, *, share: float) -> None:
    lists = [node for node in recorder.person.nodes if node.scrollable]
    if lists:
        recorder.do("scroll", lambda: recorder.person.scroll(lists[-1].bounds, share))


# Hard cases: small changes, and changes that are not an effect.


def hard_pairs(profile: str) -> list[Pair]:
    with tempfile.TemporaryDirectory() as folder:
        journal = Path(folder) / "journal"
        with person_with(profile, journal=journal) as person:
            recorder = _PairRecorder(person, profile)
            _switches(recorder)
            _small_marks(recorder)
            _letters(recorder)
            _end_of_a_list(recorder)
            staged = [*_cursor(recorder), *_bars(recorder), *_animation(recorder)]
        return [*recorder.labelled(RecordedJournal.read(journal)), *staged]


def _switches(recorder: _PairRecorder) -> None:
    person = recorder.person
    for page in _SWITCHES:
        _open(person, "Settings", page)
        for node in [node for node in person.nodes if node.checkable][:4]:
            recorder.do("switch", partial(person.tap_at, *node.bounds.center))
        person.back()


def _small_marks(recorder: _PairRecorder) -> None:
    person = recorder.person
    for app, kind, words in (
        ("To-do", "check box", "Complete "),
        ("Mail", "star", "Star "),
        ("Shop", "heart", "Save "),
        ("Social", "heart", "Like"),
    ):
        _open(person, app)
        marks = [node for node in person.nodes if node.content_desc.startswith(words)][:3]
        for node in marks:
            recorder.do(kind, partial(person.tap_at, *node.bounds.center))


def _letters(recorder: _PairRecorder) -> None:
    person = recorder.person
    _open(person, "Notes", "New note")
    for letter in "il.tM":
        recorder.do("one letter", partial(person.type, letter))
    recorder.do("cursor moved", lambda: person.tap_at(person.field("title").bounds.left + 2, _middle(person)))
    _open(person, "Calculator")
    for digit in "172":
        recorder.do("one digit", partial(person.tap, digit))


def _middle(person: Person) -> float:
    return person.field("title").bounds.center[1]


def _end_of_a_list(recorder: _PairRecorder) -> None:
    person = recorder.person
    _open(person, "Settings")
    for _ in range(3):
        person.scroll(_last_list(person), -0.8)
    for _ in range(2):
        recorder.do("scroll at the end of a list", lambda: person.scroll(_last_list(person)))


def _last_list(person: Person) -> Rect:
    return [node for node in person.nodes if node.scrollable][-1].bounds


def _cursor(recorder: _PairRecorder) -> Iterator[Pair]:
    """The simulated emulator's cursor does not blink: it is painted over with the background at its place."""
    person = recorder.person
    _open(person, "Notes", "New note")
    person.type("mmmmmm")
    behind = image_of(person.phone.screen())
    person.tap_at(person.field("title").bounds.left + 2, _middle(person))
    before = image_of(person.phone.screen())
    left, top, right, bottom = ImageChops.difference(behind, before).getbbox() or (0, 0, 0, 0)
    middle = (left + right) // 2
    without = behind.copy()
    without.paste(before.crop((middle, top, right, bottom)), (middle, top))
    yield Pair("cursor that blinks", recorder.profile, False, change(view_of(behind), view_of(without)))


def _bars(recorder: _PairRecorder) -> Iterator[Pair]:
    """The system bars with every pixel changed: no clock and no icon can differ by more."""
    person = recorder.person
    for kind, rotation in (("bars repainted", 0), ("bars repainted, turned", 1)):
        person.phone.set_rotation(rotation)
        before = image_of(person.phone.screen())
        state = person.phone.state()
        after = before.copy()
        for bar in (state.status_bar, state.navigation_bar):
            box = (bar.left, bar.top, bar.right, bar.bottom)
            after.paste(ImageOps.invert(before.crop(box)), box[:2])
        yield Pair(kind, recorder.profile, False, change(view_of(before), view_of(after)))
    person.phone.set_rotation(0)


def _animation(recorder: _PairRecorder) -> Iterator[Pair]:
    person = recorder.person
    _open(person, "Settings", "Display", "Screen saver")
    before = person.phone.screen()
    wait_until(lambda: person.phone.screen().number > before.number)
    after = person.phone.screen()
    yield Pair("moves by itself", recorder.profile, False, change(view_of(image_of(before)), view_of(image_of(after))))
    person.tap("Screen saver")


# Blank screens and others.


def labelled_screens(profile: str) -> list[LabelledScreen]:
    with person_with(profile) as person:
        return [LabelledScreen(kind, blank, *_measures(image)) for kind, blank, image in _screens(person)]


def _screens(person: Person) -> Iterator[tuple[str, bool, Image.Image]]:
    for theme in ("light", "dark"):
        for app in APPS:
            _open(person, app)
            yield f"page, {theme}", False, _screenshot(person)
        if theme == "light":
            _open(person, "Settings", "Display", "Dark theme")
    _open(person, "Notes", "New note")
    person.back()
    yield "empty note, dark", False, _screenshot(person)
    _open(person, "Settings", "Display", "Screen saver")
    yield "screen saver", False, _screenshot(person)
    person.tap("Screen saver")
    yield from _blank_screens(_screenshot(person), person.phone.state())
    person.phone.press_key(_POWER)
    yield "switched off", True, _screenshot(person)


def _blank_screens(image: Image.Image, state: PhoneState) -> Iterator[tuple[str, bool, Image.Image]]:
    """A secure window is black; one that has not drawn yet is its background. The bars stay."""
    box = (0, state.status_bar.bottom, image.width, state.navigation_bar.top)
    for kind, color in (("secure window", "#000000"), ("not drawn yet", "#fef7ff"), ("not drawn yet, dark", "#141218")):
        bare = image.copy()
        bare.paste(ImageColor.getrgb(color), box)
        yield kind, True, bare


def _screenshot(person: Person) -> Image.Image:
    return image_of(person.phone.screen())


def _measures(image: Image.Image) -> tuple[float, float]:
    screenshot, _ = measure(png(image, compress_level=1))
    return screenshot.deviation, screenshot.flat
