from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey_recorder.dataset.amending import Amended, amended
from odyssey_recorder.dataset.amendment import (
    Amendment,
    DropSteps,
    DropTail,
    NewApps,
    NewBox,
    NewEnd,
    NewInstruction,
    NewNote,
    NewPress,
    NewText,
)
from odyssey_recorder.dataset.codec import ANNOTATION_KEYS, annotations_of, decode, encode
from odyssey_recorder.dataset.provenance import EndRecord, EpisodeProvenance, StrokeRecord
from odyssey_recorder.errors import ReviewError
from odyssey_recorder.model.action import Complete, Impossible, LongPress, Scroll, Type
from odyssey_recorder.model.episode import Category, Episode, Json, Step
from odyssey_recorder.model.geometry import Point, Size
from tests.dataset.published_episode import ACTIONS, PublishedEpisode
from tests.episodes import episode

CLICK, TYPE, LONG, KEY, END = range(5)


@pytest.fixture
def original(published: PublishedEpisode) -> Episode:
    """An episode of 72x128 pixels."""
    return published.load()


@pytest.fixture
def provenance(published: PublishedEpisode) -> EpisodeProvenance:
    return published.provenance()


def with_record(provenance: EpisodeProvenance, step: int, **changes: object) -> EpisodeProvenance:
    """Provenance with another record of one step."""
    records = list(provenance.steps)
    records[step] = records[step].model_copy(update=changes)
    return provenance.model_copy(update={"steps": tuple(records)})


def without_provenance(**keys: Json) -> Episode:
    """An episode as in the published data, 720x1280, with these keys beside each action."""
    found = episode(*ACTIONS)
    return replace(found, steps=tuple(with_keys(step, **keys) for step in found.steps))


def with_keys(step: Step, **keys: Json) -> Step:
    spelling: dict[str, Json] = {key: keys.pop(key) for key in ("info", "ps") if key in keys}
    return replace(step, annotations=annotations_of(keys), spelling=spelling)


def keys_of(step: Step) -> dict[str, object]:
    annotations = {key: getattr(step.annotations, key) for key in ANNOTATION_KEYS if step.annotations.has(key)}
    return {**step.spelling, **step.extra, **annotations}


def amend(before: Episode, amendment: Amendment) -> Episode:
    return amended(before, None, amendment).episode


# Texts.


def test_new_instruction_changes_nothing_else() -> None:
    before = without_provenance()
    task = replace(before.task, instruction="In other words.")
    after = amended(before, None, NewInstruction(instruction="In other words."))
    assert after == Amended(replace(before, task=task), None, (0, 1, 2, 3, 4))


def test_new_apps_and_category_change_nothing_else() -> None:
    before = without_provenance()
    task = replace(before.task, category="Multi_Apps", apps=("Shop", "Notes", "Mail"))
    assert amend(before, NewApps(category=Category.MULTI_APPS, apps=task.apps)) == replace(before, task=task)


def test_only_impossible_requires_a_final_message() -> None:
    assert amend(without_provenance(), NewEnd(words="")).steps[END].action == Complete("")
    impossible = episode(*ACTIONS[:-1], Impossible("no results"))
    assert amend(impossible, NewEnd(words="login required")).steps[END].action == Impossible("login required")
    with pytest.raises(ReviewError, match="IMPOSSIBLE needs a reason"):
        amend(impossible, NewEnd(words=" "))


def test_note_is_stored_in_the_provenance(original: Episode, provenance: EpisodeProvenance) -> None:
    after = amended(original, provenance, NewNote(step=TYPE, note="the second field"))
    assert after.episode == original
    assert after.provenance is not None
    assert [one.note for one in after.provenance.steps] == ["", "the second field", "", "", ""]


# Actions.


def test_press_type_changes_but_the_recorded_stroke_does_not(original: Episode, provenance: EpisodeProvenance) -> None:
    after = amended(original, provenance, NewPress(step=CLICK, long=True))
    assert after.episode.steps[CLICK].action == LongPress(Point(500, 500))
    assert after.provenance == provenance, "the provenance says what the finger did"
    assert amended(after.episode, after.provenance, NewPress(step=CLICK, long=False)).episode == original


def test_changed_action_loses_only_its_old_spelling() -> None:
    before = without_provenance(info=[[1, 2], [3, 4]], ps="[(1, 2), (3, 4)]", description="a list")
    for amendment in (NewPress(step=CLICK, long=True), NewText(step=TYPE, text="bread"), NewEnd(words="found")):
        after = amend(before, amendment)
        changed = [number for number in range(5) if after.steps[number] != before.steps[number]]
        assert [keys_of(after.steps[number]) for number in changed] == [{"description": "a list"}]


TEXTS: dict[str, Json] = {key: key for key in ANNOTATION_KEYS} | {"sam2_bbox": [1, 2, 3, 4]}


@pytest.mark.parametrize(
    ("amendment", "removed"),
    [
        (NewPress(step=LONG, long=False), {"intention": (2,), "low_level_instruction": (2,), "context": (3, 4)}),
        (NewText(step=TYPE, text="oat"), {"intention": (1,), "low_level_instruction": (1,), "context": (2, 3, 4)}),
        (NewEnd(words="found"), {"intention": (4,)}),
        (DropSteps(first=TYPE, last=LONG), {"context": (3, 4)}),
        (DropTail(at=LONG), {"intention": (2,)}),
        (NewInstruction(instruction="Other words."), {}),
        (NewBox(step=CLICK, box=(355, 639, 365, 641)), {}),
    ],
)
def test_only_texts_that_depend_on_the_change_are_removed(
    amendment: Amendment, removed: dict[str, tuple[int, ...]]
) -> None:
    before = without_provenance(**TEXTS)
    after = amended(before, None, amendment)
    assert after.removed == removed
    for step, old in zip(after.episode.steps, after.kept, strict=True):
        gone = {key for key, steps in removed.items() if old in steps}
        assert keys_of(step).keys() == TEXTS.keys() - gone


@pytest.mark.parametrize(
    ("amendment", "why"),
    [
        (NewInstruction(instruction="\n\t "), "The instruction is empty"),
        (
            NewApps(category=Category.MULTI_APPS, apps=("Shop", "shop", "Notes")),
            "asks for 3 .* different apps, and .* 2",
        ),
        (NewApps(category=Category.MULTI_APPS, apps=("Shop", "Notes", " ")), "An app needs a name"),
        (NewNote(step=0, note="x"), "has no provenance"),
        (NewPress(step=TYPE, long=True), "neither CLICK nor LONG_PRESS"),
        (NewPress(step=KEY, long=True), "neither CLICK nor LONG_PRESS"),
        (NewText(step=CLICK, text="x"), "is not a TYPE"),
        (NewText.model_construct(step=TYPE, text=""), "needs text"),
        (NewBox(step=KEY, box=(1, 1, 2, 2)), "has no box"),
        (NewPress(step=5, long=True), "No step 6: the last one is 5"),
        (DropSteps(first=2, last=1), "Enter the first step before the last"),
        (DropSteps(first=4, last=4), "ends the episode and cannot be dropped"),
        (DropSteps(first=0, last=5), "No step 6"),
        (DropTail(at=4), "already ends at step 5"),
        (DropTail(at=5), "No step 6"),
    ],
)
def test_invalid_amendment_is_rejected(amendment: Amendment, why: str) -> None:
    with pytest.raises(ReviewError, match=why):
        amend(without_provenance(), amendment)


@pytest.mark.parametrize(
    "amendment",
    [
        NewInstruction(instruction=episode().task.instruction),
        NewEnd(words="done"),
        NewPress(step=CLICK, long=False),
        NewPress(step=LONG, long=True),
        NewText(step=TYPE, text="milk"),
    ],
)
def test_amendment_without_effect_is_rejected(amendment: Amendment) -> None:
    with pytest.raises(ReviewError, match="Nothing would change"):
        amend(without_provenance(info=[[1, 2], [3, 4]]), amendment)


# Boxes.


def test_box_is_stored_in_the_provenance_alone_by_default(original: Episode, provenance: EpisodeProvenance) -> None:
    after = amended(original, provenance, NewBox(step=CLICK, box=(30, 60, 45, 70)))
    assert after.episode == original
    assert after.provenance is not None
    record = after.provenance.steps[CLICK]
    assert (record.bbox, record.bbox_source) == ((30, 60, 45, 70), "human")


def test_box_in_file_with_boxes_or_without_provenance(original: Episode, provenance: EpisodeProvenance) -> None:
    file_only = amend(without_provenance(), NewBox(step=CLICK, box=(355, 639, 365, 641)))
    assert keys_of(file_only.steps[CLICK]) == {"sam2_bbox": (493, 499, 507, 501)}, "outwards to whole cells"
    first = with_keys(original.steps[CLICK], sam2_bbox=[0, 0, 9, 9])
    with_box = replace(original, steps=(first, *original.steps[1:]))
    both = amended(with_box, provenance, NewBox(step=CLICK, box=(30, 60, 45, 70)))
    assert both.episode.steps[CLICK].annotations.sam2_bbox == (416, 468, 625, 547)
    assert both.provenance is not None
    assert both.provenance.steps[CLICK].bbox == (30, 60, 45, 70)


@pytest.mark.parametrize(
    ("box", "why"),
    [
        ((-1, 600, 400, 700), "outside the screenshot of 720x1280"),
        ((300, 600, 721, 700), "outside the screenshot"),
        ((300, 600, 400, 1281), "outside the screenshot"),
        ((400, 600, 300, 700), "outside the screenshot"),
        ((300, 600, 300, 700), "outside the screenshot"),
        ((361, 600, 400, 700), "does not contain the touched point 360, 640"),
        ((300, 600, 360, 700), "does not contain the touched point"),
        ((0, 0, 720, 769), "more than 60%"),
    ],
)
def test_implausible_box_is_rejected(box: tuple[int, int, int, int], why: str) -> None:
    with pytest.raises(ReviewError, match=f"Step 1: .*{why}"):
        amend(without_provenance(), NewBox(step=CLICK, box=box))


def test_box_may_fill_60_percent_and_follows_the_screenshot_size() -> None:
    assert amend(without_provenance(), NewBox(step=CLICK, box=(0, 0, 720, 768))).steps[CLICK].annotations.sam2_bbox
    rotated = amended(
        without_provenance(), None, NewBox(step=CLICK, box=(1000, 340, 1100, 380)), screenshot_size=Size(2000, 720)
    ).episode
    assert rotated.steps[CLICK].annotations.sam2_bbox == (500, 472, 550, 528)


def test_box_must_contain_the_pixel_in_the_provenance(original: Episode, provenance: EpisodeProvenance) -> None:
    stroke = StrokeRecord(samples=((40, 64, 0),), duration_us=80_000)
    with pytest.raises(ReviewError, match="40, 64"):
        amended(original, with_record(provenance, CLICK, input=stroke), NewBox(step=CLICK, box=(30, 60, 40, 70)))


def test_scroll_cannot_have_a_box() -> None:
    with pytest.raises(ReviewError, match="has no box"):
        amend(episode(Scroll(Point(1, 1), Point(9, 9), ()), Complete()), NewBox(step=0, box=(1, 1, 9, 9)))


# Steps.


def test_dropped_tail_keeps_screenshot_and_final_message(original: Episode, provenance: EpisodeProvenance) -> None:
    end = EndRecord(action="COMPLETE", words="done")
    after = amended(original, with_record(provenance, END, end=end), DropTail(at=LONG))
    assert [step.action for step in after.episode.steps] == [*ACTIONS[:2], Complete("done")]
    assert after.kept == (0, 1, 2)
    assert after.provenance is not None
    old, new = provenance.steps[LONG], after.provenance.steps[LONG]
    assert (new.frame, new.check, new.touched_us) == (old.frame, old.check, old.touched_us)
    assert (new.input, new.sent_us, new.bbox, new.bbox_source) == (None, None, None, None)
    assert new.end == end


@pytest.mark.parametrize(("dropped", "size"), [(TYPE, Size(72, 128)), (CLICK, Size(128, 72))])
def test_device_size_follows_the_first_remaining_screenshot(
    original: Episode, provenance: EpisodeProvenance, dropped: int, size: Size
) -> None:
    rotated = provenance.steps[TYPE].frame.model_copy(update={"width": 128, "height": 72})
    after = amended(original, with_record(provenance, TYPE, frame=rotated), DropSteps(first=dropped, last=dropped))
    assert after.episode.device.size == size


def test_texts_follow_their_screenshot_or_the_end() -> None:
    before = without_provenance(
        description="a list", intention="open it", sam2_bbox=[1, 2, 3, 4], ps="[(1, 2), (3, 4)]"
    )
    end = with_keys(
        episode(*ACTIONS).steps[END], description="the end", intention="stop", low_level_instruction="Done."
    )
    after = amend(replace(before, steps=(*before.steps[:-1], end)), DropTail(at=CLICK))
    assert [keys_of(step) for step in after.steps] == [{"description": "a list", "low_level_instruction": "Done."}]


def test_mismatched_provenance_prevents_dropping_steps(original: Episode, provenance: EpisodeProvenance) -> None:
    shorter = provenance.model_copy(update={"steps": provenance.steps[1:]})
    for amendment in (DropSteps(first=0, last=0), DropTail(at=1), NewBox(step=0, box=(30, 60, 45, 70))):
        with pytest.raises(ReviewError, match="has 4 steps, the episode 5"):
            amended(original, shorter, amendment)
    assert amended(original, shorter, NewText(step=TYPE, text="bread")).provenance == shorter


@given(first=st.integers(0, 7), last=st.integers(0, 7), at=st.integers(0, 7), tail=st.booleans())
def test_remaining_steps_keep_their_screenshots_and_the_file_is_valid(
    first: int, last: int, at: int, *, tail: bool
) -> None:
    before = episode(*(Type(str(number)) for number in range(7)), Complete("end"))
    try:
        after = amended(before, None, DropTail(at=at) if tail else DropSteps(first=first, last=last))
    except ReviewError:
        return
    assert list(after.kept) == sorted(set(after.kept)) != list(range(8))
    for step, old in zip(after.episode.steps[:-1], after.kept, strict=False):
        assert step.action == before.steps[old].action
    assert after.episode.steps[-1].action == Complete("end")
    assert decode(encode(after.episode), source="after") == after.episode
