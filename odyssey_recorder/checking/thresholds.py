"""The thresholds of the checks; docs/quality.md says how each was set, and on what data."""

PHONE_ASPECT = 1.65
"""A screenshot with a larger ratio of long to short side is that of a phone, upright or turned."""
PHONE_BARS = 0.09, 0.135
"""Rows at the top and bottom of a phone's screenshot that are not measured, as shares of its short side: the status
bar, whose clock changes by itself, and the navigation bar, for all phones of the dataset.
"""
WIDE_BARS = 0.05, 0.09
"""The same for tablets and unfolded foldables, as shares of the screenshot's height."""
CHANNEL = 24
"""A pixel differs if one of its channels does by more than this, of 255: as in replay/compare.py."""

# Calibrated on screenshots of the simulated emulator: `make quality ARGS=--calibrate`.

NO_EFFECT_DP2 = 85.0
"""A smaller change is no effect: a blinking cursor is up to 73 dp², a star that is filled 102, a typed i 115."""
NO_EFFECT_SHARE = 0.0002
"""The same as a share of the pixels, for an unknown density; it cannot tell all cursors from all stars."""
BLANK_DEVIATION = 2.0
"""A screen with a lower standard deviation of luma is blank: an empty one has 0, a dark, empty note 4.7."""
BLANK_FLAT = 0.9997
"""A screen with a larger share of one colour is blank: an empty one has 1, a dark, empty note 0.9992."""

# One episode.

OLDEST_SCREENSHOT_US = 2_000_000
"""Age in microseconds of an unproved frame at touch-down, at most: the recorder's own limit, and the spec's."""
SHORTEST_SCROLL = 40
"""Shortest SCROLL in thousandths of the screen: AITW takes a movement below 0.04 for a tap."""
LONGEST_CLICK_US = 500_000
"""Longest CLICK in microseconds: Android's long press begins at 400 ms, released data may be 100 off."""
REPEATED_ACTIONS = 3
"""Equal actions in a row without an effect; fewer may be retries."""
REPEATED_PLACE = 10
"""Thousandths by which the positions of equal actions may differ: less than the smallest touch target."""
REPEATED_SCREENS = 5
"""Alternating screens, A B A B A: tasks may require going back once; twice is a loop."""
BOX_SLACK = 5
"""Thousandths that a press may be outside its box, for rounding and a finger at the edge."""
LARGEST_BOX = 0.6
"""A box that covers more of the screen is useless; as in device/view_hierarchy.py."""
FOREIGN_STEPS = 2
"""Steps that an app of no task may be in front: to pass through a chooser or to close a dialog."""
ITEM_KEPT = 0.5
"""An item is lost when a smaller share of its words and figures is in the instruction; at exactly this share its first
word decides. Set on the tasks of the simulated emulator, all of which are kept, and on items replaced by others of the
kind.
"""

# Whole datasets.

COMMON_SCREEN = 5
"""A screenshot that this many episodes have, byte for byte, is a common screen, not one episode's file."""
SAME_LOOK = 16
"""Two screens look the same if at most this many bits of their difference hashes differ: unrelated ones differ in about
32 of 64, home screens of simulated emulators with other contents in up to 15.
"""
COMMON_LOOK = 20
"""A look that more episodes have means nothing for any two of them."""
ALIKE_LOOKS = 5
"""Episodes with fewer uncommon screens are not compared by their looks."""
ALIKE_SHARE = 0.8
"""Episodes of different tasks that share this much of their looks are reported."""
ALIKE_ACTIONS = 0.9
"""Episodes of one task on one device with a larger similarity of actions are near-duplicates."""
SAME_PLACE = 40
"""Two actions have the same position if they differ by at most this on either axis of the grid."""
ALIKE_INSTRUCTION = 0.7
"""Instructions with a larger ROUGE-L are reported, as in Self-Instruct."""
COMPARED_AT_MOST = 400
"""An instruction is compared with at most this many others: those that share most of its rarest words."""
NAMED_AT_MOST = 3
"""A finding names this many other episodes."""
LONGEST = 60
"""Number of steps of an episode, including the terminal one."""
LENGTH_FENCE = 3
"""An episode is unusual if the logarithm of its length is outside the interquartile range of its category by more than
this many times that range: Tukey's outer fences.
"""
LENGTH_SPREAD = 1.5
"""The upper quartile of lengths counts as at least this many times the lower one."""
LENGTHS_NEEDED = 20
"""A category with fewer episodes has no usual length."""
