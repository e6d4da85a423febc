"""Control of a device, on a device in memory."""

from odyssey_recorder.control.inputs import Input
from odyssey_recorder.control.loop import DeviceControl, Observation
from odyssey_recorder.device.settle import SettleRule
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import SystemKey
from odyssey_recorder.model.geometry import Pixel
from tests.fakes import FakeDevice

AT_ONCE = SettleRule(still_ms=0)
TAP = TouchStroke.press(Pixel(10, 20))


def test_each_observation_shows_the_result_of_the_last_input() -> None:
    device = FakeDevice()
    control = DeviceControl(device, AT_ONCE, patience_ms=0)
    inputs: tuple[Input, ...] = (TAP, "", SystemKey.HOME, "milk")

    seen = [control.observe()]
    for action in inputs:
        control.perform(action)
        seen.append(control.observe())

    assert device.performed == [TAP, SystemKey.HOME, "milk"], "an empty text does nothing"
    screens = [observation.frame.image().tobytes() for observation in seen]
    assert screens == [device.screenshot(screen).tobytes() for screen in (0, 1, 1, 2, 3)]
    assert all(observation.settled for observation in seen)


def test_unexpected_screen_is_waited_for() -> None:
    device, judged = FakeDevice(), list[bytes]()

    def expects(observation: Observation) -> bool:
        judged.append(observation.frame.image().tobytes())
        device.show("later")
        return len(judged) > 1

    control = DeviceControl(device, AT_ONCE, patience_ms=60_000)
    control.perform(TAP)
    observation = control.observe(expects)

    assert observation.frame.image().tobytes() == judged[-1] == device.screenshot("later").tobytes()
    assert len(judged) == 2, "each screen is judged once"
    assert DeviceControl(device, AT_ONCE, patience_ms=0).observe(lambda _: False).settled
