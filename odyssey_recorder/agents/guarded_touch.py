"""Why a person must be asked about a finger on a screen: what it would press is risky, or nobody can say what it is."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from odyssey_recorder.agents.label_folding import folded, folded_name, is_unreadable, says_something
from odyssey_recorder.agents.risky_words import declines, risky_word
from odyssey_recorder.device import view_hierarchy
from odyssey_recorder.device.view_hierarchy import ViewNode, is_within
from odyssey_recorder.gesture.recognizer import recognize
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import Scroll
from odyssey_recorder.model.geometry import Size
from odyssey_recorder.recording.step_writer import ShownScreen

_SLOPS = 3
"""A finger that moves less than so many times Android's slop may still press: Flutter's is 18 dp instead of 8."""
_MOST_BUTTONS = 3
_STRIP = 3
"""A list so many times as wide as high is a strip of suggestions."""
_ANY_SIZE = Size(1_000_000, 1_000_000)
"""Of which nothing covers too much: what is around a dialog, and dismisses it, does of the screen."""
_SURFACE = re.compile(r"(?:Surface|Texture|Web|GL|Flutter|Map|Unity|Game|Canvas)\w*(?:View|Player)$|\.Canvas$")
_BUTTON = re.compile("btn|button|fab|action", re.I)
_CHOICE = re.compile(r"(?:Switch|CheckBox|RadioButton|ToggleButton|CheckedTextView|SeekBar|Spinner)\w*$")
_GRANTS = re.compile(r"permissioncontroller|packageinstaller")
_LIST = re.compile(r"(?:ScrollView|RecyclerView|ListView|Gallery|Pager)$")
_QUESTION = re.compile("[?\uff1f\u061f]")
_HOME = re.compile(r"launcher|trebuchet|\bhome\b", re.I)
_LINK = re.compile(r"\w+://|\bwww\.")
_SPEAKS = re.compile(r"[^\W\d_]{4}|\b(?:add|back|home|map|menu|more|nav|new|next|play|tab|up)\b")
"""What a shrinker leaves of a resource id, such as `im4`, does not."""
_SENTENCE = re.compile(r"[.!?\n{}\u3002\uff01\uff1f]+")
_PROSE = re.compile(r"(?:[^\W\d_]+[ ,'\u2019-]+){2}[^\W\d_]+|[\u3040-\u9fff\uac00-\ud7af]{4}")
_TOUCHES = re.compile(r"\b(?:click|tap|press|select|choose|hit|touch|confirm|push|swipe|drag|hold)|[点點按选選]", re.I)


@dataclass(frozen=True, slots=True)
class GuardedTouch:
    """One finger on a shown screen; `raw` is the model's answer. Only `packages` may be opened, or any if empty."""

    stroke: TouchStroke
    shown: ShownScreen
    raw: str
    packages: Collection[str] = ()

    def concerns(self) -> Iterator[str]:
        rules, size = self.shown.rules, self.shown.kept.frame.size
        lenient = replace(rules, touch_slop_px=_SLOPS * rules.touch_slop_px)
        if isinstance(recognize(self.stroke, lenient, size), Scroll):
            yield from self._dragged()
        elif not self.shown.nodes:
            yield "it is unknown what is under the finger"
        else:
            yield from self._pressed()

    def _dragged(self) -> Iterator[str]:
        """Android also presses a view that the finger never leaves, and sliders are named by what is around them."""
        start, end, nodes = self.stroke.start, self.stroke.end, self.shown.nodes
        rests_us = next((sample.time_us for sample in self.stroke.samples if sample.at != start), 0)
        if rests_us >= self.shown.rules.long_press_us:
            yield "the finger rests before it moves, so it may pick something up"
        for index, node in enumerate(nodes):
            if start in node.box and end in node.box and (node.clickable or not self._fills_screen(node)):
                yield from _risky(() if self._fills_screen(node) else view_hierarchy.labels_of(nodes, index), node)

    def _pressed(self) -> Iterator[str]:
        nodes = self.shown.nodes
        place = view_hierarchy.hit_at(nodes, self.stroke.start, self.shown.kept.frame.size)
        if place is None:
            whole = view_hierarchy.hit_at(nodes, self.stroke.start, _ANY_SIZE)
            if whole is None or not declines(_name(nodes[whole])):
                yield "nobody can say what is under the finger"
            return
        hit, state = nodes[place], self.shown.state
        if not hit.active and hit.box in view_hierarchy.navigation_buttons(nodes).values():
            return
        if state is not None and state.keyboard is not None and self.stroke.start in state.keyboard:
            if hit.window is None or len(hit.text or hit.description) != 1:
                yield "this key of the on-screen keyboard may send or delete something"
            return
        labels = tuple(filter(says_something, view_hierarchy.labels_of(nodes, place)))
        yield from _risky(labels, hit, *self._beside(hit))
        yield from self._unknown(hit, labels)
        if not labels or not all(map(declines, labels)):
            yield from self._agreed(place)
            yield from self._stated()
        if self.packages and self._may_open_another_app(labels):
            yield "this may open an app that is not allowed"

    def _may_open_another_app(self, labels: Sequence[str]) -> bool:
        """An address does; so does an icon of the home screen that no allowed package is named after."""
        is_home = self.shown.state is not None and _HOME.search(self.shown.state.package) is not None
        names = {folded(part) for package in self.packages for part in package.split(".")[1:]}
        return any(map(_LINK.search, labels)) or (is_home and names.isdisjoint(map(folded, labels)))

    def _unknown(self, hit: ViewNode, labels: Sequence[str]) -> Iterator[str]:
        state = self.shown.state
        is_known = hit.is_field or _CHOICE.search(hit.class_name)
        if state is not None and state.has_pop_up and hit.window is None and self._fills_screen(self.shown.nodes[0]):
            yield "a window is in front that the view hierarchy does not show"
        is_of_android = hit.package == "android" and hit.window is not None and hit.active and not self.packages
        if (elsewhere := belongs_elsewhere(hit, self.shown)) and not is_of_android:
            yield elsewhere
        if _SURFACE.search(hit.class_name):
            yield "the app draws here itself, so it is unknown what is under the finger"
        if not (labels or is_known or _SPEAKS.search(folded_name(hit.resource_id))):
            yield "what is under the finger has no name"
        if hit.takes_touches and not (hit.clickable or hit.long_clickable or is_known):
            yield "what is under the finger takes no clicks itself, so it is unknown what this one does"

    def _agreed(self, place: int) -> Iterator[str]:
        """What a yes in a dialog, or a suggested answer, would do."""
        hit = self.shown.nodes[place]
        if _GRANTS.search(hit.package):
            yield "this may install an app, or give it a permission"
        for said in self._asked(place):
            if (risk := risky_word(said)) or _QUESTION.search(said):
                yield f"this answers {f'about {risk!r}' if risk else 'a question'}: {said:.60}"
        if self._is_suggestion(hit):
            yield "this suggestion beside a field may be sent at once"

    def _stated(self) -> Iterator[str]:
        """What the model itself says of this touch: its last sentence, and those that speak of touching."""
        sentences = [one for one in _SENTENCE.split(self.raw) if _PROSE.search(one)]
        for said in (*sentences[-1:], *filter(_TOUCHES.search, sentences)):
            if risk := risky_word(said):
                yield f"the model says {risk!r}: {said.strip():.60}"

    def _asked(self, place: int) -> Sequence[str]:
        """What the dialog says in which the view at `place` is one of two or three buttons."""
        hit = self.shown.nodes[place]
        for index in range(place - 1, -1, -1):
            outer = self.shown.nodes[index]
            if outer.window != hit.window or outer.box == hit.box or not is_within(hit.box, outer.box):
                continue
            inside = [node for node in self.shown.nodes[index + 1 :] if is_within(node.box, outer.box)]
            buttons = [node for node in inside if node.clickable and node.window == hit.window]
            said = [
                _name(node)
                for node in inside
                if _name(node) and not any(is_within(node.box, button.box) for button in buttons)
            ]
            if len(buttons) > _MOST_BUTTONS:
                return ()
            if said and len(buttons) > 1:
                return said
        return ()

    def _is_suggestion(self, hit: ViewNode) -> bool:
        """Whether it is in a strip above a field with a button that sends."""
        own = [node for node in self.shown.nodes if node.window == hit.window and node is not hit]
        below = [node for node in own if node.box.top >= hit.box.top]
        strips = (node.box for node in own if _LIST.search(node.class_name) and is_within(hit.box, node.box))
        return (
            any(_STRIP * (box.bottom - box.top) < box.right - box.left for box in strips)
            and any(node.is_field for node in below)
            and any(risk for node in below if node.clickable for risk in _risky((), node))
        )

    def _beside(self, hit: ViewNode) -> Iterator[ViewNode]:
        """A switch without a name has that of its row."""
        if not _CHOICE.search(hit.class_name) or _name(hit):
            return
        middle = (hit.box.top + hit.box.bottom) // 2
        for node in self.shown.nodes:
            if node.box.top <= middle < node.box.bottom and node.window == hit.window and not self._fills_screen(node):
                yield node

    def _fills_screen(self, node: ViewNode) -> bool:
        return view_hierarchy.fills_screen(node.box, self.shown.kept.frame.size)


def belongs_elsewhere(node: ViewNode, shown: ShownScreen) -> str:
    """Why it does not belong to the app in front, over which another may have drawn; empty if it does."""
    package = "" if shown.state is None else shown.state.package
    is_other = node.package not in ("", package) if package else not node.active
    return f"this belongs to {node.package or 'another window'}, not to the app in front" if is_other else ""


def _risky(labels: Iterable[str], *nodes: ViewNode) -> Iterator[str]:
    """What is risky in these labels, and in what these nodes are called."""
    said = [*labels, *(words for node in nodes for words in (_name(node), node.description, node.hint))]
    risks = [(words, risky_word(words)) for words in said]
    for node in nodes:
        is_button = _BUTTON.search(node.resource_id + node.class_name) is not None
        name = folded_name(node.resource_id)
        risks += [(name, risky_word(name, is_label=is_button)), ("", "password" * node.password)]
    for words, risk in risks:
        if risk:
            yield f"{risk!r} is under the finger: {words:.60}"
        if is_unreadable(words):
            yield f"what is under the finger has a name that nobody can read: {words:.60}"


def _name(node: ViewNode) -> str:
    return "" if node.is_field else node.text.strip() or node.description.strip()
