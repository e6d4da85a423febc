"""The names that `getevent -l` prints for event types and codes of the simulated input nodes."""

EV_SYN, EV_KEY, EV_ABS, EV_SW, EV_LED = 0x00, 0x01, 0x03, 0x05, 0x11
SYN_REPORT, SYN_DROPPED = 0x00, 0x03
ABS_MT_SLOT, ABS_MT_POSITION_X, ABS_MT_POSITION_Y = 0x2F, 0x35, 0x36
ABS_MT_TRACKING_ID, ABS_MT_PRESSURE = 0x39, 0x3A
ABS_X, ABS_Y, BTN_MOUSE = 0x00, 0x01, 0x110

# Runs of consecutive key codes: the first code, then the names in order (without their "KEY_").
_KEY_RUNS = {
    0x001: (
        "ESC 1 2 3 4 5 6 7 8 9 0 MINUS EQUAL BACKSPACE TAB Q W E R T Y U I O P LEFTBRACE RIGHTBRACE "
        "ENTER LEFTCTRL A S D F G H J K L SEMICOLON APOSTROPHE GRAVE LEFTSHIFT BACKSLASH Z X C V B N "
        "M COMMA DOT SLASH RIGHTSHIFT KPASTERISK LEFTALT SPACE CAPSLOCK F1 F2 F3 F4 F5 F6 F7 F8 F9 "
        "F10 NUMLOCK SCROLLLOCK KP7 KP8 KP9 KPMINUS KP4 KP5 KP6 KPPLUS KP1 KP2 KP3 KP0 KPDOT"
    ),
    0x056: "102ND F11 F12 RO",
    0x05B: "HIRAGANA HENKAN",
    0x060: (
        "KPENTER RIGHTCTRL KPSLASH SYSRQ RIGHTALT LINEFEED HOME UP PAGEUP LEFT RIGHT END DOWN PAGEDOWN INSERT DELETE"
    ),
    0x071: "MUTE VOLUMEDOWN VOLUMEUP POWER KPEQUAL",
    0x077: "PAUSE",
    0x079: "KPCOMMA",
    0x07C: ("YEN LEFTMETA RIGHTMETA COMPOSE STOP AGAIN PROPS UNDO FRONT COPY OPEN PASTE FIND CUT HELP MENU CALC"),
    0x08E: "SLEEP WAKEUP",
    0x09B: "MAIL BOOKMARKS COMPUTER BACK FORWARD",
    0x0A3: "NEXTSONG PLAYPAUSE PREVIOUSSONG STOPCD",
    0x0AC: "HOMEPAGE REFRESH",
    0x0D9: "SEARCH",
    0x0E2: "MEDIA",
    0x0E5: "KBDILLUMDOWN KBDILLUMUP SEND REPLY",
    0x18F: "GREEN",
    0x244: "APPSELECT SCREENSAVER VOICECOMMAND ASSISTANT KBD_LAYOUT_NEXT EMOJI_PICKER",
}

_KEYS = {
    first + offset: f"KEY_{name}" for first, names in _KEY_RUNS.items() for offset, name in enumerate(names.split())
}

_NAMES: dict[int, dict[int, str]] = {
    EV_SYN: {SYN_REPORT: "SYN_REPORT", SYN_DROPPED: "SYN_DROPPED"},
    EV_KEY: {**_KEYS, BTN_MOUSE: "BTN_MOUSE", 0x141: "BTN_TOOL_RUBBER", 0x14B: "BTN_STYLUS"},
    EV_ABS: {
        0x00: "ABS_X",
        0x01: "ABS_Y",
        0x02: "ABS_Z",
        ABS_MT_SLOT: "ABS_MT_SLOT",
        0x30: "ABS_MT_TOUCH_MAJOR",
        0x31: "ABS_MT_TOUCH_MINOR",
        0x34: "ABS_MT_ORIENTATION",
        ABS_MT_POSITION_X: "ABS_MT_POSITION_X",
        ABS_MT_POSITION_Y: "ABS_MT_POSITION_Y",
        0x37: "ABS_MT_TOOL_TYPE",
        ABS_MT_TRACKING_ID: "ABS_MT_TRACKING_ID",
        ABS_MT_PRESSURE: "ABS_MT_PRESSURE",
    },
    EV_SW: {0x00: "SW_LID"},
    EV_LED: {0x00: "LED_NUML", 0x01: "LED_CAPSL", 0x02: "LED_SCROLLL"},
}
_TYPES = {EV_SYN: "EV_SYN", EV_KEY: "EV_KEY", EV_ABS: "EV_ABS", EV_SW: "EV_SW", EV_LED: "EV_LED"}
_KEY_VALUES = {0: "UP", 1: "DOWN", 2: "REPEAT"}


def type_name(event_type: int) -> str:
    """`EV_ABS` and the like; four hex digits if there is no name."""
    return _TYPES.get(event_type, f"{event_type:04x}")


def code_name(event_type: int, code: int) -> str:
    """`ABS_MT_SLOT` and the like; four hex digits if there is no name."""
    return _NAMES.get(event_type, {}).get(code, f"{code:04x}")


def value_name(event_type: int, value: int) -> str:
    """`DOWN` and `UP` for keys, eight hex digits for everything else."""
    number = f"{value & 0xFFFFFFFF:08x}"
    return _KEY_VALUES.get(value, number) if event_type == EV_KEY else number


def code_named(name: str) -> tuple[int, int] | None:
    codes = ((event_type, code) for event_type, names in _NAMES.items() for code in names)
    return next((found for found in codes if code_name(*found) == name), None)
