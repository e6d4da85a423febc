import pytest

from odyssey_recorder.device.preflight import findings, prepare, take_readings
from odyssey_recorder.device.profile import Preparation
from odyssey_recorder.errors import DeviceDisconnectedError
from tests.fakes import FakeDevice

ANIMATIONS = ("window_animation_scale", "transition_animation_scale", "animator_duration_scale")


def test_a_prepared_device_has_nothing_left_to_mend_but_its_size() -> None:
    device = FakeDevice()
    device.settings["secure", "navigation_mode"] = "2"

    assert prepare(device, Preparation(time_zone="Europe/Oslo"), animations=False) == ()

    assert device.time_zone == "Europe/Oslo"
    assert device.settings["global", "auto_time_zone"] == "0", "or the network's zone comes back"
    left = {finding.what for finding in findings(take_readings(device)) if finding.repairs}
    assert left == set()


def test_animations_and_the_rest_are_as_the_profile_says() -> None:
    device = FakeDevice()

    prepare(device, Preparation(soft_keyboard=False, stay_awake=False), animations=True)

    assert [device.settings["global", name] for name in ANIMATIONS] == ["1", "1", "1"]
    assert device.settings["secure", "show_ime_with_hard_keyboard"] == "0"
    assert device.settings["global", "stay_on_while_plugged_in"] == "0"


def test_what_the_device_refuses_is_a_finding_and_the_rest_is_done() -> None:
    device = FakeDevice()

    refused = prepare(device, Preparation(navigation="gestural"), animations=False)

    assert [(finding.what, "refused the overlay" in finding.fix) for finding in refused] == [("Preparation", True)]
    assert "navbar.gestural" in refused[0].found
    assert device.time_zone == "Etc/UTC"


def test_a_navigation_that_is_there_is_not_brought_again() -> None:
    device = FakeDevice()
    device.settings["secure", "navigation_mode"] = "2"
    assert prepare(device, Preparation(navigation="gestural"), animations=False) == ()


@pytest.mark.parametrize(
    ("chosen", "found"), [("nb-NO,en-US", "nb-NO,en-US, not en-US"), ("en-US,nb-NO", None), ("", None)]
)
def test_another_language_is_told_with_what_to_do(chosen: str, found: str | None) -> None:
    device = FakeDevice()
    device.settings["system", "system_locales"] = chosen

    told = prepare(device, Preparation(), animations=False)

    assert [finding.found for finding in told] == ([found] if found else [])


def test_a_device_that_goes_away_ends_the_preparation() -> None:
    device = FakeDevice()
    device.disconnect()
    with pytest.raises(DeviceDisconnectedError):
        prepare(device, Preparation(), animations=False)
