"""How the bytes of `getevent` and readings of the device's clock become events of a passive session."""

from collections.abc import Iterable

from odyssey_recorder.device.clock import DeviceClock
from odyssey_recorder.device.device import ClockReading
from odyssey_recorder.gesture.contacts import Contact, ContactLost, ContactTracker, TouchNews
from odyssey_recorder.gesture.getevent import InputEvent, LineBuffer, parse_line
from odyssey_recorder.recording.events import ClockJumped, InputHeard

Heard = InputHeard | ClockJumped


class Listening:
    """One run of `getevent`; a new one needs a new `Listening`. One thread uses it at a time."""

    def __init__(self, reading: ClockReading) -> None:
        self._clock = DeviceClock(reading)
        self._lines = LineBuffer()
        self._contacts = ContactTracker()

    def read_clock(self, reading: ClockReading) -> bool:
        """Take in a reading of the device's clock; False if it was changed."""
        return self._clock.read(reading)

    def hear(self, data: bytes, arrived_ns: int) -> list[Heard]:
        """What the bytes that arrived at `arrived_ns` of the host's monotonic clock tell."""
        heard: list[Heard] = []
        for line in self._lines.feed(data):
            message = parse_line(line)
            if isinstance(message, InputEvent) and not self._clock.heard(message.time_us, arrived_ns):
                heard.append(ClockJumped())
            if message is not None:
                heard += self._told(self._contacts.feed(message), arrived_ns)
        return heard

    def stop(self, now_ns: int) -> list[Heard]:
        """`getevent` has ended: fingers that are down are lost."""
        return self._told(self._contacts.close(), now_ns)

    def _told(self, news: Iterable[TouchNews], arrived_ns: int) -> list[Heard]:
        return [self._heard(one, arrived_ns) for one in news]

    def _heard(self, news: TouchNews, arrived_ns: int) -> Heard:
        moment = self._clock.moment(_began_us(news))
        return InputHeard(news, min(moment.at_ns, arrived_ns), moment.uncertainty_ns, arrived_ns)


def _began_us(news: TouchNews) -> int:
    match news:
        case Contact(samples=samples):
            return samples[0].time_us
        case ContactLost(began_us=began_us):
            return began_us
        case _:
            return news.time_us
