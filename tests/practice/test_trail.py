from odyssey_recorder.dataset.provenance import ScreenRecord, StepRecord
from odyssey_recorder.model.action import Action, Complete, Press, SystemKey
from odyssey_recorder.practice.gold import Trail, trail_of
from tests.dataset import drafts
from tests.episodes import episode
from tests.practice.attempts import provenance

TREE = (
    '<hierarchy><node package="com.a" class="x" text="Alarm" content-desc="" bounds="[0,0][10,10]"/>'
    '<node package="com.a" class="x" text="Alarm" content-desc="Add alarm" bounds="[0,0][10,5]"/>'
    '<node package="com.keyboard" class="x" text="q" content-desc="" bounds="[0,0][2,2]"/></hierarchy>'
)


def record(shade: int = 0, *, package: str = "com.a") -> StepRecord:
    screen = ScreenRecord(rotation=0, posture="", package=package, activity="com.a.Main", keyboard_shown=False)
    return drafts.record(drafts.png(shade)).model_copy(update={"screen": screen if package else None})


def trail(tree: str | None, *records: StepRecord) -> Trail:
    done: list[Action] = [*[Press(SystemKey.HOME)] * (len(records) - 1), Complete("")]
    return trail_of(episode(*done), provenance(*records), lambda _: tree)


def test_a_step_knows_its_app_and_what_stands_in_the_views_of_that_app() -> None:
    [passage] = trail(TREE, record())
    assert (passage.package, passage.activity, passage.texts) == ("com.a", "com.a.Main", ("Alarm", "Add alarm"))


def test_without_a_word_of_the_device_the_largest_view_tells_the_app() -> None:
    [passage] = trail(TREE, record(package=""))
    assert (passage.package, passage.activity) == ("com.a", "")


def test_a_tree_that_is_not_there_or_no_tree_leaves_the_texts_unknown() -> None:
    for tree in (None, "<hierarchy>", "no tree at all"):
        [passage] = trail(tree, record())
        assert (passage.package, passage.texts) == ("com.a", None)


def test_a_step_after_which_the_screenshot_is_the_same_changed_nothing() -> None:
    steps = trail(TREE, record(1), record(1), record(2))
    assert [step.is_idle for step in steps] == [True, False, False]
