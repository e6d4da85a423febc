"""`getevent` and `sendevent`: the input nodes as text, in the format of Android's own tool."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from odyssey_simulator.evdev import InputNode, RawEvent
from odyssey_simulator.evdev_names import (
    EV_ABS,
    EV_KEY,
    EV_LED,
    EV_SW,
    EV_SYN,
    code_name,
    type_name,
    value_name,
)
from odyssey_simulator.shell.program import Call, Programs

_KILLED = 137
_KNOWN_OPTIONS = "tlpiqc"
_PER_ROW = {"names": 4, "numbers": 8}


@dataclass(frozen=True, slots=True)
class _Options:
    letters: str
    nodes: tuple[str, ...]
    count: int | None

    @property
    def names(self) -> bool:
        return "l" in self.letters


async def _getevent(call: Call) -> int:
    options = _read_options(call.args)
    if options is None:
        return await call.fail("Usage: getevent [-t] [-p] [-i] [-l] [-q] [-c count] [device]")
    nodes = call.guest.nodes.all()
    if call.guest.faults.denies_getevent:
        for node in nodes:
            await call.fail(f"could not open {node.path}, Permission denied")
        nodes = ()
    if options.nodes:
        nodes = tuple(node for node in nodes if node.path in options.nodes)
    if len(nodes) < len(options.nodes):
        return await call.fail(f"could not open {options.nodes[0]}, No such file or directory")
    if set("pi") & set(options.letters):
        await _describe(call, nodes, options)
        return 0
    return await _follow(call, nodes, options)


async def _describe(call: Call, nodes: Sequence[InputNode], options: _Options) -> None:
    for number, node in enumerate(nodes, start=1):
        await call.print("\n".join(_description(number, node, options)))


def _read_options(args: Sequence[str]) -> _Options | None:
    letters, nodes, count = "", [], None
    remaining = iter(args)
    for argument in remaining:
        if not argument.startswith("-"):
            nodes.append(argument)
        elif any(letter not in _KNOWN_OPTIONS for letter in argument[1:]):
            return None
        else:
            letters += argument[1:]
            if argument.endswith("c"):
                number = next(remaining, "")
                count = int(number) if number.isdigit() else None
    return _Options(letters, tuple(nodes), count)


async def _follow(call: Call, nodes: Sequence[InputNode], options: _Options) -> int:
    loop = asyncio.get_running_loop()
    reports: asyncio.Queue[tuple[InputNode, Sequence[RawEvent]] | None] = asyncio.Queue()

    def take(node: InputNode, events: Sequence[RawEvent]) -> None:
        if node in nodes:
            loop.call_soon_threadsafe(reports.put_nowait, (node, events))

    def end() -> None:
        loop.call_soon_threadsafe(reports.put_nowait, None)

    # The nodes are opened before they are listed: whoever sees the list misses no later event.
    close = call.guest.nodes.read(take, end)
    left = options.count
    try:
        if not (options.nodes or "q" in options.letters):
            await _describe(call, nodes, options)
        while left is None or left > 0:
            report = await reports.get()
            if report is None:
                return _KILLED
            node, events = report
            await call.stdout.write("".join(_line(node, event, options) for event in events[:left]).encode())
            left = None if left is None else left - len(events)
    finally:
        close()
    return 0


def _line(node: InputNode, event: RawEvent, options: _Options) -> str:
    seconds, microseconds = divmod(event.time_us, 1_000_000)
    stamp = f"[{seconds:8d}.{microseconds:06d}] " if "t" in options.letters else ""
    source = "" if options.nodes else f"{node.path}: "
    if options.names:
        kind, code = type_name(event.type), code_name(event.type, event.code)
        value = value_name(event.type, event.value)
        return f"{stamp}{source}{kind:<12.12} {code:<20.20} {value:<20.20}\n"
    return f"{stamp}{source}{event.type:04x} {event.code:04x} {event.value & 0xFFFFFFFF:08x}\n"


def _description(number: int, node: InputNode, options: _Options) -> Iterator[str]:
    yield f"add device {number}: {node.path}"
    if "i" in options.letters:
        yield from ("  bus:      0006", "  vendor    0000", "  product   0000", "  version   0000")
    yield f'  name:     "{node.name}"'
    if "i" in options.letters:
        yield from ('  location: "virtio0/input0"', '  id:       ""', "  version:  1.0.1")
    if set("pi") & set(options.letters):
        yield "  events:"
        yield from _capabilities(node, names=options.names)
        yield "  input props:"
        yield "    <none>"


def _capabilities(node: InputNode, *, names: bool) -> Iterator[str]:
    able = node.capabilities
    per_row = _PER_ROW["names" if names else "numbers"]
    for label, event_type, codes in (("KEY", EV_KEY, able.keys), ("ABS", EV_ABS, ()), ("SW ", EV_SW, able.switches)):
        if event_type == EV_ABS and able.axes:
            yield from _axes(able.axes, names=names)
        elif codes:
            yield from _codes(label, event_type, codes, per_row=per_row, names=names)
    if able.leds:
        yield from _codes("LED", EV_LED, able.leds, per_row=per_row, names=names)


def _codes(label: str, event_type: int, codes: Sequence[int], *, per_row: int, names: bool) -> Iterator[str]:
    head = f"    {label} ({event_type:04x}):"
    for start in range(0, len(codes), per_row):
        row = "".join(_cell(event_type, code, names=names) for code in codes[start : start + per_row])
        yield (head if start == 0 else " " * len(head)) + row


def _axes(axes: Sequence[tuple[int, int]], *, names: bool) -> Iterator[str]:
    head = f"    ABS ({EV_ABS:04x}):"
    for position, (code, largest) in enumerate(axes):
        start = head if position == 0 else " " * len(head)
        cell = _cell(EV_ABS, code, names=names)
        # A multi-touch axis keeps its values per slot, so what the kernel reports here is always 0.
        yield f"{start}{cell} : value 0, min 0, max {largest}, fuzz 0, flat 0, resolution 0"


def _cell(event_type: int, code: int, *, names: bool) -> str:
    return f" {code_name(event_type, code):<21}" if names else f" {code:04x} "


async def _sendevent(call: Call) -> int:
    try:
        path, *numbers = call.args
        event_type, code, value = (int(number, 0) for number in numbers)
    except ValueError:
        return await call.fail("usage: sendevent DEVICE TYPE CODE VALUE")
    node = next((node for node in call.guest.nodes.all() if node.path == path), None)
    if node is None:
        return await call.fail(f"could not open {path}, No such file or directory")
    if event_type != EV_SYN:
        node.unsent.append((event_type, code, value if value < 0x80000000 else value - 0x100000000))
        return 0
    changes, node.unsent = node.unsent, []
    await asyncio.to_thread(_report, call, node, changes)
    return 0


def _report(call: Call, node: InputNode, changes: Sequence[tuple[int, int, int]]) -> None:
    if node is call.guest.nodes.keyboard:
        for _, code, value in changes:
            call.guest.report_key(code, value)
    else:
        call.guest.report_touch(node, changes)


PROGRAMS: Programs = {"getevent": _getevent, "sendevent": _sendevent}
