from odyssey_recorder.resources import data_folder

PROFILES = {"small_phone", "medium_phone", "pixel_7_pro", "pixel_8_pro", "pixel_fold", "pixel_tablet"}


def test_the_six_device_profiles_of_the_dataset_are_at_hand() -> None:
    assert {file.stem for file in data_folder("device_profiles").glob("*.toml")} >= PROFILES


def test_the_list_of_tasks_for_the_simulated_phone_is_at_hand() -> None:
    assert (data_folder("tasks") / "simulated_phone.jsonl").is_file()


def test_the_templates_folder_is_at_hand() -> None:
    assert (data_folder("templates") / "README.md").is_file()
