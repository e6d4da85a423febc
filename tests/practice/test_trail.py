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


def test_step_has_its_app_and_the_texts_of_that_app() -> None:
    [step] = trail(TREE, record())
    assert (step.package, step.activity, step.texts) == ("com.a", "com.a.Main", ("Alarm", "Add alarm"))


def test_largest_view_gives_an_unrecorded_app() -> None:
    [step] = trail(TREE, record(package=""))
    assert (step.package, step.activity) == ("com.a", "")


def test_missing_or_invalid_tree_leaves_texts_unknown() -> None:
    for tree in (None, "<hierarchy>", "no tree at all"):
        [step] = trail(tree, record())
        assert (step.package, step.texts) == ("com.a", None)


def test_step_without_a_screen_change_is_idle() -> None:
    steps = trail(TREE, record(1), record(1), record(2))
    assert [step.is_idle for step in steps] == [True, False, False]
