"""Apps of the simulated emulator: pages on a back stack, intents, and the services they get from the system."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Literal, Protocol

from pydantic_core import from_json, to_json

from odyssey_simulator.ui import widgets as ui
from odyssey_simulator.ui.controls import Text, TextField
from odyssey_simulator.ui.layout import column
from odyssey_simulator.ui.view import Action, Look, Memory, View

Offer = tuple[str, str, Action]
"""An icon, a label, and what happens."""


@dataclass(frozen=True, slots=True)
class Intent:
    """A request to another app: `send` (share) a text, or `view` an address."""

    action: Literal["send", "view"]
    text: str
    subject: str = ""


class System(Protocol):
    """What the system offers to apps."""

    @property
    def dark(self) -> bool: ...

    @property
    def seed(self) -> int: ...

    @property
    def has_taskbar(self) -> bool:
        """Whether the navigation buttons are in a taskbar, as on a tablet."""

    @property
    def clock(self) -> str:
        """The time of the status bar: "10:00"."""

    def share(self, text: str, *, subject: str = "") -> None:
        """Ask the user which app to share the text with, and deliver it."""

    def open(self, intent: Intent) -> None:
        """Deliver an intent to the first app that accepts it."""

    def open_app(self, package: str) -> None:
        """Bring another app to the front as it was left."""

    def copy(self, text: str) -> None: ...

    def toast(self, text: str) -> None:
        """Show a short message at the bottom of the screen until the next input."""

    def setting(self, namespace: str, key: str, fallback: str = "") -> str: ...

    def change_setting(self, namespace: str, key: str, value: str) -> None: ...

    def fact(self, name: str) -> str:
        """Device information: "title", "model", "size", "density", "android"."""

    def installed(self) -> list["App"]:
        """All apps that have an icon."""


class Page:
    """One screen of an app. Its attributes are its state; `build` turns them into views.

    It is rebuilt after every input, so callbacks only change attributes. Do not keep lambdas in attributes: pages are
    deep-copied for snapshots.
    """

    background: str = "surface"
    status_color: str = "surface"
    navigation_color: str = "surface"
    bar_color: str = "on_surface"
    """Colour roles of the page, the status bar, the navigation bar, and the icons in both."""
    edge_to_edge: bool = False
    beat_s: float = 0.0
    """Seconds between calls of `beat` while the page is in front; 0 for a static page."""
    wanted_focus: str = ""
    query: str = ""
    chosen: Any = None
    """What an overlay is about."""

    def __init__(self, app: "App") -> None:
        self.app = app
        self.memory = Memory()
        self.overlay = ""

    @property
    def system(self) -> System:
        return self.app.system

    def build(self, look: Look) -> View:
        raise NotImplementedError

    def build_overlay(self, look: Look) -> View | None:
        """Shown over the page while `overlay` is not empty. BACK, or a tap outside it, resets `overlay` to ""."""
        return None

    def beat(self) -> None:
        """Called every `beat_s` seconds to animate the page."""

    def go(self, page: "Page", *, focus: str = "") -> None:
        page.wanted_focus = focus or page.wanted_focus
        self.app.pages.append(page)

    def close(self) -> None:
        if len(self.app.pages) > 1:
            self.app.pages.remove(self)

    def show(self, overlay: str) -> None:
        self.overlay = overlay

    def offer(self, chosen: object, overlay: str = "offers") -> None:
        self.chosen = chosen
        self.show(overlay)

    def focus(self, field: str) -> None:
        self.wanted_focus = field

    def on_back(self) -> bool:
        """Called by BACK before the page is left; True if the page has handled it."""
        return False

    # Actions for views ------------------------------------------------------------------------------------------

    def shows(self, overlay: str) -> Action:
        return partial(self.show, overlay)

    def sets(self, name: str, *, of: object | None = None) -> Callable[[Any], None]:
        return partial(setattr, self if of is None else of, name)

    def puts(self, name: str, value: object, *, of: object | None = None) -> Action:
        return partial(self.sets(name, of=of), value)

    def flips(self, name: str, *, of: object) -> Action:
        return lambda: setattr(of, name, not getattr(of, name))

    def switches(self, thing: object, *, among: list[Any]) -> Action:
        """Takes `thing` away, or puts it first."""
        return partial(among.remove, thing) if thing in among else partial(among.insert, 0, thing)

    def closing(self, act: Action) -> Action:
        """Closes the overlay, and then acts."""

        def close_and_act() -> None:
            self.show("")
            act()

        return close_and_act

    # Views --------------------------------------------------------------------------------------------------------

    def field(
        self, name: str, hint: str, *, of: object | None = None, key: str = "", then: str = "", **more: Any
    ) -> TextField:
        """Edits the attribute `name`, which is also the key unless there is one; Enter leads to the field `then`."""
        if then:
            more |= {"action": "next", "on_action": partial(self.focus, then)}
        value: str = getattr(self if of is None else of, name)
        return TextField(key or name, value, self.sets(name, of=of), hint=hint, **more)

    def search_field(self, hint: str) -> TextField:
        return TextField("search", self.query, self.sets("query"), hint=hint, action="search")

    def menu(self, *offers: Offer) -> View:
        return ui.menu(*((icon, label, self.closing(act)) for icon, label, act in offers))

    def sheet(self, head: View | str, *offers: Offer) -> View:
        rows = [ui.list_item(label, icon=icon, on_tap=self.closing(act)) for icon, label, act in offers]
        return ui.bottom_sheet(Text(head, 20, 500, lines=2) if isinstance(head, str) else head, column(*rows), gap=8)

    def question(self, title: str, text: str, label: str, act: Action, *, keep: str = "Cancel") -> View:
        buttons = (ui.button(keep, self.shows(""), kind="text"), ui.button(label, self.closing(act), kind="text"))
        return ui.dialog(title, ui.muted(text), buttons=buttons)

    def form(self, title: str, *fields: TextField, label: str, act: Action, enabled: bool = True) -> View:
        save = ui.button(label, act, kind="text", enabled=enabled)
        buttons = (ui.button("Cancel", self.shows(""), kind="text"), save)
        return ui.dialog(title, *(ui.text_box(field, color="surface") for field in fields), buttons=buttons)


class App:
    """Its attributes (notes, orders) outlive its task and page stack, until the emulator is reset."""

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

    def facts(self) -> dict[str, Any]:
        """Its attributes as JSON values, by which a task is judged; what it shows at the moment is not among them."""
        known = {name: value for name, value in vars(self).items() if name not in {"system", "pages"}}
        facts: dict[str, Any] = from_json(to_json(known, fallback=vars))
        return facts

    def first_page(self) -> Page:
        raise NotImplementedError

    def receive(self, intent: Intent) -> Page:
        raise NotImplementedError
