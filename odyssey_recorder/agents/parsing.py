"""Values in the text of a model: JSON objects, calls, numbers and texts. Nothing in it is ever executed.

Whatever the text is, these functions return a value or raise UnreadableError, in a time that grows with its length.
Slips are repaired if the text can be read in one way only; what could mean two things stays unreadable.
"""
# ruff: noqa: RUF001, RUF002 - full-width punctuation

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeAlias

from odyssey_recorder.errors import showable
from odyssey_recorder.model.answer_failure import Failure

Value: TypeAlias = object
Fields: TypeAlias = Mapping[str, Value]

LONGEST = 200_000
"""Characters, without what a model wrote while it was thinking. Encrypted reasoning goes back whole, so it counts."""
_LARGEST = 1e9
"""Of a number in an answer; what is larger is no coordinate."""
_MOST_OBJECTS = 4
_MOST_TRIES = 64
_DEEPEST = 40


class UnreadableAnswerError(Exception):
    """The `kind` begins its text; the words are for people."""

    def __init__(self, kind: Failure, words: str) -> None:
        super().__init__(f"{kind}: {showable(words)}")


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """The arguments are named in small letters."""

    name: str
    arguments: Fields


# What is around an answer.

_THOUGHT_END = re.compile(r"</\s?(?:think\w{0,50}|thought)\s?>", re.IGNORECASE)
_THOUGHT_BEGIN = re.compile(r"(?:\s|<[^<>]{0,40}>)*<(?:think\w{0,50}|thought)>", re.IGNORECASE)
_ANSWER = re.compile(r"<(?:answer|action|(?:seed:)?tool_call)\b", re.IGNORECASE)
_TURN_END = re.compile(r"<\|(?:im_end|endoftext|eot_id|user|observation)\|>")
_END = re.compile(r"</(?!point|b?box)|```|<<|<\|(?!box_|point)|\[EOS\]")
"""What models write after an action: one that is followed by it is not cut off."""


def cleaned(raw: str) -> str:
    """Without thoughts, further turns and lone surrogates. Raises UnreadableError if nothing is left, or too much."""
    text = showable(_THOUGHT_END.split(raw)[-1]).replace("\0", "")
    if len(text) > LONGEST:
        raise UnreadableAnswerError("unreadable", f"too long, with {len(text):,} characters")
    if _THOUGHT_BEGIN.match(text):
        answer = _ANSWER.search(text)
        text = text[answer.start() :] if answer else ""
    turn_end = _TURN_END.search(text)
    text = text[: turn_end.end()] if turn_end else text
    if not text.strip():
        raise UnreadableAnswerError("unreadable", "the answer is empty")
    return text


def after_mark(text: str, mark: str) -> str:
    """What follows the first `Action:` that begins a line, or else the first one among words, or all of it."""
    found = re.search(rf"^[ \t*#>]*{mark}\**[ \t]*[:：]\**", text, re.MULTILINE | re.IGNORECASE)
    if found is None:
        inline = re.search(rf"\b{mark}[ \t]*[:：]", text, re.IGNORECASE)
        is_argument = inline and re.search(r"\w[(（>]|[{｛]", text[: inline.start()])
        found = None if is_argument else inline
    return text[found.end() :] if found else text


def bare(text: str) -> str:
    """Without the end of the turn, and the fence around all of it."""
    text = _TURN_END.split(text)[0].strip()
    return text.partition("\n")[2].removesuffix("```").strip() if text.startswith("```") else text


# JSON.

_Tokens: TypeAlias = list[str]
_BRACE = re.compile("[{｛]")
_TOKEN = re.compile(
    r"""\s*("(?:[^"\\]|\\.)*(?:"|\\?\Z)|'(?:[^'\\]|\\.)*(?:'|\\?\Z)|[“”][^“”]*[“”]|[‘’][^‘’]*[‘’]"""
    r"""|[\w.+-]{1,400}|[{}\[\](),:：，｛｝［］（）])""",
    re.DOTALL,
)
_SAME = dict(zip("：，｛｝［］（）()", ":,{}[][][]", strict=True)) | {"None": "null", "True": "true", "False": "false"}
_OPENINGS = {"}": "{", "]": "["}
_CLOSINGS = {"{": "}", "[": "]"}
_CUT_OFF, _ENDED = "", "\n"
"""The last token: whether an end follows the object."""


def json_objects(text: str) -> list[Fields]:
    """The objects in the text, in order and at most a few; what is around them is skipped.

    Raises UnreadableError if there is none, or the first can't be read in one way.
    """
    found: list[Fields] = []
    begin = _BRACE.search(text)
    for _ in range(_MOST_TRIES):
        if begin is None or len(found) == _MOST_OBJECTS:
            break
        tree, end = _object_at(text, begin.start())
        if tree is None and end == len(text):
            break
        if tree:
            found.append(_unwrapped(tree))
        begin = _BRACE.search(text, end)
    if not found:
        why = "there is no JSON object" if begin is None else "its JSON is cut off, or cannot be read in one way"
        raise UnreadableAnswerError("unreadable", why)
    return found


def _object_at(text: str, at: int) -> tuple[Fields | None, int]:
    """The object that begins here, and where to look for the next one."""
    try:
        tree, end = _DECODER.raw_decode(text, at)
        return (None, len(text)) if _goes_on(text[end : end + 200]) else (_as_mapping(tree), end)
    except (ValueError, RecursionError):
        tokens = _tokens(text[at : at + 200], 0)
        if tokens[1][:1] not in "\"'“‘{" and ":" not in tokens[2:3]:
            return None, at + 1  # a word in braces
        with suppress(ValueError, RecursionError):
            return _as_mapping(_DECODER.decode(" ".join(_mended(_tokens(text, at))))), len(text)
        return None, len(text)


def _tokens(text: str, at: int) -> _Tokens:
    """Up to what cannot be in JSON. Raw line breaks stay in strings."""
    tokens = []
    while found := _TOKEN.match(text, at):
        at = found.end()
        tokens.append(found[1])
    is_ended = _END.match(text[at : at + 200].lstrip()) and "}" not in text[at:].partition("{")[0]
    return [*tokens, _ENDED if is_ended else _CUT_OFF]


def _goes_on(rest: str) -> bool:
    """`{"POINT": [500, 250]}, "to": "up"}`: a brace that is too early hides what follows."""
    return re.search(r"[\"'“”]\s?[:：]|[\"“”].*\}", rest.partition("{")[0], re.DOTALL) is not None


def _with_single_braces(tokens: _Tokens) -> _Tokens:
    """`{{"action": "HOME"}}`: an object cannot name a field, so that two braces are one."""
    kept: _Tokens = []
    extra: list[int] = []
    closed = 0
    for token in tokens:
        if token == "{" and kept[-1:] == ["{"]:
            extra[-1] += 1
            continue
        if token == "}" and closed:
            closed -= 1
            continue
        closed = extra.pop() if token == "}" and extra else 0
        extra += [0] if token == "{" else []
        kept.append(token)
    return kept


def _closed(tokens: _Tokens) -> _Tokens:
    """`{"arguments": {"action": "HOME"}</tool_call>`, `{"coordinate": [300, 600}`, and what is after the last brace.

    An answer that just stops may lack its last braces only, because a list or an inner object might have gone on.
    """
    kept: _Tokens = []
    open_: list[str] = []
    for at, token in enumerate(tokens):
        if token in _CLOSINGS:
            open_.append(token)
        elif (opening := _OPENINGS.get(token)) in open_[-_DEEPEST:]:
            while (inner := open_.pop()) != opening:
                kept.append(_CLOSINGS[inner])
        elif token == _ENDED or (token == _CUT_OFF and "[" not in open_ and kept[-1] == "}"):
            return [*kept, *(_CLOSINGS[one] for one in reversed(open_))]
        kept.append(token)
        if not open_:
            return [] if _goes_on(" ".join(tokens[at + 1 : at + 9])) else kept
    return []


def _json_string(token: str) -> str:
    r"""`{'action': 'HOME'}`, `{“action”: “HOME”}`, and `\'`, which JSON does not have."""
    if token.startswith('"'):
        return re.sub(r"\\(.)", lambda match: "'" if match[1] == "'" else match[0], token, flags=re.DOTALL)
    is_quoted = len(token) > 1 and token[-1] in _QUOTES.get(token[0], "")
    return json.dumps(_unescaped(token[1:-1])) if is_quoted else token


def _mended(tokens: _Tokens) -> Iterator[str]:
    """`｛"action"： "HOME"｝`, `{"text": None}`, `{action: "HOME"}`, `{"action": "HOME",}`, and other quotes."""
    kept = _closed(_with_single_braces([_SAME.get(token, token) for token in tokens]))
    for token, following in zip(kept, [*kept[1:], ""], strict=False):
        if following == ":" and token.isidentifier():
            yield json.dumps(token)
        elif token != "," or following not in _OPENINGS:
            yield _json_string(token)


def _members(pairs: Sequence[tuple[str, Value]]) -> Fields:
    """Their names without signs, as in `"action:"`. Raises ValueError for a name with two values."""
    named = [(re.sub(r"\W", "", name), value) for name, value in pairs]
    found = dict(named)
    if any(found[name] != value for name, value in named):
        raise ValueError("two values")
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_members, strict=False)


def _unwrapped(tree: Fields) -> Fields:
    """`{"mobile_use": {"action": "click"}}` is what is in it."""
    while len(tree) == 1 and (inner := _as_mapping(next(iter(tree.values())))):
        tree = inner
    return tree


def _as_mapping(tree: Value) -> Fields | None:
    return tree if isinstance(tree, dict) else None


# Calls.

_CALL = re.compile(r"[ \t*`]*(?:Action[ \t]*[:：][ \t]*)?([A-Za-z_]\w{0,39})[ \t]*[(（]")
_THOUGHT = re.compile(r"[ \t]*(?:Thought|Reflection|Action_Summary)[ \t]*[:：]")
_ARGUMENT = re.compile(r"(?:\A|[,，])\s*([A-Za-z_]\w{0,39})\s*[=＝]\s*")
_PARENTHESES = (")", "）")
_QUOTES = {"'": "'", '"': '"', "‘": "‘’", "’": "’", "“": "“”", "”": "”"}
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "'": "'", '"': '"', "\\": "\\"}
_RUN_ON = (
    r"=[^\w\\]{{0,3}}{0}|(?<!\\){0}\s*[,，]\s*\w+[^\w\\]{{0,3}}{0}"
    r"|(?:element_(?:info|type)|(?:start|end)_(?:box|point)|step_count)[^\w\\]{{0,3}}[={0}]|(?<!\\){0}\s*[)）]\s*\n"
)
"""A sign is missing in an argument, so that it runs into the next one, or into the next call."""
_TAG = re.compile(r"<(function|parameter)\w{0,50}(?:=|\s+name=)['\"]?([A-Za-z_]\w{0,39})['\"]?>")
_TAG_END = re.compile(r"</(?:function|parameter|(?:seed:)?tool_call)\w{0,50}>")
_BROKEN_TAG = re.compile(r"[<>/|]\W{0,2}(?:parameter|function)\b")
_COMPACT = re.compile(r"\s*([a-z_]{2,40})>(?=\s*\Z|[a-z_]{2,40}>)")
_COMPACT_NAME, _PARAMETER = re.compile(r"(?<![<\w/])([a-z_]{2,40})>"), r"<parameter=\1>"


def calls(text: str) -> list[FunctionCall]:
    """Calls with named arguments, each beginning a line: `click(start_box='(10,20)')`. Words before them are skipped.

    Raises UnreadableError if there is none, or the first can't be read in one way.
    """
    parts: list[list[str]] = []
    is_closed = True
    for line in text.split("\n"):
        if is_closed and _CALL.match(line):
            parts.append([])
        if not parts or (is_closed and _THOUGHT.match(line)):
            continue
        parts[-1].append(line)
        if line.strip():
            is_closed = any(part.rstrip().endswith(_PARENTHESES) for part in (line, _END.split(line)[0]))
    if not parts:
        raise UnreadableAnswerError("unreadable", f"{text.strip()[:60]!r} is not a call")
    return [_call("\n".join(part)) for part in parts[:_MOST_OBJECTS]]


def calls_in_tag(tag: str, text: str) -> list[FunctionCall]:
    """Those behind the last `<tag>`, or all without one."""
    return calls(text.rpartition(f"<{tag}>")[2].partition(f"</{tag}>")[0])


def _call(text: str) -> FunctionCall:
    """Its last parenthesis may be missing or doubled, and anything but an argument may follow."""
    begun = _CALL.match(text)
    name, rest = (begun[1], text[begun.end() :]) if begun else ("", "")
    last = max(map(rest.rfind, _PARENTHESES))
    if last >= 0 and not _ARGUMENT.match(rest, last + 1):
        with suppress(UnreadableAnswerError):
            return FunctionCall(name, dict(_arguments(rest[:last], is_whole=True)))
    found = dict(_arguments(_END.split(rest)[0], is_whole=False))
    if not found:
        raise UnreadableAnswerError("unreadable", f"{text[:60]!r} is cut off")
    return FunctionCall(name, found)


def _arguments(inside: str, *, is_whole: bool) -> Iterator[tuple[str, Value]]:
    """A quoted value may hold what looks like the next argument, so it is read to the first end that closes it."""
    marks = list(_ARGUMENT.finditer(inside))
    ends = [*(mark.start() for mark in marks[1:]), len(inside)]
    last = -1
    if inside.strip() and not (marks and marks[0].start() == 0):
        raise UnreadableAnswerError("unreadable", f"{inside[:60]!r} has no named arguments")
    for at, mark in enumerate(marks):
        if at <= last:
            continue
        begin, last = mark.end(), at
        if closings := _QUOTES.get(inside[begin : begin + 1]):
            closed = (n for n in range(at, len(ends)) if inside[begin + 1 : ends[n]].rstrip()[-1:] in closings)
            last = next(closed, len(ends) - 1)
        is_end = last == len(ends) - 1
        yield mark[1].lower(), _value(inside[begin : ends[last]].strip(), may_go_on=is_end and not is_whole)


def _value(text: str, *, may_go_on: bool) -> Value:
    """What has no quotes is text too, such as `[[012,034]]`. A place may lack its last quote, or have another one.

    Raises UnreadableError.
    """
    quoted = text.rstrip(" \n)）")
    closings = _QUOTES.get(text[:1])
    if closings is None and not may_go_on and quoted[-1:] not in _QUOTES:
        return None if text in ("None", "null") else _unescaped(text)
    if closings and len(quoted) > 1 and quoted[-1] in closings and not may_go_on:
        if not re.search(_RUN_ON.format(text[0]), quoted[1:-1]):
            return _unescaped(quoted[1:-1])
    elif numbers(place := (quoted[1:] if closings else text).rstrip("'\"”’"), may_go_on=True):
        return place
    raise UnreadableAnswerError("unreadable", f"{text[:60]!r} is cut off, or cannot be read in one way")


def _unescaped(text: str) -> str:
    """Unknown escapes stay as they are."""
    found = _ESCAPE.sub(_unescaped_one, text)
    return found.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _unescaped_one(match: re.Match[str]) -> str:
    code = int(match[1][1:] or "0", 16)
    return chr(code) if 0 < code <= 0x10FFFF else _ESCAPES.get(match[1], match[0])


def tagged_calls(text: str) -> list[FunctionCall]:
    """Seed's `<function=click><parameter=point><point>500 300</point></parameter></function>`; empty without any.

    Where a server removes its special tokens, `click>point><point>500 300</point>` is left. Raises UnreadableError if
    the first is cut off.
    """
    if compact := _COMPACT.match(text):
        places, has_content, content = _TURN_END.sub("", text[compact.end() :]).partition("content>")
        content = f"<parameter=content>{content}</parameter>" if has_content else ""
        text = f"<function={compact[1]}>{_COMPACT_NAME.sub(_PARAMETER, places)}{content}</function>"
    found: list[tuple[str, dict[str, Value]]] = []
    marks = list(_TAG.finditer(text))
    for mark, following in zip(marks, [*marks[1:], None], strict=False):
        end = following.start() if following else len(text)
        closing = _TAG_END.search(text, mark.end(), end)
        value = text[mark.end() : closing.start() if closing else end]
        is_open = not closing and (following is None or following[1] == "function")
        if mark[1] == "function":
            found.append((mark[2], {}))
        elif len(found) == 1 and (_BROKEN_TAG.search(value) or (is_open and not numbers(value, may_go_on=True))):
            raise UnreadableAnswerError("unreadable", f"{mark[0]} is cut off, or cannot be read in one way")
        elif found:
            found[-1][1][mark[2].lower()] = value.strip(" \r\n")
    return [FunctionCall(name, arguments) for name, arguments in found[:_MOST_OBJECTS]]


# Values.

_NUMBER = re.compile(r"-?\d{1,9}(?:\.\d{1,9})?")
_AROUND_NUMBERS = re.compile(r"<[^<>]{0,40}>|[\s,，;()（）\[\]'\"]")
_OPENED, _CLOSED = re.compile(r"[(（\[<]"), re.compile(r"[)）\]<]")


def numbers(value: Value, *, may_go_on: bool = False) -> tuple[float, ...]:
    """The numbers of a list, or in a text such as `<|box_start|>(10,20)<|box_end|>`; empty for anything else.

    The last number of a text that does not close its bracket may be cut off, and so may any that has none.
    """
    match value:
        case str():
            found = list(_NUMBER.finditer(value))[:9]
            if not found or _AROUND_NUMBERS.sub("", _NUMBER.sub("", value)):
                return ()
            is_open = may_go_on or _OPENED.search(value, 0, found[0].start())
            is_cut = is_open and not _CLOSED.search(value, found[-1].end())
            return () if is_cut else tuple(float(one[0]) for one in found)
        case {"x": x, "y": y}:
            return numbers([x, y])
        case [[_, _] as first, [_, _] as last]:
            return numbers([*first, *last])
        case [[*inner]] | [*inner]:
            read = [_as_number(item) for item in inner]
            return () if None in read else tuple(item for item in read if item is not None)
        case _:
            return ()


def number(value: Value) -> float:
    """Raises UnreadableError for what is not a number of usual size."""
    found = _as_number(value)
    if found is None:
        raise UnreadableAnswerError("unreadable", f"{value!r:.60} is not a number")
    return found


def two_numbers(value: Value) -> tuple[float, float]:
    """A point, or the centre of a box with four numbers. Raises UnreadableError."""
    match numbers(value):
        case (x, y) if max(abs(x), abs(y)) > 1 or {x, y} <= {0.0, 1.0}:  # otherwise it may be shares of the screen
            return x, y
        case (left, top, right, bottom) if left <= right and top <= bottom:
            return (left + right) / 2, (top + bottom) / 2
        case _:
            raise UnreadableAnswerError("unreadable", f"{value!r:.60} is not a point")


def text_of(value: Value) -> str:
    """Whole numbers are text too. Raises UnreadableError for anything else."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise UnreadableAnswerError("unreadable", f"{value!r:.60} is not a text")
    return showable(value)


def optional_text(value: Value) -> str:
    return showable(value) if isinstance(value, str) else ""


def name_of(value: Value) -> str:
    """The name of an action in small letters, `long_press` for `Long Press`. Raises UnreadableError without one."""
    name = re.sub(r"[ -]", "_", optional_text(value).strip().lower())
    if not name:
        raise UnreadableAnswerError("unreadable", "it names no action")
    return name


def fields_of(value: Value) -> Fields:
    r"""An object, or the only one in a text: `"{\"action\": \"click\"}"`. Raises UnreadableError for anything else."""
    objects = json_objects(value) if isinstance(value, str) else [_as_mapping(value)]
    if len(objects) != 1 or objects[0] is None:
        raise UnreadableAnswerError("unreadable", f"{value!r:.60} is not an object")
    return objects[0]


def _as_number(value: Value) -> float | None:
    if isinstance(value, str):
        return float(value) if _NUMBER.fullmatch(value.strip()) else None
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return value if -_LARGEST < value < _LARGEST else None
