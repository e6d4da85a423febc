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
from tests.dataset.published_episode import ACTIONS, recorded, store_of
from tests.episodes import episode

Own = tuple[Episode, EpisodeProvenance]
CLICK, TYPE, LONG, KEY, END = range(5)


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Own:
    """An episode of 72x128 pixels with its provenance."""
    there = recorded(tmp_path_factory.mktemp("amending"))
    provenance = store_of(there).provenance(there.episode_id)
    assert provenance is not None
    return store_of(there).load(there.episode_id), provenance


def without_provenance(**keys: Json) -> Episode:
    """An episode as in the published data, 720x1280, with these keys beside each action."""
    found = episode(*ACTIONS)
    return replace(found, steps=tuple(saying(step, **keys) for step in found.steps))


def saying(step: Step, **keys: Json) -> Step:
    spelling: dict[str, Json] = {key: keys.pop(key) for key in ("info", "ps") if key in keys}
    return replace(step, annotations=annotations_of(keys), spelling=spelling)


def beside(step: Step) -> dict[str, object]:
    annotations = {key: getattr(step.annotations, key) for key in ANNOTATION_KEYS if step.annotations.has(key)}
    return {**step.spelling, **step.extra, **annotations}


def amend(before: Episode, amendment: Amendment) -> Episode:
    return amended(before, None, amendment).episode


# Texts.


def test_an_instruction_is_said_otherwise_and_nothing_else_changes() -> None:
    before = without_provenance()
    after = amended(before, None, NewInstruction(instruction="Say it otherwise."))
    assert after == Amended(
        replace(before, task=replace(before.task, instruction="Say it otherwise.")), None, (0, 1, 2, 3, 4)
    )


def test_the_apps_and_the_category_of_a_task_are_said_otherwise_and_nothing_else_changes() -> None:
    before = without_provenance()
    after = amend(before, NewApps(category=Category.MULTI_APPS, apps=("Shop", "Notes", "Mail")))
    task = replace(before.task, category="Multi_Apps", apps=("Shop", "Notes", "Mail"))
    assert after == replace(before, task=task)


def test_the_note_of_an_end_may_be_emptied_but_not_the_reason_of_impossible() -> None:
    assert amend(without_provenance(), NewEnd(words="")).steps[END].action == Complete("")
    hopeless = episode(*ACTIONS[:-1], Impossible("no results"))
    assert amend(hopeless, NewEnd(words="login required")).steps[END].action == Impossible("login required")
    with pytest.raises(ReviewError, match="IMPOSSIBLE needs a reason"):
        amend(hopeless, NewEnd(words=" "))


def test_a_note_is_written_into_the_provenance(own: Own) -> None:
    after = amended(*own, NewNote(step=TYPE, note="the second field"))
    assert after.episode == own[0]
    assert after.provenance is not None
    assert [one.note for one in after.provenance.steps] == ["", "the second field", "", "", ""]


# Actions.


def test_a_click_becomes_a_long_press_at_the_same_point_and_the_stroke_stays(own: Own) -> None:
    after = amended(*own, NewPress(step=CLICK, long=True))
    assert after.episode.steps[CLICK].action == LongPress(Point(500, 500))
    assert after.provenance == own[1], "the provenance says what the finger did"
    assert amended(after.episode, after.provenance, NewPress(step=CLICK, long=False)).episode == own[0]


def test_an_action_that_changes_loses_the_old_spelling_and_keeps_all_else() -> None:
    before = without_provenance(info=[[1, 2], [3, 4]], ps="[(1, 2), (3, 4)]", description="a list")
    for amendment in (NewPress(step=CLICK, long=True), NewText(step=TYPE, text="bread"), NewEnd(words="found")):
        after = amend(before, amendment)
        changed = [number for number in range(5) if after.steps[number] != before.steps[number]]
        assert [beside(after.steps[number]) for number in changed] == [{"description": "a list"}]


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
def test_exactly_the_texts_go_that_depend_on_what_is_amended(
    amendment: Amendment, removed: dict[str, tuple[int, ...]]
) -> None:
    before = without_provenance(**TEXTS)
    after = amended(before, None, amendment)
    assert after.removed == removed
    for step, old in zip(after.episode.steps, after.kept, strict=True):
        gone = {key for key, steps in removed.items() if old in steps}
        assert beside(step).keys() == TEXTS.keys() - gone


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
        (NewPress(step=END, long=False), "neither CLICK nor LONG_PRESS"),
        (NewText(step=CLICK, text="x"), "is not a TYPE"),
        (NewText.model_construct(step=TYPE, text=""), "needs text"),
        (NewBox(step=TYPE, box=(1, 1, 2, 2)), "has no box"),
        (NewBox(step=KEY, box=(1, 1, 2, 2)), "has no box"),
        (NewBox(step=END, box=(1, 1, 2, 2)), "has no box"),
        (NewPress(step=5, long=True), "No step 6: the last one is 5"),
        (NewText(step=99, text="x"), "No step 100"),
        (DropSteps(first=2, last=1), "Enter the first step before the last"),
        (DropSteps(first=4, last=4), "ends the episode and cannot be dropped"),
        (DropSteps(first=0, last=5), "No step 6"),
        (DropTail(at=4), "already ends at step 5"),
        (DropTail(at=5), "No step 6"),
    ],
)
def test_what_does_not_fit_the_step_is_refused(amendment: Amendment, why: str) -> None:
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
def test_what_changes_nothing_is_refused(amendment: Amendment) -> None:
    with pytest.raises(ReviewError, match="Nothing would change"):
        amend(without_provenance(info=[[1, 2], [3, 4]]), amendment)


# Boxes.


def test_a_box_goes_into_the_provenance_and_not_into_a_file_that_has_none(own: Own) -> None:
    after = amended(*own, NewBox(step=CLICK, box=(30, 60, 45, 70)))
    assert after.episode == own[0]
    assert after.provenance is not None
    record = after.provenance.steps[CLICK]
    assert (record.bbox, record.bbox_source) == ((30, 60, 45, 70), "human")


def test_a_box_goes_into_the_file_where_there_is_no_provenance_or_the_file_has_boxes(own: Own) -> None:
    bare = amend(without_provenance(), NewBox(step=CLICK, box=(355, 639, 365, 641)))
    assert beside(bare.steps[CLICK]) == {"sam2_bbox": (493, 499, 507, 501)}, "outwards to whole cells"
    first = saying(own[0].steps[CLICK], sam2_bbox=[0, 0, 9, 9])
    both = amended(replace(own[0], steps=(first, *own[0].steps[1:])), own[1], NewBox(step=CLICK, box=(30, 60, 45, 70)))
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
        ((0, 0, 720, 1280), "more than 60%"),
        ((0, 0, 720, 769), "more than 60%"),
    ],
)
def test_a_box_that_cannot_be_that_of_the_touched_element_is_refused(box: tuple[int, int, int, int], why: str) -> None:
    with pytest.raises(ReviewError, match=f"Step 1: .*{why}"):
        amend(without_provenance(), NewBox(step=CLICK, box=box))


def test_a_box_may_fill_most_of_the_screen_and_is_measured_on_the_screenshot_as_it_is() -> None:
    assert amend(without_provenance(), NewBox(step=CLICK, box=(0, 0, 720, 768))).steps[CLICK].annotations.sam2_bbox
    turned = amended(
        without_provenance(), None, NewBox(step=CLICK, box=(1000, 340, 1100, 380)), screenshot_size=Size(2000, 720)
    ).episode
    assert turned.steps[CLICK].annotations.sam2_bbox == (500, 472, 550, 528)


def test_a_box_holds_the_very_pixel_where_the_provenance_tells_it(own: Own) -> None:
    stroke = StrokeRecord(samples=((40, 64, 0),), duration_us=80_000)
    records = (own[1].steps[CLICK].model_copy(update={"input": stroke}), *own[1].steps[1:])
    provenance = own[1].model_copy(update={"steps": records})
    with pytest.raises(ReviewError, match="40, 64"):
        amended(own[0], provenance, NewBox(step=CLICK, box=(30, 60, 40, 70)))


# Steps.


def test_an_episode_that_ends_earlier_keeps_the_screenshot_of_its_last_step_and_the_words_of_the_end(own: Own) -> None:
    ended = own[1].steps[END].model_copy(update={"end": EndRecord(action="COMPLETE", words="done")})
    provenance = own[1].model_copy(update={"steps": (*own[1].steps[:END], ended)})
    after = amended(own[0], provenance, DropTail(at=LONG))
    assert [step.action for step in after.episode.steps] == [*ACTIONS[:2], Complete("done")]
    assert after.kept == (0, 1, 2)
    assert after.provenance is not None
    old, new = own[1].steps[LONG], after.provenance.steps[LONG]
    assert (new.frame, new.check, new.touched_us) == (old.frame, old.check, old.touched_us)
    assert (new.input, new.sent_us, new.bbox, new.bbox_source) == (None, None, None, None)
    assert new.end == ended.end


def test_the_device_has_the_size_of_the_first_screenshot_that_is_left(own: Own) -> None:
    turned = own[1].steps[TYPE].frame.model_copy(update={"width": 128, "height": 72})
    records = [own[1].steps[CLICK], own[1].steps[TYPE].model_copy(update={"frame": turned}), *own[1].steps[LONG:]]
    provenance = own[1].model_copy(update={"steps": tuple(records)})
    assert amended(own[0], provenance, DropSteps(first=TYPE, last=TYPE)).episode.device.size == Size(72, 128)
    assert amended(own[0], provenance, DropSteps(first=CLICK, last=CLICK)).episode.device.size == Size(128, 72)


def test_what_a_file_says_of_the_screenshot_stays_with_it_and_what_it_says_of_the_end_comes_along() -> None:
    before = without_provenance(
        description="a list", intention="open it", sam2_bbox=[1, 2, 3, 4], ps="[(1, 2), (3, 4)]"
    )
    end = saying(episode(*ACTIONS).steps[END], description="the end", intention="stop", low_level_instruction="Done.")
    after = amend(replace(before, steps=(*before.steps[:-1], end)), DropTail(at=CLICK))
    assert [beside(step) for step in after.steps] == [{"description": "a list", "low_level_instruction": "Done."}]


def test_steps_are_not_dropped_where_the_provenance_is_of_other_steps(own: Own) -> None:
    provenance = own[1].model_copy(update={"steps": own[1].steps[1:]})
    for amendment in (DropSteps(first=0, last=0), DropTail(at=1), NewBox(step=0, box=(30, 60, 45, 70))):
        with pytest.raises(ReviewError, match="has 4 steps, the episode 5"):
            amended(own[0], provenance, amendment)
    assert amended(own[0], provenance, NewText(step=TYPE, text="bread")).provenance == provenance


@given(first=st.integers(0, 7), last=st.integers(0, 7), at=st.integers(0, 7), tail=st.booleans())
def test_whatever_is_dropped_each_screenshot_stays_with_what_is_kept_and_the_file_is_valid(
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


def test_a_scroll_has_no_box() -> None:
    with pytest.raises(ReviewError, match="has no box"):
        amend(episode(Scroll(Point(1, 1), Point(9, 9), ()), Complete()), NewBox(step=0, box=(1, 1, 9, 9)))
