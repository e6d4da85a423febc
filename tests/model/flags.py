from odyssey_recorder.model.flag import Flag, FlagCode

_VALUES = {
    FlagCode.OLDER: (2.4,),
    FlagCode.OLDER_THAN_LAST_ACTION: (2.4,),
    FlagCode.TURNED: ("1x2", "2x1"),
    FlagCode.RESIZED: ("1x1", "2x2"),
    FlagCode.FOREIGN_INPUT: ("a touch at (360, 640), 10:22:03.1 UTC",),
    FlagCode.OTHER: ("somebody else touched the device",),
}
FLAGS = tuple(Flag(code, _VALUES.get(code, ())) for code in FlagCode)

FORMAT_1 = {
    FlagCode.MOVING: "the screen was still moving",
    FlagCode.CHANGING: "the screen changed at about the moment of the touch",
    FlagCode.UNWATCHED: "what the screen showed just after the touch is not known",
    FlagCode.OLDER: "the picture is 2.4 s older than the touch",
    FlagCode.OLDER_THAN_LAST_ACTION: "the picture is 2.4 s older than the touch, and from before the last action",
    FlagCode.NEWER: (
        "the screen changed just before the finger came down: the picture is newer than the one that was seen"
    ),
    FlagCode.UNPROVEN: "nothing proves that the screen was still the same at touch-down",
    FlagCode.AREAS_CHANGED: "the keyboard, the bars or the screen's posture changed at about the moment of the touch",
    FlagCode.AREAS_UNKNOWN: "the device did not say in time how its screen is parted",
    FlagCode.NO_KEY: "it looked like a swipe to another app, but none of the system's keys was its effect",
    FlagCode.CLOCK_CHANGED: "the device's clock was changed at about the moment of the touch",
    FlagCode.CLOCK_UNREAD: "the device's clock could not be read after the touch",
    FlagCode.TEXT_UNREAD: "what was typed could not be read",
    FlagCode.UNCHANGED: "nothing changed on the screen",
    FlagCode.WRONG_TEXT: "the field shows another text",
    FlagCode.CONNECTION_BROKE: "the connection broke while it was sent",
    FlagCode.VOUCHED: "the recorder ended while it was sent: whether the device got it is the annotator's word",
    FlagCode.TURNED: "the screen was turned: its picture is 1x2, device_info says 2x1",
    FlagCode.RESIZED: "the screen had another size: its picture is 1x1, device_info says 2x2",
    FlagCode.UNLIKE: "taken for the screen of the step that was undone, but not the same",
    FlagCode.RESUMED_ELSEWHERE: "resumed on another screen than the one that the recording had left",
    FlagCode.RESUMED_UNSEEN: "resumed without a picture of the screen that the recording had left",
    FlagCode.FOREIGN_INPUT: "something else acted on the device: a touch at (360, 640), 10:22:03.1 UTC",
    FlagCode.UNEXPLAINED: "the screen changed before this step, and no step explains it",
    FlagCode.OTHER: "somebody else touched the device",
}
"""The texts of `FLAGS` as recorders stored them before flags had codes."""
