"""What a recording goes by: what counts as a click, what as a screen at rest, how late an input may still arrive."""

from dataclasses import dataclass, field

from odyssey_recorder.device.settle import SettleRule
from odyssey_recorder.gesture.areas import NavigationRules
from odyssey_recorder.gesture.recognizer import TouchRules
from odyssey_recorder.recording.foreign import ForeignRules
from odyssey_recorder.recording.session import LATE_INPUT_NS
from odyssey_recorder.recording.snapshots import SnapshotPolicy


@dataclass(frozen=True, slots=True)
class Rules:
    """The values, those of the device at hand.

    `view_trees`: whether the view tree of every screen at rest is asked for. `navigation` is of use in passive mode.
    `snapshots`: whether the emulator is saved before each step, in mirror mode, so that undo can bring it back.
    """

    touch: TouchRules
    navigation: NavigationRules
    settle: SettleRule = field(default_factory=SettleRule)
    late_input_ns: int = LATE_INPUT_NS
    foreign: ForeignRules = field(default_factory=ForeignRules)
    view_hierarchies: bool = True
    snapshots: SnapshotPolicy = "never"
