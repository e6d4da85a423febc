"""A user of the simulated emulator who reads, taps, swipes and types by what is visible."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from odyssey_simulator.evdev import InputNodes
from odyssey_simulator.faults import Faults
from odyssey_simulator.guest import Guest
from odyssey_simulator.phone import Node, Phone, Rect, TouchPhase
from odyssey_simulator.profile import Profile, profile_named
from tests.cli import wait_until


def digest(phone: Phone) -> str:
    """Equal for equal pixels."""
    return hashlib.sha256(phone.screen().rgba).hexdigest()


@contextmanager
def person_with(
    profile: str | Profile = "small_phone", *, seed: int = 0, animation: bool = False, journal: Path | None = None
) -> Iterator["Person"]:
    kind = profile if isinstance(profile, Profile) else profile_named(profile)
    phone = Phone(kind, seed=seed, animation=animation, journal=journal).without_notices()
    phone.start()
    try:
        yield Person(phone)
    finally:
        phone.stop()


@contextmanager
def guest_with(
    profile: str = "small_phone", *, animation: bool = False, journal: Path | None = None
) -> Iterator[Guest]:
    with person_with(profile, animation=animation, journal=journal) as person:
        yield Guest(person.phone, Faults(*(lambda: None,) * 3), InputNodes(), "test")


class Person:
    def __init__(self, phone: Phone) -> None:
        self.phone = phone

    @property
    def nodes(self) -> list[Node]:
        return list(self.phone.view_hierarchy(all_windows=True).walk())

    @property
    def words(self) -> list[str]:
        return [node.text for node in self.nodes if node.text]

    def sees(self, *words: str) -> bool:
        seen = {said for node in self.nodes for said in (node.text, node.content_desc)}
        return seen.issuperset(words)

    def find(self, words: str) -> Node:
        """The topmost node with exactly this text; raises LookupError if there is none."""
        for node in reversed(self.nodes):
            if words in (node.text, node.content_desc):
                return node
        raise LookupError(f"Nothing on the screen says {words!r}; there are {self.words}.")

    def field(self, key: str) -> Node:
        """The text field with this resource id; raises LookupError if there is none."""
        for node in self.nodes:
            if node.resource_id.endswith(f"id/{key}"):
                return node
        raise LookupError(f"No field {key!r} is on the screen.")

    def tap(self, *words: str) -> None:
        for each in words:
            self.tap_at(*self.find(each).bounds.center)

    def tap_field(self, key: str) -> None:
        self.tap_at(*self.field(key).bounds.center)

    def tap_at(self, x: float, y: float) -> None:
        self.phone.touch(TouchPhase.DOWN, x, y)
        self.phone.touch(TouchPhase.UP, x, y)

    def hold(self, words: str) -> None:
        self.hold_at(*self.find(words).bounds.center)

    def hold_at(self, x: float, y: float) -> None:
        self.phone.touch(TouchPhase.DOWN, x, y)
        before = self.phone.screen().number
        wait_until(lambda: self.phone.screen().number != before)
        self.phone.touch(TouchPhase.UP, x, y)

    def swipe(self, start: tuple[float, float], end: tuple[float, float], *, steps: int = 8) -> None:
        self.phone.touch(TouchPhase.DOWN, *start)
        for step in range(1, steps + 1):
            x = start[0] + (end[0] - start[0]) * step / steps
            y = start[1] + (end[1] - start[1]) * step / steps
            self.phone.touch(TouchPhase.MOVE, x, y)
        self.phone.touch(TouchPhase.UP, *end)

    def scroll(self, where: Rect, share: float = -0.5) -> None:
        x, y = where.center
        travel = where.height * share
        self.swipe((x, y - travel / 2), (x, y + travel / 2))

    def scroll_to(self, words: str) -> Node:
        """Scroll the front list until the text is visible; raises LookupError at its end."""
        for _ in range(30):
            if self.sees(words):
                return self.find(words)
            before = self.phone.screen().number
            lists = [node for node in self.nodes if node.scrollable]
            if not lists:
                break
            self.scroll(lists[-1].bounds)
            if self.phone.screen().number == before:
                break
        return self.find(words)

    def open(self, app: str, *words: str) -> None:
        """Go home, open the app by its icon, and tap these texts in turn."""
        self.home()
        if not self.sees(app):
            self.open_drawer()
            self.scroll_to(app)
        self.tap(app, *words)

    def open_drawer(self) -> None:
        size = self.phone.state().size
        x = size.width * 0.5
        self.swipe((x, size.height * 0.6), (x, size.height * 0.25))

    def home(self) -> None:
        self.phone.press_key(3)

    def back(self) -> None:
        self.phone.press_key(4)

    def recents(self) -> None:
        self.phone.press_key(187)

    @property
    def in_recents(self) -> bool:
        return any(node.resource_id == "com.android.launcher3:id/overview_panel" for node in self.nodes)

    def type(self, text: str) -> None:
        self.phone.type_text(text)

    def type_on_screen(self, text: str) -> None:
        """Type with the keys of the on-screen keyboard: lower-case letters and spaces."""
        for character in text:
            self.tap("Space" if character == " " else character)


def is_all_on_screen(person: Person) -> bool:
    size = person.phone.state().size
    whole = Rect(0, 0, size.width, size.height)
    return all(whole.covers(node.bounds) and not node.bounds.is_empty for node in person.nodes)
