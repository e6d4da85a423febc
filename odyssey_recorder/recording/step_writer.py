"""Writes frames and intents to a draft as steps, and amends the last step with its outcome."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from textwrap import shorten

from odyssey_recorder.dataset.draft import Draft, DraftStep
from odyssey_recorder.dataset.provenance import (
    AgentRecord,
    CheckRecord,
    FrameRecord,
    StepRecord,
    TextRecord,
    flags_json,
)
from odyssey_recorder.device.device import ScreenState
from odyssey_recorder.device.screen import Frame
from odyssey_recorder.device.view_hierarchy import (
    ViewNode,
    clickable_at,
    fills_screen,
    focused_field,
    focused_text,
    hit_at,
    parse,
)
from odyssey_recorder.gesture.contacts import (
    Contact,
    ContactLost,
    KeyPressed,
    KeyTyped,
    OtherKeyPressed,
    TouchUpdate,
    to_stroke,
)
from odyssey_recorder.gesture.getevent import POSITION_X, POSITION_Y, InputDeviceNode
from odyssey_recorder.gesture.recognizer import TouchRules, recognize
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import Action, Complete, Impossible, Press, Scroll, Type
from odyssey_recorder.model.flag import Flag, FlagCode
from odyssey_recorder.model.geometry import Box, Size
from odyssey_recorder.recording import provenance_records
from odyssey_recorder.recording.effects import RemoveSteps, SaveStep
from odyssey_recorder.recording.events import Intent, KeyPress, StepsDropped, TextEntered, Touch
from odyssey_recorder.recording.restore import is_of_screen
from odyssey_recorder.recording.view import stored_views

NO_TREES = "view hierarchies were not to be recorded"
NO_TREE = "the screen did not rest long enough for its view hierarchy to be read"
FORBIDDEN = "The app forbids screenshots of this screen: they are black. Go another way; steps here will be flagged."
RETRACTED = "The last action did not reach the device. Its step was removed. Do it again."
DOUBTFUL = (
    "The connection was lost during the last action, and the screen has changed. Check "
    "whether the action was carried out; if not, undo it."
)

_FRAMES_HELD = 4
"""Frames held in memory: the newest, and those that a window may still be showing."""
_CHECKS_HELD = 256
"""Frames whose times are remembered."""


@dataclass(frozen=True, slots=True)
class SavedFrame:
    """A frame whose screenshot is safe in the draft."""

    frame: Frame
    path: Path
    record: FrameRecord


@dataclass(frozen=True, slots=True)
class Tree:
    """A view hierarchy that is safe in the draft under `name`."""

    name: str
    nodes: tuple[ViewNode, ...]


@dataclass(frozen=True, slots=True)
class ShownScreen:
    """A settled screen whose screenshot is safe; `nodes` are empty without a view hierarchy; `steps` are before it.

    `rules` are what its device makes of a finger.
    """

    kept: SavedFrame
    nodes: tuple[ViewNode, ...]
    state: ScreenState | None
    steps: tuple[DraftStep, ...]
    rules: TouchRules


class StepWriter:
    """Writes one draft. Writing raises DatasetError. Only `write_screenshot` and `write_tree` are thread-safe."""

    def __init__(self, draft: Draft, rules: TouchRules) -> None:
        self.status_bar_px = 0
        self.agent: AgentRecord | None = None
        self._draft = draft
        self._rules = rules
        self._clock = provenance_records.EpochClock()
        self._frames: dict[int, Frame] = {}
        self._checks: dict[int, CheckRecord] = {}
        self._screenshots: dict[int, SavedFrame] = {}
        self._screens: dict[int, ScreenState] = {}
        self._screen: ScreenState | None = None
        self._trees: dict[int, Tree] = {}
        self._no_trees: dict[int, str] = {}
        self.last_frame: Frame | None = None
        """The frame of the last step; None if another process recorded it."""
        self._restore_frame: tuple[Path, Frame | None] | None = None
        self.undone: tuple[DraftStep, ...] = ()
        """Steps of mirror mode that may be redone, in their order; none once another step is recorded."""
        self.redoes: Intent | None = None
        """The intent that redoes the first of them."""

    # For the next step.

    def hold(self, frame: Frame, needed: frozenset[int]) -> None:
        """Hold a frame; of the others keep only the newest and the `needed` ones."""
        self._frames[frame.number] = frame
        self._checks[frame.number] = provenance_records.check_record(frame, self._clock)
        if len(self._checks) > _CHECKS_HELD:
            del self._checks[next(iter(self._checks))]
        for number in [*self._frames][:-_FRAMES_HELD]:
            if number not in needed:
                del self._frames[number]

    def frame(self, number: int) -> Frame | None:
        return self._frames.get(number)

    def is_on_screen(self, stroke: TouchStroke) -> bool:
        newest = next(reversed(self._frames.values()), None)
        size = newest.size if newest is not None else self._draft.device.size
        return all(size.clamp(sample.at) == sample.at for sample in stroke.samples)

    def write_screenshot(self, frame: Frame) -> SavedFrame:
        png, record = provenance_records.encode_frame(frame, self._clock)
        return SavedFrame(frame, self._draft.keep_screenshot(png), record)

    def take_screenshot(self, kept: SavedFrame) -> None:
        self._screenshots[kept.frame.number] = kept

    def take_screen(self, frame_number: int, state: ScreenState) -> None:
        self._screens[frame_number] = self._screen = state
        self.status_bar_px = state.status_bar_px

    def write_tree(self, xml: str) -> Tree:
        """Write a view hierarchy to the draft; callable from any thread. Raises DeviceError if it cannot be parsed."""
        nodes = parse(xml)
        return Tree(self._draft.keep_tree(xml), nodes)

    def take_tree(self, frame_number: int, tree: Tree) -> str:
        """Hold a frame's view hierarchy; return a message if it lacks the last typed text, or if the frame is black."""
        is_new = frame_number not in self._trees
        self._trees[frame_number] = tree
        last = self._draft.steps[-1] if self._draft.steps else None
        shown = focused_text(tree.nodes)
        kept = self._screenshots.get(frame_number)
        frame = self._frames.get(frame_number) if kept is None else kept.frame
        if is_new and frame is not None and _is_forbidden(frame, tree):
            return FORBIDDEN
        if self._draft.origin.mode == "passive":
            return ""  # the text was read from the field
        if last is None or not isinstance(last.action, Type) or shown is None or last.action.text in shown:
            return ""
        self._flag_last(FlagCode.WRONG_TEXT)
        return (
            f"You typed {_quoted(last.action.text)}, but the field shows {_quoted(shown)}. Check it, "
            "and undo it if needed."
        )

    def lack_tree(self, frame_number: int, why: str) -> None:
        self._no_trees[frame_number] = why

    def why_no_tree(self, frame_number: int) -> str:
        """Why the view hierarchy of a frame could not be read; empty if it was, or may still be."""
        return "" if frame_number in self._trees else self._no_trees.get(frame_number, "")

    def screenshot(self, frame_number: int) -> SavedFrame | None:
        """The screenshot of a frame if it is already in the draft."""
        return self._screenshots.get(frame_number)

    def shown(self, frame_number: int | None) -> ShownScreen | None:
        if frame_number is None or (kept := self._screenshots.get(frame_number)) is None:
            return None
        tree = self._trees.get(frame_number)
        nodes, state = tree.nodes if tree else (), self._screens.get(frame_number)
        return ShownScreen(kept, nodes, state, self._draft.steps, self._rules)

    def has_tree(self, frame_number: int) -> bool:
        return frame_number in self._trees

    def nodes(self, frame_number: int) -> tuple[ViewNode, ...]:
        """The views of a frame; none while they are unknown."""
        tree = self._trees.get(frame_number)
        return () if tree is None else tree.nodes

    def lacks_field(self, frame_number: int) -> bool:
        """Whether nothing on this frame would take text; False if that is unknown."""
        tree, screen = self._trees.get(frame_number), self._screens.get(frame_number)
        keyboard_shown = screen is not None and screen.keyboard_shown
        return tree is not None and not keyboard_shown and focused_field(tree.nodes) is None

    def note_touch(self, frame_number: int, now_ns: int) -> None:
        self._draft.note_touch(self._screenshots[frame_number].path, self._clock.epoch_us(now_ns))

    def forget_unused_screenshots(self, needed: frozenset[int]) -> None:
        """Delete screenshots that belong to no step, except those of `needed` frames."""
        used = {step.screenshot for step in (*self._draft.steps, *self.undone)}
        for number in self._screenshots.keys() - needed:
            if self._screenshots[number].path == self._draft.state.left:
                continue  # needed until the next screen is noted
            kept = self._screenshots.pop(number)
            if kept.path not in used:
                self._draft.forget_screenshot(kept.path)
        for known in (self._screens, self._trees, self._no_trees):
            for number in known.keys() - needed:
                del known[number]

    def text_after(self, step: int, frame_number: int | None) -> str | None:
        """The text of the focused field after a step, on the next step's screen or else on this frame.

        None if it is unknown, or the same as before the step: then the text may be submitted, or somewhere else.
        """
        if step + 1 < len(self._draft.steps):
            after = stored_views(self._draft.steps[step + 1].tree)
        else:
            tree = None if frame_number is None else self._trees.get(frame_number)
            after = tree.nodes if tree else ()
        shown = focused_text(after)
        return None if shown == focused_text(stored_views(self._draft.steps[step].tree)) else shown

    def amend_text(self, step: int, text: str) -> None:
        """Put the annotator's answer into step number `step`, and remove the flag."""
        typed = self._draft.steps[step]
        flags = flags_json(flag for flag in typed.record.flags if flag.code is not FlagCode.TEXT_UNREAD)
        self._draft.amend_text(typed.key, text)
        self._draft.amend(typed.key, {"flags": flags, "input": TextRecord(text=text).model_dump()})

    # Steps.

    def save(self, wanted: SaveStep) -> None:
        step = self.make_step(wanted)
        self._forget_late_change(wanted)
        self._draft.add_step(step.action, step.screenshot, step.record)
        self.undone = self.undone[1:] if step.record.redone else ()
        self.last_frame = self._screenshots[wanted.frame].frame

    def _forget_late_change(self, wanted: SaveStep) -> None:
        """Take back that the last step changed nothing, if its effect came after the screen had settled."""
        last = self._draft.steps[-1] if self._draft.steps else None
        unchanged, kept = Flag(FlagCode.UNCHANGED), self._screenshots[wanted.frame].frame
        if last is None or unchanged not in last.record.flags or Flag(FlagCode.UNEXPLAINED) in wanted.flags:
            return
        if self.last_frame is not None and not kept.shows_same_as(self.last_frame, ignore_top_px=self.status_bar_px):
            self._draft.amend_last({"flags": flags_json(flag for flag in last.record.flags if flag != unchanged)})

    def make_step(self, wanted: SaveStep) -> DraftStep:
        """The step as it would be saved now; its screenshot is safe in the draft."""
        kept = self._screenshots[wanted.frame]
        screen = self._screens.get(wanted.frame)
        tree = self._trees.get(wanted.frame)
        box = _touched_box(tree, screen, wanted.intent, kept.frame.size) if tree else None
        touched_us = self._clock.epoch_us(wanted.touched_ns)
        action = self._action(wanted.intent, kept.frame)
        press = self._press_flags(wanted.intent, action)
        redone = self.undone[0] if self.undone and wanted.intent is self.redoes else None
        hidden = (Flag(FlagCode.BLACK),) if tree and _is_forbidden(kept.frame, tree) else ()
        record = StepRecord(
            frame=kept.record.model_copy(update={"settled": wanted.settled}),
            check=self._checks.get(wanted.check) if wanted.check is not None else None,
            touched_us=touched_us,
            age_us=wanted.age_ns // 1000 if wanted.age_ns is not None else None,
            input=provenance_records.input_record(wanted.intent),
            end=provenance_records.end_record(wanted.intent),
            clock_offset_us=touched_us - wanted.device_us if wanted.device_us is not None else None,
            clock_uncertainty_us=wanted.uncertainty_ns // 1000 if wanted.uncertainty_ns is not None else None,
            sent_us=self._clock.epoch_us(wanted.sent[0]) if wanted.sent else None,
            sent_until_us=self._clock.epoch_us(wanted.sent[1]) if wanted.sent else None,
            screen=provenance_records.screen_record(screen) if screen else None,
            ui_tree=tree.name if tree else None,
            ui_tree_absent="" if tree else self._no_trees.get(wanted.frame, NO_TREE),
            bbox=(box.left, box.top, box.right, box.bottom) if box else None,
            bbox_source="hierarchy" if box else None,
            flags=(*wanted.flags, *self._size_flags(kept.frame.size), *press, *hidden),
            agent=self.agent,
            rejected=self._draft.state.rejected if self._is_rejected_on(kept) else (),
            note="" if redone is None else redone.record.note,
            redone=redone is not None,
        )
        return DraftStep(self._draft.state.next_key, action, kept.path, record)

    def note_sent(self, started_ns: int, ended_ns: int) -> None:
        sent_us, sent_until_us = self._clock.epoch_us(started_ns), self._clock.epoch_us(ended_ns)
        self._draft.amend_last({"sent_us": sent_us, "sent_until_us": sent_until_us})

    def drop_last(self, wanted: RemoveSteps) -> StepsDropped | None:
        """Remove steps, as many as exist; None if there are none. An unreadable screenshot cannot be restored."""
        count = min(wanted.count, len(self._draft.steps))
        if not count:
            return None
        first, gone = self._draft.steps[-count], self._draft.steps[-count:]
        back = wanted.leads_back and self._frame_to_restore(first.screenshot) is not None
        flags = tuple(flag for flag in first.record.flags if is_of_screen(flag))
        self._draft.drop_last(wanted.why, count, leads_back=back, rejects=wanted.rejects, next_flags=flags)
        self.last_frame = None
        self.undone = (*gone, *self.undone) if all(map(self._may_be_redone, gone)) else ()
        return StepsDropped(back, flags, lost=wanted.leads_back and not back)

    def is_on_screen_of(self, step: DraftStep, frame_number: int | None) -> bool:
        """Whether this frame, which is safe in the draft, shows the screen that a step was made on."""
        kept = None if frame_number is None else self._screenshots.get(frame_number)
        return kept is not None and self.shows(kept.frame, step.screenshot)

    def _may_be_redone(self, step: DraftStep) -> bool:
        """Not an agent's: the record of the redone step would say that it was the annotator's own."""
        return self._draft.origin.mode == "mirror" and step.record.agent is None and step.record.input is not None

    def refuse(self, action: Action, frame_number: int, agent: AgentRecord) -> None:
        """A person did not allow an agent's action on this frame; forgotten if its screenshot is gone."""
        if (kept := self._screenshots.get(frame_number)) is not None:
            self._draft.refuse(action, kept.path, agent)

    def _is_rejected_on(self, kept: SavedFrame) -> bool:
        """Whether the refused action was on this screen; an undone step always was, or is flagged."""
        refused_on = self._draft.state.refused_on
        return refused_on in (None, kept.path) or self.shows(kept.frame, refused_on)

    def note(self, key: int, text: str) -> None:
        self._draft.amend(key, {"note": text})

    def shows(self, frame: Frame, screenshot: Path | None) -> bool:
        """Whether a frame is equal to a screenshot of the draft; False if the screenshot is unreadable."""
        wanted = self._frame_to_restore(screenshot) if screenshot is not None else None
        return wanted is not None and frame.shows_same_as(wanted, ignore_top_px=self.status_bar_px)

    def changed_cells(self, before: int, after: int) -> frozenset[int]:
        """The cells in which a held screenshot differs from a held frame; empty if either is gone."""
        kept, frame = self._screenshots.get(before), self.frame(after)
        if kept is None or frame is None:
            return frozenset()
        return frame.changed_cells(kept.frame, ignore_top_px=self.status_bar_px)

    def describe_input(self, news: TouchUpdate, at_ns: int, nodes: Mapping[str, InputDeviceNode]) -> str:
        """Describe a raw input with position and time; empty if it is unfinished or discarded."""
        match news:
            case Contact():
                what = f"a touch{self._position_of(news, nodes.get(news.node))}"
            case ContactLost():
                what = "a touch"
            case KeyPressed(key=key):
                what = f"the key {key.value}"
            case OtherKeyPressed(name=name):
                what = f"the key {name}"
            case KeyTyped():
                what = "a key of a keyboard"
            case _:
                return ""
        moment = datetime.fromtimestamp(self._clock.epoch_us(at_ns) / 1e6, UTC)
        return f"{what}, {moment:%H:%M:%S.%f}"[:-5] + " UTC"

    def _position_of(self, contact: Contact, node: InputDeviceNode | None) -> str:
        screen = self._screen
        if screen is None or node is None or not {POSITION_X, POSITION_Y} <= node.axes.keys():
            return ""
        screenshot = screen.size.turned() if screen.rotation % 2 else screen.size
        start = to_stroke(contact, node, screen.panel or screen.size, screen.rotation, screenshot).start
        return f" at ({start.x}, {start.y})"

    def vouch_for_last(self) -> None:
        self._flag_last(FlagCode.VOUCHED, sent_until_us=self._clock.epoch_us(time.monotonic_ns()))

    def judge_last(self, number: int, *, uncertain: bool, turned: bool = False) -> tuple[str, bool]:
        """Compare a frame from after the last step with its screenshot; return a message for the annotator, or "".

        An unchanged screen flags the step, or removes it if it is `uncertain` that its input arrived. `turned` also
        flags the step: its input may have met another screen. Also returns whether it is doubtful that it arrived.
        """
        frame = self.frame(number)
        if frame is None or not self._draft.steps:
            return "", False
        last = self._draft.steps[-1]
        try:
            before = self.last_frame or provenance_records.frame_of(last.screenshot)
        except OSError as error:
            unreadable = (
                f"{last.screenshot} cannot be read ({error.strerror}): undo the last step, and record it again."
            )
            return unreadable, uncertain
        unchanged = frame.shows_same_as(before, ignore_top_px=self.status_bar_px)
        if unchanged and uncertain:
            self.drop_last(RemoveSteps("not carried out: the connection was lost"))
            return RETRACTED, False
        codes = [FlagCode.CHANGING] if turned else []
        if unchanged:
            self._flag_last(*codes, FlagCode.UNCHANGED)
        elif uncertain:
            sent_until_us = self._clock.epoch_us(frame.arrived_ns)
            self._flag_last(*codes, FlagCode.CONNECTION_BROKE, sent_until_us=sent_until_us)
            return DOUBTFUL, True
        elif turned:
            self._flag_last(*codes)
        return "", False

    def _flag_last(self, *codes: FlagCode, **changes: int) -> None:
        flags = flags_json((*self._draft.steps[-1].record.flags, *map(Flag, codes)))
        self._draft.amend_last({**changes, "flags": flags})

    def _size_flags(self, size: Size) -> tuple[Flag, ...]:
        """Flags of a screenshot that disagrees with the published device_info, which follows the first step's."""
        if not self._draft.steps:
            return ()
        published = self._draft.steps[0].record.frame.size
        if size == published:
            return ()
        code = FlagCode.TURNED if size == published.turned() else FlagCode.RESIZED
        return (Flag(code, (str(size), str(published))),)

    def _press_flags(self, intent: Intent, action: Action) -> tuple[Flag, ...]:
        if not isinstance(intent, Touch) or isinstance(action, Scroll) or not self._rules.depends_on_app(intent.stroke):
            return ()
        return (Flag(FlagCode.UNSURE_PRESS, (intent.stroke.duration_us / 1000,)),)

    def _frame_to_restore(self, screenshot: Path) -> Frame | None:
        """A screenshot of the draft as a frame, cached; None if it is unreadable."""
        if self._restore_frame is None or self._restore_frame[0] != screenshot:
            try:
                self._restore_frame = screenshot, provenance_records.frame_of(screenshot)
            except OSError:
                self._restore_frame = screenshot, None
        return self._restore_frame[1]

    def _action(self, intent: Intent, frame: Frame) -> Action:
        match intent:
            case Touch(stroke):
                return recognize(stroke, self._rules, frame.size)
            case KeyPress(key):
                return Press(key)
            case TextEntered(text):
                return Type(text)
            case Complete() | Impossible():
                return intent


def _is_forbidden(frame: Frame, tree: Tree) -> bool:
    """Whether the app shows something and the frame does not, because the app forbids screenshots."""
    return any(node.text or node.description for node in tree.nodes) and frame.is_black


def _touched_box(tree: Tree, screen: ScreenState | None, intent: Intent, size: Size) -> Box | None:
    """The box of the touched element, in pixels of the screenshot.

    A hierarchy of the active window alone does not show what covers it: bars, keyboard and pop-ups. The keyboard's keys
    and the status bar's signs are no views of a dump.
    """
    if not isinstance(intent, Touch):
        return None
    at, nodes = intent.stroke.start, tree.nodes
    hit = hit_at(nodes, at, size)
    if screen is None or hit is None:
        return clickable_at(nodes, at, size)
    if at.y < screen.status_bar_px or (screen.keyboard is not None and at in screen.keyboard):
        return None
    if screen.navigation_bar is not None and at in screen.navigation_bar and nodes[hit].active:
        return None
    is_beneath = screen.has_pop_up and nodes[hit].window is None and fills_screen(nodes[0].box, size)
    return None if is_beneath else clickable_at(nodes, at, size)


def _quoted(text: str) -> str:
    return repr(shorten(text, 40, placeholder=" …"))
