"""One raw input of passive mode: what is known of it so far, and what it means."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from odyssey_recorder.gesture.areas import (
    BesideButtons,
    KeyStroke,
    NavigationRules,
    OnScreen,
    Pressed,
    ScreenAreas,
    Swiped,
    confirmed,
    contradicts,
    meaning,
    presses_last,
)
from odyssey_recorder.gesture.contacts import Contact, to_stroke
from odyssey_recorder.gesture.getevent import InputDeviceNode
from odyssey_recorder.gesture.recognizer import TouchRules
from odyssey_recorder.gesture.typed_keys import UNKNOWN, Key
from odyssey_recorder.model.action import Complete, Impossible, SystemKey
from odyssey_recorder.model.flag import Flag, FlagCode
from odyssey_recorder.model.geometry import Size
from odyssey_recorder.recording.events import FieldRead, Intent, KeyPress, ScreenLooked, Touch
from odyssey_recorder.recording.timeline import FrameFound

FOCUS_NS = 500_000_000
"""How long after a swipe the other app may take to come to the front."""

BLIND = "There was no screenshot between your last two actions. The second was not recorded."
PINCHED = "Gestures with two fingers are not supported. Nothing was recorded."
NO_SCREENSHOT = "There is no screenshot from before your last action. That action was not recorded."
OUTSIDE_SCREEN = "You touched outside the screen. Nothing was recorded."
DIALOG_TOUCHED = "You answered a message of Android about an app that failed. That was not recorded."
NO_ANSWER = "The device did not say in time what is on its screen. Your last touch was not recorded."
NO_PLACE = "The screen turned or changed its size around your last touch. The touch was not recorded."


@dataclass(slots=True)
class RawInput:
    """An input on the device, or a command to the recorder, at `at_ns`, reported at `arrived_ns`.

    `device_us`: the same moment on the device's own clock. `last_ns`: the previous input there. `what` is None until
    the finger lifts. `before` and `after`: the screen's areas around the input, the latter requested at `look_ns` or
    later. `found`: its frame. An `overdue` input waits for nothing more; a `refused` one is not recorded, for that
    reason. `next_ns`: the next input there. `views`: read after it, if it `needs_views`. `spun`: the last contact of a
    wheel, if several make up `what`.
    """

    at_ns: int
    uncertainty_ns: int
    arrived_ns: int
    what: Contact | SystemKey | Key | Complete | Impossible | None
    before: ScreenLooked | None = None
    after: ScreenLooked | None = None
    look_ns: int = 0
    found: FrameFound | None = None
    lifted_ns: int = 0
    clock_agreed: bool = False
    overdue: bool = False
    refused: str = ""
    flags: tuple[Flag, ...] = ()
    device_us: int | None = None
    last_ns: int = 0
    next_ns: int | None = None
    needs_views: bool = False
    views: FieldRead | None = None
    spun: Contact | None = None

    @property
    def led_to(self) -> ScreenAreas | None:
        """The screen's areas that this input led to; None if unknown, such as after the next input."""
        after, views = self.after, self.views
        if after is None or after.areas is None or after.requested_ns < self.lifted_ns + FOCUS_NS:
            return None
        if self.next_ns is not None and self.next_ns < after.answered_ns:
            return None
        if views is None or (self.next_ns is not None and self.next_ns < views.answered_ns):
            return after.areas
        return replace(after.areas, overview=views.overview)


@dataclass(frozen=True, slots=True)
class RawAction:
    intent: Intent
    found: FrameFound
    flags: tuple[Flag, ...] = ()


@dataclass(frozen=True, slots=True)
class Stroke:
    """A key stroke that begins or continues a text."""

    found: FrameFound
    flags: tuple[Flag, ...] = ()
    key: Key = UNKNOWN


@dataclass(frozen=True, slots=True)
class Refused:
    """An input that is not recorded; `why` is for the annotator and may be empty."""

    why: str


@dataclass(frozen=True, slots=True)
class Undecided:
    """An input whose meaning needs the screen's areas or, if `needs_views`, its views, as of `look_ns` or later."""

    look_ns: int
    needs_views: bool = False


Outcome = RawAction | Stroke | Refused | Undecided


@dataclass(frozen=True, slots=True)
class Interpreter:
    touch: TouchRules
    navigation: NavigationRules

    def outcome(
        self, raw_input: RawInput, found: FrameFound, nodes: Mapping[str, InputDeviceNode], size: Size | None
    ) -> Outcome:
        match raw_input.what:
            case SystemKey():
                return RawAction(KeyPress(raw_input.what), found)
            case Complete() | Impossible():
                return RawAction(raw_input.what, found)
            case Key() as key:
                return Stroke(found, key=key)
            case Contact(fingers=fingers) if fingers > 1:
                return Refused(PINCHED)
            case Contact():
                return self._contact(raw_input, raw_input.what, found, nodes, size)
            case None:
                return Undecided(raw_input.look_ns)

    def _contact(
        self,
        raw_input: RawInput,
        contact: Contact,
        found: FrameFound,
        nodes: Mapping[str, InputDeviceNode],
        size: Size | None,
    ) -> Outcome:
        if raw_input.after is None and not raw_input.overdue:
            return Undecided(raw_input.arrived_ns)
        areas, flags = _areas(raw_input, found, size)
        node = nodes.get(contact.node)
        if areas is None or node is None:
            return Refused(NO_PLACE if any(_areas_around(raw_input)) else NO_ANSWER)
        if areas.error_dialog:
            return Refused(DIALOG_TOUCHED)
        stroke = to_stroke(contact, node, areas.glass or areas.panel, areas.rotation, areas.size)
        if areas.size.clamp(stroke.start) != stroke.start:
            return Refused(OUTSIDE_SCREEN)
        touch_meaning = meaning(stroke, areas, self.touch, self.navigation)
        match touch_meaning:
            case Pressed() | BesideButtons():
                return _tapped_on_bar(raw_input, RawAction(Touch(stroke), found, flags), touch_meaning, areas)
            case KeyStroke(key):
                return Stroke(found, flags, key)
            case OnScreen():
                return RawAction(Touch(stroke), found, flags)
            case Swiped():
                return _navigated(raw_input, RawAction(Touch(stroke), found, flags), touch_meaning)


def _tapped_on_bar(
    raw_input: RawInput, click: RawAction, tapped: Pressed | BesideButtons, areas: ScreenAreas
) -> Outcome:
    """A navigation button, or a click beside the buttons; what has the focus later may contradict that."""
    if (awaited := _awaited(raw_input)) is not None:
        return awaited
    before, _ = _areas_around(raw_input)
    led_to = raw_input.led_to
    key = tapped.key if isinstance(tapped, Pressed) else None
    if key is not None and not _is_proved(key, raw_input, click.found):
        return Refused(NO_PLACE)
    if isinstance(tapped, Pressed) and tapped.beside:
        key = key if presses_last(before, led_to, typing=areas.keyboard is not None) else None
    intent = click.intent if key is None else KeyPress(key)
    if led_to is None or not contradicts(key, before, led_to):
        return replace(click, intent=intent)
    tapped_on = "a tap beside the buttons" if key is None else f"the button {key.value}"
    other = Flag(FlagCode.OTHER_EFFECT, (tapped_on, f"{led_to.package}/{led_to.activity}"))
    return replace(click, intent=intent, flags=(*click.flags, other))


def _is_proved(key: SystemKey, raw_input: RawInput, found: FrameFound) -> bool:
    """If the screen may have turned before the touch, only what has the focus later proves a button."""
    before, after = _areas_around(raw_input)
    if found.check is not None or before is None or after is None or before.rotation == after.rotation:
        return True
    return key is not SystemKey.BACK and confirmed(Swiped(key), raw_input.led_to or after) is key


def _areas_around(raw_input: RawInput) -> tuple[ScreenAreas | None, ScreenAreas | None]:
    before, after = raw_input.before, raw_input.after
    return before.areas if before is not None else None, after.areas if after is not None else None


def _awaited(raw_input: RawInput) -> Undecided | None:
    """What may still tell what an input led to: the focus, and on the launcher its views, unless an input followed."""
    after, since_ns = raw_input.after, raw_input.lifted_ns + FOCUS_NS
    if raw_input.overdue:
        return None
    if after is None or after.requested_ns < since_ns:
        return Undecided(since_ns)
    led_to = raw_input.led_to
    if led_to is None or raw_input.views is not None or raw_input.next_ns is not None:
        return None
    return Undecided(since_ns, needs_views=True) if led_to.shows_launcher and not led_to.shows_recents else None


def _navigated(raw_input: RawInput, scroll: RawAction, swiped: Swiped) -> Outcome:
    after = raw_input.after
    awaited = _awaited(raw_input)
    if awaited is not None and swiped.looks_like is not SystemKey.BACK:
        return awaited
    if after is None or after.areas is None:
        return replace(scroll, intent=KeyPress(swiped.looks_like))
    key = confirmed(swiped, raw_input.led_to or after.areas)
    if key is None:
        return replace(scroll, flags=(*scroll.flags, Flag(FlagCode.NO_KEY)))
    return replace(scroll, intent=KeyPress(key))


def _areas(raw_input: RawInput, found: FrameFound, size: Size | None) -> tuple[ScreenAreas | None, tuple[Flag, ...]]:
    """The screen's areas under the finger, with flags.

    The areas from before count if they are of the same screen or equal those from after. If not, a keyboard in either
    counts.
    """
    before, after = _areas_around(raw_input)
    candidates = [areas for areas in (before, after) if areas is not None and size in {None, areas.size}]
    if not candidates:
        return None, ()
    areas = candidates[0]
    read = (one.buttons for one in candidates if one.buttons and one.navigation_bar == areas.navigation_bar)
    areas = replace(areas, buttons=next(read, {}))
    if before is None or after is None:
        return areas, (Flag(FlagCode.AREAS_UNKNOWN),)
    is_current = raw_input.before is not None and raw_input.before.requested_ns >= raw_input.at_ns - found.still_ns
    if candidates[0] is before and (is_current or _layout(before) == _layout(after)):
        return areas, ()
    dialog = areas.error_dialog or after.error_dialog
    return replace(areas, keyboard=areas.keyboard or after.keyboard, error_dialog=dialog), (
        Flag(FlagCode.AREAS_CHANGED),
    )


def _layout(areas: ScreenAreas) -> ScreenAreas:
    return replace(areas, package="", activity="", buttons={})
