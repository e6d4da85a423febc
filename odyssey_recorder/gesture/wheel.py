"""Which contacts are one turn of a mouse wheel.

The emulator turns a wheel into a finger that drags the screen, lifts it after a sixteenth of the screen, and puts it
down again at the pointer at once. No person returns to the very same place so soon, on so straight a line.
"""

from dataclasses import replace

from odyssey_recorder.gesture.contacts import Contact, RawSample
from odyssey_recorder.gesture.getevent import POSITION_X, POSITION_Y, InputDeviceNode

PAUSE_US = 250_000
"""Notches of a wheel that are further apart are turns of their own."""


def may_go_on(contact: Contact, node: InputDeviceNode) -> bool:
    """Whether another contact of the same wheel may follow: it is straight, and no longer than a quarter of an axis."""
    return contact.fingers == 1 and 0 < abs(_travel(contact, node)) <= 0.25


def goes_on(contact: Contact, later: Contact, node: InputDeviceNode) -> bool:
    """Whether `later` is the next contact of the same turn of the wheel as `contact`."""
    first, second = contact.samples[0], later.samples[0]
    return (
        (contact.node, contact.slot, first.x, first.y) == (later.node, later.slot, second.x, second.y)
        and second.time_us - contact.lifted_us <= PAUSE_US
        and later.fingers == 1
        and _is_upright(contact) == _is_upright(later)
        and _travel(contact, node) * _travel(later, node) > 0
    )


def joined(contact: Contact, later: Contact, node: InputDeviceNode) -> Contact:
    """Both as one contact, which travels as far as they did together, but not beyond the edge of the screen."""
    first, last = contact.samples[0], contact.samples[-1]
    x_axis, y_axis = node.axes[POSITION_X], node.axes[POSITION_Y]

    def moved(sample: RawSample) -> RawSample:
        x, y = sample.x + last.x - first.x, sample.y + last.y - first.y
        x, y = max(x_axis.minimum, min(x, x_axis.maximum)), max(y_axis.minimum, min(y, y_axis.maximum))
        return RawSample(x, y, sample.time_us)

    samples = (*contact.samples, *(moved(sample) for sample in later.samples[1:]))
    return replace(contact, samples=samples, lifted_us=later.lifted_us)


def _is_upright(contact: Contact) -> bool:
    return len({sample.x for sample in contact.samples}) == 1


def _travel(contact: Contact, node: InputDeviceNode) -> float:
    """As a share of the axis along which it is straight; 0 if it is not, or does not move."""
    first, last = contact.samples[0], contact.samples[-1]
    if _is_upright(contact):
        axis = node.axes[POSITION_Y]
        return (last.y - first.y) / (axis.maximum - axis.minimum)
    axis = node.axes[POSITION_X]
    is_level = len({sample.y for sample in contact.samples}) == 1
    return (last.x - first.x) / (axis.maximum - axis.minimum) if is_level else 0.0
