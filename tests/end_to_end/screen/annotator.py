"""Drives the program's window with mouse and keyboard; finds controls by their accessible names."""

import json
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from operator import methodcaller
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

from tests.end_to_end.screen.display import Xdotool
from tests.end_to_end.screen.phone import SimulatedPhone
from tests.end_to_end.screen.window import Window
from tests.end_to_end.screen.window_content import Element, Mirror, Rect, WindowContent

BUTTONS = frozenset({"Button", "CheckBox", "RadioButton", "ButtonMenu"})
FIELDS = frozenset({"EditableText", "SpinBox", "ComboBox"})
ANYTHING: frozenset[str] = frozenset()

_SMALLEST = (1100, 700)
_WITH_BORDER = frozenset({"Before you record", "Unfinished recordings", "Doctor", "Drop steps"})
"""Dialogs that get a border in the images of the documentation."""
_DRAG = 0.4
"""The share of the screen's height that `drag_up` covers."""

Act = str | Callable[["Annotator"], object]
"""What makes one step: a label to tap on the phone, or something else that an annotator can do."""
SCROLL: Act = methodcaller("drag_up")


def typing(text: str) -> Act:
    return methodcaller("type_text", text)


def pressing(button: str) -> Act:
    return methodcaller("press", button)


def holding(label: str) -> Act:
    return methodcaller("hold", label)


LOOK_UP_THE_WEATHER = (
    "Browser", "Search or type web address", typing("lisbon weather"), "Go", "Lisbon weather: forecast for the week",
    SCROLL,
)  # fmt: skip
TELL_SOFIA = (
    pressing("Home"), "Messages", "Sofia Rossi", "Text message", typing("Tomorrow it is sunny in Lisbon, 18 degrees"),
    "Send message",
)  # fmt: skip


class Annotator:
    def __init__(self, window: Window, xdotool: Xdotool, phone: SimulatedPhone, screenshots: Path | None) -> None:
        self.window = window
        self.xdotool = xdotool
        self.phone = phone
        self._screenshots = screenshots

    # The window.

    def find(self, name: str, roles: Collection[str] = ANYTHING) -> Element:
        """The control called `name`, once it is fully visible, enabled and has not moved since the last look."""
        before: list[Element] = []

        def is_steady(content: WindowContent) -> bool:
            found = [
                one
                for one in content.named(name)
                if (not roles or one.role in roles) and one.is_enabled and one.is_fully_visible
            ]
            steady = bool(found) and [one.rect for one in found] == [one.rect for one in before]
            before[:] = found
            return steady

        self.window.wait_until(is_steady, f"{name!r} {list(roles)}")
        return before[0]

    def wait_for(self, *texts: str) -> WindowContent:
        return self.window.wait_until(lambda content: all(map(content.shows, texts)), f"{texts}")

    def wait_for_entry(self, text: str, *, of: str) -> None:
        self.window.wait_until(
            lambda content: any(one.name == text for one in content.items(of)), f"{text!r} in {of!r}"
        )

    def wait_for_dialog(self, title: str) -> WindowContent:
        return self.window.wait_until(lambda content: content.title == title, f"the dialog {title!r}")

    @contextmanager
    def dialog(self, title: str) -> Iterator[None]:
        """The dialog, which has been opened; what is done in it must close it."""
        self.wait_for_dialog(title)
        yield
        self.window.wait_until(lambda content: not content.is_dialog, "the main window")

    def press(self, name: str, *, expect: str | tuple[str, ...] = ()) -> None:
        """Press a button, and wait for texts."""
        self.xdotool.click(*self.find(name, BUTTONS).rect.middle)
        self._expect(expect)

    def choose(self, text: str, *, of: str, times: int = 1, expect: str | tuple[str, ...] = ()) -> None:
        """Click the entry with `text` in the list called `of`, after scrolling to it."""
        entry = self._entry(text, of)
        while not entry.is_fully_visible:
            middle = self._visible_middle(of)
            self.xdotool.turn_wheel(*middle, down=1 if entry.rect.middle[1] > middle[1] else -1)
            before = entry.rect
            self.window.wait_until(lambda c, before=before: _rect(c, text, of) != before, f"{of!r} to scroll")  # type: ignore[misc]
            entry = self._entry(text, of)
        self.xdotool.click(*entry.rect.middle, times=times)
        self._expect(expect)

    def write(self, text: str, *, into: str) -> None:
        self.xdotool.click(*self.find(into, FIELDS).rect.middle)
        self.keys("ctrl+a")
        self.xdotool.type(text)
        self.window.wait_until(
            lambda content: any(one.value == text for one in content.named(into)), f"{text!r} in {into!r}"
        )

    def keys(self, *keys: str, expect: str | tuple[str, ...] = ()) -> None:
        self.window.focus()
        self.xdotool.press(*keys)
        self._expect(expect)

    def type(self, text: str) -> None:
        self.window.focus()
        self.xdotool.type(text)

    def select(self, text: str, *, of: str) -> None:
        self.xdotool.click(*self.find(of, {"ComboBox"}).rect.middle)
        self.xdotool.click(*self.find(text, {"ListItem"}).rect.middle)

    def _expect(self, texts: str | tuple[str, ...]) -> None:
        if texts:
            self.wait_for(*([texts] if isinstance(texts, str) else texts))

    def _entry(self, text: str, of: str) -> Element:
        def entries(content: WindowContent) -> list[Element]:
            return [one for one in content.items(of) if text in one.name and not one.rect.is_empty]

        return entries(self.window.wait_until(lambda content: bool(entries(content)), f"{text!r} in {of!r}"))[0]

    def _visible_middle(self, of: str) -> tuple[int, int]:
        content = self.window.content()
        # The button of a page may have the same name as a list on it.
        whole = max((one.rect for one in content.named(of)), key=lambda rect: rect.width * rect.height)
        around = content.elements[0].rect
        top, bottom = max(whole.y, around.y), min(whole.y + whole.height, around.y + around.height)
        return whole.middle[0], (top + bottom) // 2

    # The phone in the mirror.

    def mirror(self) -> Mirror:
        mirror = self.window.wait_until(lambda c: c.mirror is not None and c.mirror.takes_input, "the mirror").mirror
        assert mirror is not None
        return mirror

    def tap(self, label: str) -> None:
        self.xdotool.click(*self.mirror_position(label))

    def mirror_position(self, label: str) -> tuple[int, int]:
        at = self.phone.position_of(label)
        return self.mirror().position_of(at.x, at.y)

    def hold(self, label: str) -> None:
        self.xdotool.put_down(*self.mirror_position(label))
        self.window.wait_until(lambda c: c.mirror is not None and "Long" in c.mirror.gesture, "a long press")
        self.xdotool.lift()

    def drag_up(self) -> None:
        mirror = self.mirror()
        width, height = mirror.screenshot
        low, length = height * (1 + _DRAG) / 2, height * _DRAG
        self.xdotool.drag([mirror.position_of(width // 2, int(low - length * tenth / 10)) for tenth in range(11)])

    def type_text(self, text: str) -> None:
        self.write(text, into="Text to type")
        self.xdotool.press("Return")

    # Recording.

    def answer_first_dialog(self, name: str = "Ada", *buttons: str) -> None:
        """Press `buttons`, by default that of someone who agrees and need not practise."""
        with self.dialog("Before you record"):
            self.write(name, into="Your name")
            for button in buttons or ["I agree"]:
                self.press(button)

    def choose_task(self, text: str, *, check: str = "") -> None:
        """Make the only task with this text the one to record; `check` names the screenshot of the list."""
        self.press("Tasks")
        self.write(text, into="Search tasks")
        self.wait_for("1 of 48 shown")
        if check:
            self.check_layout(check)
        self.press("Record this task")
        self.find("Start recording")

    def start_recording(self) -> None:
        self.press("Start recording")
        self.show_steps()
        self.wait_for_steps(0)

    def show_steps(self) -> None:
        """Open the panel of the steps, which is closed beside the screen of a tablet."""
        if not self.wait_for("Ready.").named("Steps"):
            self.keys("ctrl+shift+b")

    def wait_for_steps(self, count: int) -> tuple[str, ...]:
        """Until `count` steps are recorded and the next action is possible; returns their texts."""
        content = self.window.wait_until(lambda content: _has_steps(content, count), f"{count} steps, and Ready")
        return tuple(step.name for step in content.items("Steps"))

    def do_steps(self, *acts: Act, before: int = 0) -> None:
        """After `before` steps; waits for each."""
        for number, act in enumerate(acts, start=before + 1):
            if isinstance(act, str):
                self.tap(act)
            else:
                act(self)
            self.wait_for_steps(number)

    def lose_device(self) -> None:
        self.phone.emulator.faults.control.switch_off(off=True)
        self.phone.emulator.faults.go_offline()
        self.wait_for("Device lost. ")

    def reconnect_device(self) -> None:
        self.phone.emulator.faults.go_online()
        self.phone.emulator.faults.control.switch_off(off=False)
        self.wait_for_steps(1)

    def follow_script(self, script: Path) -> None:
        steps = 0
        commands = [json.loads(line) for line in script.read_text(encoding="utf-8").splitlines()]
        for command in commands:
            for act in self._acts(command):
                self.do_steps(act, before=steps)
                steps += 1
        if "complete" in commands[-1]:
            self.complete(commands[-1]["complete"])
        else:
            reason = commands[-1]["impossible"]
            self.press("Impossible")
            self.find(reason)
            self.press(reason)
            self.publish()

    def _acts(self, command: dict[str, Any]) -> Iterator[Act]:
        match command:
            case {"on": label, "hold": True}:
                yield holding(label)
            case {"on": label}:
                yield label
            case {"reach": label}:
                while not self.phone.shows(label):
                    yield SCROLL
            case {"type": text}:
                yield typing(text)
            case {"key": key}:
                yield pressing(key.capitalize())
            case _:
                assert command.keys() & {"complete", "impossible"}, f"{command} cannot be done by hand"

    def complete(self, note: str = "") -> None:
        self.press("Complete")
        self.find("Note")
        if note:
            self.write(note, into="Note")
        self.publish()

    def publish(self, confirm: Callable[[], object] | None = None) -> None:
        """Confirm the end of the episode, again if the checks found something."""
        button = "Finish" if self.window.content().named("Finish") else "Publish"
        confirm = confirm or (lambda: self.press(button))
        confirm()
        content = self.window.wait_until(lambda c: _is_over(c) or c.shows("Please check:"), "the end, or findings")
        if not _is_over(content):
            confirm()
            self.window.wait_until(_is_over, "the end")

    def open_for_review(self, text: str) -> None:
        button = self.wait_for("for you").named("Show list")[0]
        if button.is_enabled and not button.is_checked:
            self.press("Show list")
        self.choose(text, of="Episodes to review", expect="Step 1 of")

    # Screenshots.

    def check_layout(self, name: str) -> None:
        """Fail on cut-off text and on controls without a name.

        If a screenshot folder is set, as in the long run, also in the smallest window size; keeps one screenshot in
        light and one in dark colours. Without one, tests/gui/test_every_control.py checks all pages in that size.
        """
        content = self.window.content()
        self._check(name, "light")
        if self._screenshots is None:
            return
        resizes = not content.is_dialog
        if resizes:
            self._resize(content, _SMALLEST)
        self._check(name, "dark")
        if resizes:
            self._resize(content, (content.elements[0].rect.width, content.elements[0].rect.height))

    def _check(self, name: str, theme: str) -> None:
        if self._screenshots is not None:
            self.window.use_theme(theme)
        # Changed labels get their size with the next pass of the layout.
        content = self.window.wait_until(lambda c: not any(one.is_cut_off for one in c.elements), "space for all texts")
        nameless = [(one.role, one.ancestors) for one in content.elements if one.takes_focus and not one.name]
        assert not nameless, f"without a name: {nameless}"
        if self._screenshots is not None:
            self.window.save_screenshot(self._screenshots / f"{name}-{self.phone.profile}-{theme}.png")
            self.window.use_theme("light")

    def _resize(self, content: WindowContent, size: tuple[int, int]) -> None:
        self.xdotool.resize(content.window_id, *size)
        self.window.wait_until(lambda c: (c.elements[0].rect.width, c.elements[0].rect.height) == size, f"{size}")

    def save_image(self, name: str, theme: str = "light") -> None:
        """Save a screenshot for the documentation."""
        assert self._screenshots is not None
        file = self._screenshots / f"{name}.png"
        self.window.use_theme(theme)
        self.window.save_screenshot(file)
        content = self.window.content()
        if content.title in _WITH_BORDER:
            _draw_border(file, content.elements[0].rect)


def _rect(content: WindowContent, text: str, of: str) -> Rect | None:
    return next((one.rect for one in content.items(of) if text in one.name), None)


def _has_steps(content: WindowContent, count: int) -> bool:
    ready = content.shows("Ready.") and content.mirror is not None and content.mirror.takes_input
    return ready and len(content.items("Steps")) == count


def _is_over(content: WindowContent) -> bool:
    return content.shows("The episode is published.") or content.shows("Recorded. ")


def _draw_border(screenshot: Path, rect: Rect) -> None:
    image = Image.open(screenshot).convert("RGB")
    edge = (rect.x, rect.y, rect.x + rect.width - 1, rect.y + rect.height - 1)
    ImageDraw.Draw(image).rectangle(edge, outline=(120, 120, 120), width=1)
    image.save(screenshot)
