"""The control loop, on a device in memory."""

from odyssey_recorder.control.inputs import Input
from odyssey_recorder.control.loop import ControlRules, DeviceControl, Observation, run
from odyssey_recorder.device.settle import SettleRule
from odyssey_recorder.gesture.touch import TouchStroke
from odyssey_recorder.model.action import SystemKey
from odyssey_recorder.model.geometry import Pixel
from tests.fakes import FakeDevice

AT_ONCE = SettleRule(still_ms=0)
TAP = TouchStroke.press(Pixel(10, 20))


class ScriptedPolicy:
    def __init__(self, *inputs: Input) -> None:
        self._inputs = iter(inputs)
        self.seen: list[Observation] = []

    def expects(self, observation: Observation) -> bool:
        return True

    def decide(self, observation: Observation) -> Input | None:
        self.seen.append(observation)
        return next(self._inputs, None)


def test_policy_sees_the_result_of_each_input() -> None:
    device, policy, performed = FakeDevice(), ScriptedPolicy(TAP, "", SystemKey.HOME, "milk"), list[Input]()

    run(DeviceControl(device, ControlRules(AT_ONCE)), policy, performed.append)

    assert device.performed == [TAP, SystemKey.HOME, "milk"], "an empty text does nothing"
    assert performed == [TAP, "", SystemKey.HOME, "milk"]
    screens = [observation.frame.image().tobytes() for observation in policy.seen]
    assert screens == [device.screenshot(screen).tobytes() for screen in (0, 1, 1, 2, 3)]
    assert all(observation.settled for observation in policy.seen)


def test_unexpected_screen_is_waited_for() -> None:
    device, judged = FakeDevice(), list[bytes]()

    def expects(observation: Observation) -> bool:
        judged.append(observation.frame.image().tobytes())
        device.show("later")
        return len(judged) > 1

    control = DeviceControl(device, ControlRules(AT_ONCE, patience_ms=60_000))
    control.perform(TAP)
    observation = control.observe(expects)

    assert observation.frame.image().tobytes() == judged[-1] == device.screenshot("later").tobytes()
    assert len(judged) == 2, "each screen is judged once"
    assert DeviceControl(device, ControlRules(AT_ONCE, patience_ms=0)).observe(lambda _: False).settled
