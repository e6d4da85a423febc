"""Cases of IMG01 to IMG08: findings, borderline cases, and what cannot be looked at."""

from dataclasses import replace

from odyssey_recorder.checking.thresholds import BLANK_DEVIATION, BLANK_FLAT, OLDEST_SCREENSHOT_US
from odyssey_recorder.dataset.lenient import Breach, Rule
from odyssey_recorder.dataset.provenance import CheckRecord
from odyssey_recorder.model.geometry import Size
from tests.checking.evidence import (
    LAUNCHER,
    SIZE,
    TOUCHED_US,
    Cases,
    evidence,
    screen,
    with_breach,
    with_step,
    without_provenance,
)

CLEAN = evidence()
RELEASED = without_provenance(CLEAN)
SIDEWAYS = with_step(CLEAN, 3, size=SIZE.turned())
OLD = with_step(CLEAN, 0, age_us=OLDEST_SCREENSHOT_US + 1)
SECOND_FRAME = CheckRecord(number=9, started_us=TOUCHED_US + 5, arrived_us=TOUCHED_US + 9)
NO_DEVICE = replace(CLEAN, episode=replace(CLEAN.episode, device=None))

FOUND: Cases = {
    "IMG01 missing screenshot": (with_step(CLEAN, 2, screenshot=None), [2]),
    "IMG01 broken screenshot": (with_step(CLEAN, 2, problem="the file is empty"), [2]),
    "IMG01 file that the recorder did not write": (with_step(CLEAN, 2, png_sha256="f" * 64), [2]),
    "IMG02 wrong count": (with_breach(CLEAN, Breach(Rule.COUNT, 1, "so it is")), [1]),
    "IMG02 wrong number": (with_breach(CLEAN, Breach(Rule.NUMBER, 1, "so it is")), [1]),
    "IMG02 wrong name": (with_breach(CLEAN, Breach(Rule.SCREENSHOT, 1, "so it is")), [1]),
    "IMG02 other breaches are not its own": (with_breach(CLEAN, Breach(Rule.PLACE, 1, "so it is")), []),
    "IMG02 screenshot without a step": (replace(CLEAN, surplus=("0006223132449496_6.png",)), [None]),
    "IMG03 another size": (with_step(CLEAN, 3, size=Size(719, 1280)), [3]),
    "IMG03 another size in the provenance": (with_step(CLEAN, 3, width=719), [3]),
    "IMG03 rotated first screenshot": (with_step(CLEAN, 0, size=Size(1280, 720), screen=None), [0]),
    "IMG03 rotated screenshot": (SIDEWAYS, [3]),
    "IMG03 rotated screenshot without provenance": (without_provenance(SIDEWAYS), [3]),
    "IMG03 rotated screenshot of a rotated device is allowed": (
        with_step(SIDEWAYS, 3, screen=screen(LAUNCHER, rotation=1)),
        [],
    ),
    "IMG03 upright screenshot of a rotated device": (with_step(CLEAN, 3, screen=screen(LAUNCHER, rotation=3)), [3]),
    "IMG03 upright screenshot upside down is allowed": (with_step(CLEAN, 3, screen=screen(LAUNCHER, rotation=2)), []),
    "IMG04 hardly any contrast": (with_step(CLEAN, 1, deviation=BLANK_DEVIATION - 0.01), [1]),
    "IMG04 nearly one colour": (with_step(CLEAN, 1, flat=BLANK_FLAT + 0.00001), [1]),
    "IMG04 limits are allowed": (with_step(CLEAN, 1, deviation=BLANK_DEVIATION, flat=BLANK_FLAT), []),
    "IMG05 frame after touch-down": (with_step(CLEAN, 0, started_us=TOUCHED_US + 1), [0]),
    "IMG05 frame at touch-down is allowed": (with_step(CLEAN, 0, started_us=TOUCHED_US), []),
    "IMG05 old frame": (OLD, [0]),
    "IMG05 old frame proved by a second one is allowed": (with_step(OLD, 0, check=SECOND_FRAME), []),
    "IMG05 oldest allowed frame": (with_step(CLEAN, 0, age_us=OLDEST_SCREENSHOT_US), []),
    "IMG07 no change": (with_step(CLEAN, 3, change=0.0), [3]),
    "IMG07 change of a hundredth is allowed": (with_step(CLEAN, 3, change=0.01), []),
    "IMG08 moving screen": (with_step(CLEAN, 2, settled=False), [2]),
}
UNSEEN: Cases = {
    "IMG01 without provenance": (RELEASED, [0, 1, 2, 3, 4, 5]),
    "IMG03 rotated screenshot is checked without provenance": (without_provenance(SIDEWAYS), []),
    "IMG03 unknown device size": (NO_DEVICE, [-1]),
    "IMG04 missing screenshot": (with_step(CLEAN, 1, screenshot=None), [1]),
    "IMG05 without provenance": (RELEASED, [0, 1, 2, 3, 4, 5]),
    "IMG07 incomparable screenshots": (with_step(CLEAN, 3, change=None), [3]),
    "IMG08 without provenance": (RELEASED, [0, 1, 2, 3, 4, 5]),
}
