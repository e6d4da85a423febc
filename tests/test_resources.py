from odyssey_recorder.resources import data_folder

PROFILES = {"small_phone", "medium_phone", "pixel_7_pro", "pixel_8_pro", "pixel_fold", "pixel_tablet"}


def test_the_six_device_profiles_of_the_dataset_are_at_hand() -> None:
    assert {file.stem for file in data_folder("device_profiles").glob("*.toml")} >= PROFILES


def test_the_list_of_tasks_for_the_simulated_phone_is_at_hand() -> None:
    assert (data_folder("tasks") / "simulated_phone.jsonl").is_file()


def test_the_practice_tasks_and_the_consent_text_are_at_hand() -> None:
    folder = data_folder("practice")
    assert (folder / "consent.txt").is_file()
    assert len(list(folder.glob("*/gold.json"))) == len(list(folder.glob("*/task.toml"))) == 10


def test_the_templates_folder_is_at_hand() -> None:
    assert (data_folder("templates") / "README.md").is_file()
