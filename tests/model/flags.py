from odyssey_recorder.model.flag import Flag, FlagCode

_VALUES = {
    FlagCode.OLDER: (2.4,),
    FlagCode.OLDER_THAN_LAST_ACTION: (2.4,),
    FlagCode.TURNED: ("1x2", "2x1"),
    FlagCode.RESIZED: ("1x1", "2x2"),
    FlagCode.FOREIGN_INPUT: ("a touch at (360, 640), 10:22:03.1 UTC",),
    FlagCode.UNSURE_PRESS: (450.0,),
    FlagCode.OTHER_KEY: ("Down",),
    FlagCode.OTHER_EFFECT: ("the button HOME", "com.example.shop/.Main"),
    FlagCode.OTHER: ("somebody else touched the device",),
}
FLAGS = tuple(Flag(code, _VALUES.get(code, ())) for code in FlagCode)
