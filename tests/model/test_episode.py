from odyssey_recorder.model.episode import Category, screenshot_name
from tests.episodes import episode


def test_a_screenshot_is_named_after_its_episode_and_step() -> None:
    assert screenshot_name("0006223132449496", 12) == "0006223132449496_12.png"


def test_nothing_unknown_is_kept_unless_a_file_says_it() -> None:
    one = episode()

    assert one.extra == one.device.extra == one.task.extra == {}
    assert all(step.extra == step.spelling == {} for step in one.steps)


def test_the_six_categories_are_spelled_as_in_the_data() -> None:
    assert {category.value for category in Category} == {
        "General_Tool",
        "Information_Management",
        "Media_Entertainment",
        "Multi_Apps",
        "Social_Sharing",
        "Web_Shopping",
    }
