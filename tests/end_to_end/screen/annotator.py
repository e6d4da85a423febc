"""Drives the program's window with mouse and keyboard; finds controls by their accessible names."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from odyssey_recorder.model.geometry import Pixel
from tests.end_to_end.screen.display import Hands
from tests.end_to_end.screen.phone import ShownPhone
from tests.end_to_end.screen.sight import Mirror, Rect, Seen, Sight
from tests.end_to_end.screen.window import Window

BUTTONS = frozenset({"Button", "CheckBox", "RadioButton", "ButtonMenu"})
FIELDS = frozenset({"EditableText", "SpinBox", "ComboBox"})
ANYTHING: frozenset[str] = frozenset()

_SMALLEST = (1100, 700)


class Annotator:
    def __init__(self, window: Window, hands: Hands, phone: ShownPhone, screenshots: Path | None) -> None:
        self.window = window
        self.hands = hands
        self.phone = phone
        self._screenshots = screenshots

    def find(self, name: str, roles: Collection[str] = ANYTHING) -> Seen:
        """The control called `name`, once it is fully visible, enabled and at rest in two looks."""
        before: list[Seen] = []

        def is_steady(sight: Sight) -> bool:
            seen = [one for one in sight.named(name) if _is_one_of(one, roles) and one.is_enabled and one.is_whole]
            steady = bool(seen) and [one.rect for one in seen] == [one.rect for one in before]
            before[:] = seen
            return steady

        self.window.wait_until(is_steady, f"{name!r} {list(roles)}")
        return before[0]

    def wait_for(self, *words: str) -> Sight:
        return self.window.wait_until(lambda sight: all(sight.says(some) for some in words), f"{words}")

    def wait_for_dialog(self, title: str) -> Sight:
        return self.window.wait_until(lambda sight: sight.title == title, f"the dialog {title!r}")

    @contextmanager
    def dialog(self, title: str) -> Iterator[None]:
        """The dialog, which has been opened; what is done in it must close it."""
        self.wait_for_dialog(title)
        yield
        self.window.wait_until(lambda sight: not sight.is_dialog, "the main window")

    def show_steps(self) -> None:
        """Open the panel of the steps once all is ready; beside the screen of a tablet it is closed."""
        if not any(self.wait_for("Ready.").named("Steps")):
            self.keys("ctrl+shift+b")

    def wait_for_steps(self, count: int) -> tuple[str, ...]:
        """Until `count` steps are recorded and the next action is possible; returns their texts."""
        is_so = self.window.wait_until(lambda sight: _has_steps(sight, count), f"{count} steps, and Ready")
        return tuple(step.name for step in is_so.items("Steps"))

    def press(self, name: str) -> None:
        self.hands.click(*self.find(name, BUTTONS).rect.middle)

    def choose(self, words: str, *, of: str, times: int = 1) -> None:
        """Click the entry with `words` in the list called `of`, after scrolling to it."""
        seen = self._entry(words, of)
        while not seen.is_whole:
            place = self._middle_in_sight(of)
            self.hands.turn_wheel(*place, down=1 if seen.rect.middle[1] > place[1] else -1)
            before = seen.rect
            self.window.wait_until(lambda s, before=before: _rect(s, words, of) != before, f"{of!r} to scroll")  # type: ignore[misc]
            seen = self._entry(words, of)
        self.hands.click(*seen.rect.middle, times=times)

    def write(self, text: str, *, into: str) -> None:
        self.hands.click(*self.find(into, FIELDS).rect.middle)
        self.window.attend()
        self.hands.press("ctrl+a")
        self.hands.type(text)
        self.window.wait_until(
            lambda sight: any(one.value == text for one in sight.named(into)), f"{text!r} in {into!r}"
        )

    def keys(self, *keys: str) -> None:
        self.window.attend()
        self.hands.press(*keys)

    def type(self, text: str) -> None:
        self.window.attend()
        self.hands.type(text)

    def select(self, words: str, *, of: str) -> None:
        self.hands.click(*self.find(of, {"ComboBox"}).rect.middle)
        self.hands.click(*self.find(words, {"ListItem"}).rect.middle)

    def _entry(self, words: str, of: str) -> Seen:
        def entries(sight: Sight) -> list[Seen]:
            return [one for one in sight.items(of) if words in one.name and not one.rect.is_empty]

        return entries(self.window.wait_until(lambda sight: bool(entries(sight)), f"{words!r} in {of!r}"))[0]

    def _middle_in_sight(self, of: str) -> tuple[int, int]:
        sight = self.window.look()
        # The button of a page may have the name of a list on it.
        whole = max((one.rect for one in sight.named(of)), key=lambda rect: rect.width * rect.height)
        around = next(iter(sight.seen)).rect
        top, bottom = max(whole.y, around.y), min(whole.y + whole.height, around.y + around.height)
        return whole.middle[0], (top + bottom) // 2

    def mirror(self) -> Mirror:
        shown = self.window.wait_until(lambda s: s.mirror is not None and s.mirror.takes_input, "the mirror").mirror
        assert shown is not None
        return shown

    def tap(self, label: str) -> Pixel:
        place = self.phone.place_of(label)
        self.hands.click(*self.mirror().place_of(place.x, place.y))
        return place

    def hold(self, label: str) -> Pixel:
        place = self.phone.place_of(label)
        self.hands.put_down(*self.mirror().place_of(place.x, place.y))
        self.window.wait_until(lambda s: s.mirror is not None and "Long" in s.mirror.gesture, "a long press")
        self.hands.lift()
        return place

    def drag_up(self, share: float = 0.4) -> None:
        mirror = self.mirror()
        width, height = mirror.screenshot
        low, length = height * (1 + share) / 2, height * share
        places = [mirror.place_of(width // 2, int(low - length * tenth / 10)) for tenth in range(11)]
        self.hands.drag(places)

    def type_text(self, text: str) -> None:
        self.write(text, into="Text to type")
        self.hands.press("Return")

    def photograph(self, name: str) -> None:
        """Fail on cut-off text, in the current and the smallest window size, and on controls without a name.

        If a screenshot folder is set, keep one screenshot in light and one in dark colours.
        """
        sight = self.window.look()
        self._check_and_keep(name, "light")
        is_small = not sight.is_dialog and self._resize(sight, _SMALLEST)
        if is_small or self._screenshots is not None:
            self._check_and_keep(name, "dark")
        if is_small:
            self._resize(sight, (sight.seen[0].rect.width, sight.seen[0].rect.height))

    def _check_and_keep(self, name: str, theme: str) -> None:
        if self._screenshots is not None:
            self.window.use_theme(theme)
        # Changed labels get their size with the next pass of the layout.
        sight = self.window.wait_until(lambda now: not any(one.is_cut for one in now.seen), "room for all words")
        nameless = [(one.role, one.within) for one in sight.seen if one.takes_focus and not one.name]
        assert not nameless, f"without a name: {nameless}"
        if self._screenshots is not None:
            self.window.photograph(self._screenshots / f"{name}-{self.phone.profile}-{theme}.png")
            self.window.use_theme("light")

    def _resize(self, sight: Sight, size: tuple[int, int]) -> bool:
        self.hands.resize(sight.window, *size)
        self.window.wait_until(lambda now: (now.seen[0].rect.width, now.seen[0].rect.height) == size, f"{size}")
        return True


def _is_one_of(one: Seen, roles: Collection[str]) -> bool:
    return not roles or one.role in roles


def _rect(sight: Sight, words: str, of: str) -> Rect | None:
    return next((one.rect for one in sight.items(of) if words in one.name), None)


def _has_steps(sight: Sight, count: int) -> bool:
    ready = sight.says("Ready.") and sight.mirror is not None and sight.mirror.takes_input
    return ready and len(sight.items("Steps")) == count
