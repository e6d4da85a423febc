"""Every number that decides whether a check finds something; docs/quality.md says how each was set, and on what."""

PHONE_ASPECT = 1.65
"""A picture whose long side is more than so many times its short one is that of a phone, upright or turned."""
PHONE_BARS = 0.09, 0.135
"""No measure looks at so many rows at top and bottom of a phone's picture, as shares of its short side: the status bar,
whose clock goes on by itself, and the navigation bar, of all phones that the dataset has."""
WIDE_BARS = 0.05, 0.07
"""The same for tablets and unfolded foldables, as shares of the picture's height."""
CHANNEL = 24
"""A pixel differs where one of its channels does by more than this, of 255: as replay/compare.py has it."""

# --- calibrated on pictures of the simulated phone: `make quality ARGS=--calibrate` ---------------------

NO_EFFECT_DP2 = 85.0
"""A smaller change is no effect: a cursor that blinks is up to 73 dp², a star that is filled 102, a typed i 115."""
NO_EFFECT_SHARE = 0.0002
"""The same as a share of the pixels, for a density that is not known; it cannot tell all cursors from all stars."""
BLANK_DEVIATION = 2.0
"""A screen is blank below this standard deviation of luma: what shows nothing has 0, a dark, empty note 4.7."""
BLANK_FLAT = 0.9997
"""A screen is blank above this share of one colour: what shows nothing has 1, a dark, empty note 0.9992."""

# --- one episode -----------------------------------------------------------------------------------------

OLDEST_PICTURE_US = 2_000_000
"""Microseconds before the touch-down that an unproved picture may be old: the recorder's own limit, and the spec's."""
SHORTEST_SCROLL = 40
"""Thousandths of the screen that a SCROLL is long: AITW takes what moves less than 0.04 for a tap."""
LONGEST_CLICK_US = 500_000
"""Microseconds that a finger stays for a CLICK: Android's long press begins at 400 ms, released data may be 100 off."""
REPEATED_ACTIONS = 3
"""So many equal actions in a row without an effect are no second try any more."""
REPEATED_PLACE = 10
"""Thousandths by which the places of equal actions may differ: less than the smallest thing that is touched."""
REPEATED_SCREENS = 5
"""Screens that two of them give in turn, A B A B A: going back once is what tasks ask for, twice is a loop."""
BOX_SLACK = 5
"""Thousandths by which a press may lie beside its box: what rounding, and a finger at the edge, come to."""
LARGEST_BOX = 0.6
"""A box that covers more of the screen says nothing of what was pressed; as device/view_hierarchy.py has it."""
FOREIGN_STEPS = 2
"""Steps that an app of no task may be in front: to pass through a chooser or to close what came up."""
ITEM_KEPT = 0.5
"""An item is lost when fewer of its words and figures are in the instruction; at just as many its first word decides.
Set on the tasks of the simulated phone, all of which are kept, and on items replaced by others of the kind."""

# --- whole datasets --------------------------------------------------------------------------------------

COMMON_SCREEN = 5
"""A picture that so many episodes have, byte for byte, is a screen that all pass by, and not one episode's file."""
SAME_LOOK = 16
"""Two screens look the same when no more bits of their difference hashes differ: unrelated ones differ in about 32 of
64, home screens of simulated phones with other contents in up to 15."""
COMMON_LOOK = 20
"""A look that more episodes have says nothing of any two of them."""
ALIKE_LOOKS = 5
"""Episodes with fewer screens that are not common are not compared by their looks."""
ALIKE_SHARE = 0.8
"""Episodes of different tasks that share so many of their looks are named."""
ALIKE_ACTIONS = 0.9
"""Episodes of one task on one device whose actions are more alike than this are near-duplicates."""
SAME_PLACE = 40
"""Two actions are at the same place when they differ by no more than this on either axis of the grid."""
ALIKE_INSTRUCTION = 0.7
"""Instructions with a ROUGE-L above this are named, as Self-Instruct has it."""
COMPARED_AT_MOST = 400
"""An instruction is compared with so many others at most: those that share most of its rarest words."""
NAMED_AT_MOST = 3
"""A finding names so many other episodes."""
SHORTEST, LONGEST = 4, 60
"""Steps that an episode has, the terminal one included."""
LENGTH_FENCE = 3
"""An episode is unusual when it is longer than the middle half of its category by more than so many of that half's
widths, or shorter: Tukey's outer fences."""
LENGTHS_NEEDED = 20
"""A category with fewer episodes has no usual length."""
