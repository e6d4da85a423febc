from odyssey_recorder.model.episode import Category, screenshot_name


def test_a_screenshot_is_named_after_its_episode_and_step() -> None:
    assert screenshot_name("0006223132449496", 12) == "0006223132449496_12.png"


def test_the_six_categories_are_spelled_as_in_the_data() -> None:
    assert {category.value for category in Category} == {
        "General_Tool",
        "Information_Management",
        "Media_Entertainment",
        "Multi_Apps",
        "Social_Sharing",
        "Web_Shopping",
    }
