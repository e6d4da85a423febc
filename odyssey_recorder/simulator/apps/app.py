"""What an app of the simulated phone is: pages on a back stack, intents it takes, and the state they share."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Literal, Protocol

from odyssey_recorder.simulator.ui.view import Look, Memory, View


@dataclass(frozen=True, slots=True)
class Intent:
    """A wish that one app has of others: to `send` (share) a text, or to `view` an address."""

    action: Literal["send", "view"]
    text: str
    subject: str = ""


class System(Protocol):
    """What the phone offers to its apps."""

    @property
    def dark(self) -> bool: ...

    @property
    def seed(self) -> int: ...

    @property
    def clock(self) -> str:
        """The time of the status bar: "10:00"."""

    def share(self, text: str, *, subject: str = "") -> None:
        """Ask the user which app shall take this text, and hand it over."""

    def open(self, intent: Intent) -> None:
        """Hand a wish to the first app that takes it."""

    def open_app(self, package: str) -> None:
        """Bring another app to the front as it was left."""

    def copy(self, text: str) -> None:
        """Put text on the clipboard."""

    def toast(self, text: str) -> None:
        """Say a few words at the bottom of the screen until the next input."""

    def setting(self, namespace: str, key: str, fallback: str = "") -> str:
        """A system setting."""

    def change_setting(self, namespace: str, key: str, value: str) -> None:
        """Change a system setting, with its effect."""

    def fact(self, name: str) -> str:
        """Something about the device: "title", "model", "size", "density", "android"."""

    def installed(self) -> list["App"]:
        """Every app that has an icon."""


class Page:
    """One screen of an app. What it must remember are its attributes; `build` turns them into views.

    It is built anew after every input, so a callback only changes attributes. It may not keep functions that are
    written in place (lambdas) in attributes: pages are copied for snapshots.
    """

    title: str = ""
    """Last part of the window's title and of the activity."""
    background: str = "surface"
    status_color: str = "surface"
    navigation_color: str = "surface"
    bar_color: str = "on_surface"
    """Roles of the page itself, of the status bar, the navigation bar, and of the signs in both."""
    edge_to_edge: bool = False
    """Whether the page is laid out under the two bars, too."""
    beat_s: float = 0.0
    """Seconds between two calls of `beat` while the page is in front; 0 for a page that does not move by itself."""

    def __init__(self, app: "App") -> None:
        self.app = app
        self.memory = Memory()
        self.overlay = ""

    @property
    def system(self) -> System:
        return self.app.system

    def build(self, look: Look) -> View:
        """The views of this page; they get all the room between the status bar and what is below."""
        raise NotImplementedError

    def build_overlay(self, look: Look) -> View | None:
        """The menu, sheet or dialog (see widgets) that lies over the page while `overlay` names one.

        BACK, or a tap beside it, sets `overlay` back to "".
        """
        return None

    def beat(self) -> None:
        """The page moves on by itself."""

    def go(self, page: "Page") -> None:
        self.app.pages.append(page)

    def close(self) -> None:
        if len(self.app.pages) > 1:
            self.app.pages.remove(self)

    def show(self, overlay: str) -> None:
        """Put up a menu, sheet or dialog; "" takes it away."""
        self.overlay = overlay

    def shows(self, overlay: str) -> Callable[[], None]:
        """What `on_tap` needs to put up an overlay."""
        return lambda: self.show(overlay)

    def sets(self, name: str, *, of: object | None = None) -> Callable[[Any], None]:
        return partial(setattr, self if of is None else of, name)

    def focus(self, field: str) -> None:
        self.wanted_focus = field

    wanted_focus: str = ""

    def unfocus(self) -> None:
        self.memory.focus = None

    def on_back(self) -> bool:
        """Called by BACK before the page is left; true when the page has used it up."""
        return False


class App:
    """One installed app: a name, a look, and a stack of pages that stays until its task ends.

    Its own attributes (notes, orders) outlive the task: only a new phone resets them.
    """

    label: ClassVar[str]
    package: ClassVar[str]
    activity: ClassVar[str] = "MainActivity"
    icon: ClassVar[str]
    color: ClassVar[str]
    category: ClassVar[str] = ""
    takes: ClassVar[tuple[Literal["send", "view"], ...]] = ()
    share_label: ClassVar[str] = ""
    in_launcher: ClassVar[bool] = True
    is_system: ClassVar[bool] = False

    def __init__(self, system: System) -> None:
        self.system = system
        self.pages: list[Page] = []

    @property
    def component(self) -> str:
        return f"{self.package}.{self.activity}"

    def first_page(self) -> Page:
        raise NotImplementedError

    def receive(self, intent: Intent) -> Page:
        raise NotImplementedError
