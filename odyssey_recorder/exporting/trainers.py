"""The layouts of trainers: a sample for each step, which is what a model is asked and what it should answer.

A sample's question is that of `predict` with the same adapter and history, so that a model is trained on what it will
be asked. Paths of screenshots are relative to the export.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, get_args

from odyssey_recorder.agents.adapter import Adapter, History, PastStep, Screenshot, adapter_named
from odyssey_recorder.agents.frames import grid_frame
from odyssey_recorder.agents.history import HistoryRule
from odyssey_recorder.dataset.layout import SCREENSHOTS
from odyssey_recorder.dataset.png import png_size
from odyssey_recorder.errors import DatasetError, ReviewError
from odyssey_recorder.evaluation.gold import gold_step
from odyssey_recorder.exporting.episodes import ExportedEpisode, read_exported
from odyssey_recorder.exporting.layouts import (
    HashedWriter,
    Hashes,
    Options,
    Planned,
    Sampling,
    Shard,
    by_count,
    whole_file,
    write_screenshots,
)
from odyssey_recorder.files import make_folder
from odyssey_recorder.llm.model import ChatMessage, Image, LazyImage, Part, Words
from odyssey_recorder.model.action import Action, Complete, Impossible, Type, action_type
from odyssey_recorder.model.episode import Json
from odyssey_recorder.splits.drawing import Kind

_EPISODES = 64
"""In one shard."""
_INFO = "dataset_info.json"
_HISTORY = "his_index.json"
_COMMANDS = "odyssey-agent"
"""The adapter whose answers are those of the official converter."""
_RESERVED = re.compile(r"<\|[^|<>]*\|>|</?(?:image|video|audio|img|ref|box|quad|bbox|ref-object|point|tool_call)>")
"""What a trainer or a tokenizer takes for markup."""


class Survey:
    """What a trainer's layout cannot take of a dataset.

    Raises SettingsError for an unknown adapter or history, DatasetError for what the layout cannot express.
    """

    def __init__(self, root: Path, layout: str, options: Options) -> None:
        _refuse_options(layout, options.samples)
        self._root = root
        self._options = options
        self._unspeakable: Counter[str] = Counter()
        self._samples = 0

    @property
    def figure(self) -> str:
        chosen = self._options.samples
        asked = (
            f"asked as {chosen.adapter}, with the history {chosen.history}, at the level {' and '.join(chosen.levels)}"
        )
        return f"{'Preference pairs' if chosen.pairs else 'Steps with samples'}: {self._samples}, {asked}"

    def refuse_nothing(self) -> None:
        """Raises DatasetError if pairs are wanted and there are none."""
        if self._options.samples.pairs and not self._samples:
            raise DatasetError(
                "No episode has a preference pair. They come from corrected steps of agents, whose episodes need "
                "--agents."
            )

    @property
    def limits(self) -> tuple[str, ...]:
        if not self._unspeakable:
            return ()
        counts = ", ".join(f"{count} {kind}" for kind, count in sorted(self._unspeakable.items()))
        return (f"Steps without a sample, because {self._options.samples.adapter} has no words for them: {counts}",)

    def refusal(self, episode_id: str) -> str:
        """Why no samples can be made of an episode; empty if they can. Raises DatasetError."""
        try:
            exported = read_sampled(self._root, episode_id, self._options)
        except (DatasetError, ReviewError) as error:
            return str(error)
        if why := _refusal(exported, self._options.samples):
            return why
        asked = Asked(exported, self._options.samples)
        steps = exported.episode.steps
        lost = Counter(action_type(step.action) for number, step in enumerate(steps) if asked.answer(number) is None)
        self._unspeakable += lost
        self._samples += len(exported.pairs) if self._options.samples.pairs else len(steps) - lost.total()
        return ""


def read_sampled(root: Path, episode_id: str, options: Options) -> ExportedEpisode:
    """Raises as `read_exported`."""
    rule = HistoryRule.parse(options.samples.history)
    return read_exported(root, episode_id, options.texts, rule.rule if rule.kind == "memory" else None)


def _refuse_options(layout: str, sampling: Sampling) -> None:
    adapter, rule = adapter_named(sampling.adapter), HistoryRule.parse(sampling.history)
    if layout == "official-chat" and (sampling.adapter != _COMMANDS or rule.kind not in ("none", "actions")):
        raise DatasetError(
            "The layout official-chat has its own words. Leave out --adapter, and use --history actions:N."
        )
    if sampling.pairs and layout not in _OF_PAIRS:
        raise DatasetError(
            f"The layout {layout} has no place for preference pairs. Use {', '.join(sorted(_OF_PAIRS))}."
        )
    if layout == "qwen" and adapter.in_turns and rule.kind != "none":
        raise DatasetError(
            f"With the layout qwen a model is trained on all answers of a sample, and {adapter.name} has earlier ones. "
            "Use --history none, or another layout."
        )


# Samples.


@dataclass(frozen=True, slots=True)
class Sample:
    """`id` names episode, step, and what is asked. Images are LazyImages, whose `identity` is the path.

    With `rejected`, the answer is the better of the two. `gold` is what a trainer needs to score other answers as the
    official evaluation does.
    """

    id: str
    messages: tuple[ChatMessage, ...]
    answer: str
    rejected: str = ""
    gold: Json = None

    @property
    def images(self) -> list[Json]:
        return [part.identity for message in self.messages for part in message.parts if isinstance(part, LazyImage)]


class Asked:
    """The questions about the steps of one episode. Raises DatasetError if a screenshot cannot be read."""

    def __init__(self, exported: ExportedEpisode, sampling: Sampling) -> None:
        self._episode = exported.episode
        self._adapter: Adapter[Any] = adapter_named(sampling.adapter)
        self._rule = HistoryRule.parse(sampling.history)
        self._sampling = sampling
        self._pairs = exported.pairs
        self._memory = exported.memory
        self._screens = [self._screen(exported.screenshots / step.screenshot) for step in exported.episode.steps]

    def samples(self) -> Iterator[Sample]:
        if self._sampling.pairs:
            yield from self._of_pairs()
            return
        for number in range(len(self._screens)):
            for level in self._sampling.levels:
                yield from self._of_step(number, level)
            if self._sampling.semantic:
                yield from self._semantic(number)

    def answer(self, number: int) -> str | None:
        """None if the model's grammar has no word for the action."""
        return self._written(self._episode.steps[number].action, number)

    def _written(self, action: Action, number: int) -> str | None:
        screen = self._screens[number]
        return self._adapter.write(action, self._adapter.frame(screen.sent_size, screen.true_size))

    def _of_pairs(self) -> Iterator[Sample]:
        for place, pair in enumerate(self._pairs):
            chosen, rejected = (self._written(one, pair.step) for one in (pair.chosen, pair.rejected))
            if chosen and rejected and chosen != rejected:
                task = self._episode.task.instruction
                messages = self._adapter.prompt(task, self._past(pair.step), self._screens[pair.step])
                yield Sample(self._id(pair.step, f"pair_{place}"), messages, chosen, rejected)

    def _of_step(self, number: int, level: str) -> Iterator[Sample]:
        answer = self.answer(number)
        if answer is not None:
            step = self._episode.steps[number]
            task = self._episode.task.instruction if level == "high" else step.annotations.low_level_instruction or ""
            messages = self._adapter.prompt(task, self._past(number), self._screens[number])
            name = self._id(number, "" if level == "high" else level)
            yield Sample(name, messages, answer, gold=self._gold(number))

    def _gold(self, number: int) -> Json:
        answer, box = gold_step(self._episode.steps[number])
        size = self._screens[number].true_size
        return {"adapter": self._adapter.name, "size": [size.width, size.height], "answer": answer, "box": box}

    def _semantic(self, number: int) -> Iterator[Sample]:
        annotations, screen = self._episode.steps[number].annotations, self._screens[number]
        done = [self.answer(at) or "" for at in self._rule.told(number)]
        listed = "".join(f"{place}. {words}\n" for place, words in enumerate(done, 1)) or "None"
        told = f"{_TASK}{self._episode.task.instruction}\nPrevious Actions: {listed}\n"
        for kind, words, answer in (
            ("description", _DESCRIBE, annotations.description),
            ("intention", told + _INTENTION, annotations.intention),
            ("context", told + _CONTEXT, annotations.context),
        ):
            yield Sample(self._id(number, kind), (ChatMessage("user", (screen.image, Words(words))),), answer or "")

    def _id(self, number: int, kind: str) -> str:
        return "_".join(filter(None, (self._episode.episode_id, str(number), kind)))

    def _past(self, number: int) -> History:
        steps, pictured = self._episode.steps, self._rule.pictured(number)
        words = steps[number].annotations.context or "" if self._rule.kind == "context" else ""
        past = (
            PastStep(steps[at].action, self._screens[at] if at in pictured else None) for at in self._rule.told(number)
        )
        return History(tuple(past), self._memory[number] if self._memory else words)

    def _screen(self, path: Path) -> Screenshot:
        try:
            true_size = png_size(path)
            fitted = self._adapter.fit(true_size)
        except (OSError, ValueError) as error:
            raise DatasetError(f"{path} cannot be exported: {error}.") from error
        return Screenshot(LazyImage(f"{SCREENSHOTS}/{path.name}", (fitted.width, fitted.height), _unread), true_size)


def _unread() -> Image:
    raise AssertionError("an export links screenshots")


def _refusal(exported: ExportedEpisode, sampling: Sampling) -> str:
    wanted = {"low_level_instruction"} if "low" in sampling.levels else set[str]()
    wanted |= {"context"} if sampling.history == "context" else set()
    wanted |= {"description", "intention", "context"} if sampling.semantic else set()
    episode = exported.episode
    for number, step in enumerate(episode.steps):
        texts = {name: getattr(step.annotations, name) for name in sorted(wanted)}
        lacking = [name for name, words in texts.items() if not words]
        if lacking:
            return f"{episode.episode_id}: step {number} has no {lacking[0]}. Use annotate, and --texts."
        for words in (*texts.values(), _words(step.action), *exported.memory[number : number + 1]):
            if found := _RESERVED.search(words or ""):
                return f"{episode.episode_id}: step {number} has the text {found[0]}, which trainers take for markup."
    if found := _RESERVED.search(episode.task.instruction):
        return f"{episode.episode_id}: the instruction has the text {found[0]}, which trainers take for markup."
    return ""


def _words(action: Action) -> str:
    match action:
        case Type(words) | Complete(words) | Impossible(words):
            return words
        case _:
            return ""


# Rows.


def _turns(sample: Sample) -> list[tuple[str, list[Part]]]:
    """Role and parts: messages of the same role that follow each other are one."""
    grouped = groupby(sample.messages, key=lambda one: one.role)
    return [(role, [part for message in messages for part in message.parts]) for role, messages in grouped]


def _tagged(parts: Iterable[Part]) -> str:
    return "\n".join(part.text if isinstance(part, Words) else "<image>" for part in parts)


def _messages(sample: Sample) -> list[dict[str, Json]]:
    return [{"role": role, "content": _tagged(parts)} for role, parts in _turns(sample)]


def _llamafactory(sample: Sample) -> dict[str, Json]:
    answer, rejected = _said(sample.answer), _said(sample.rejected)
    if sample.rejected:
        pair: dict[str, Json] = {"chosen": answer, "rejected": rejected}
        return {"id": sample.id, "messages": [*_messages(sample)], **pair, "images": sample.images}
    return {"id": sample.id, "messages": [*_messages(sample), answer], "images": sample.images}


def _said(words: Json) -> dict[str, Json]:
    return {"role": "assistant", "content": words}


def _ms_swift(sample: Sample) -> dict[str, Json]:
    told = [{**one, "loss": False} if one["role"] == "assistant" else one for one in _messages(sample)]
    rejected: dict[str, Json] = {"rejected_response": sample.rejected} if sample.rejected else {}
    return {"id": sample.id, "messages": [*told, _said(sample.answer)], **rejected, "images": sample.images}


def _qwen(sample: Sample) -> dict[str, Json]:
    """Its trainer has a system message of its own: the adapter's goes before the question."""
    human = "\n\n".join(_tagged(parts) for _, parts in _turns(sample))
    conversations: list[Json] = [{"from": "human", "value": human}, {"from": "gpt", "value": sample.answer}]
    images = sample.images
    return {"id": sample.id, "image": images[0] if len(images) == 1 else images, "conversations": conversations}


def _trl(sample: Sample) -> dict[str, Json]:
    prompt: list[Json] = [{"role": role, "content": [_part(one) for one in parts]} for role, parts in _turns(sample)]
    answer: list[Json] = [_said([_part(Words(sample.answer))])]
    rejected: list[Json] = [_said([_part(Words(sample.rejected))])]
    said: dict[str, Json] = (
        {"chosen": answer, "rejected": rejected} if sample.rejected else {"completion": answer, "gold": sample.gold}
    )
    return {"id": sample.id, "images": sample.images, "prompt": prompt, **said}


def _part(part: Part) -> Json:
    return {"type": "text", "text": part.text} if isinstance(part, Words) else {"type": "image"}


def _ui_tars(sample: Sample) -> dict[str, Json]:
    """Each screenshot is a turn of its own."""
    turns: list[Json] = [
        {"role": message.role, "content": _content(part), "loss_mask": 0}
        for message in sample.messages
        for part in message.parts
    ]
    answer: Json = {"role": "assistant", "content": sample.answer, "loss_mask": 1}
    return {"id": sample.id, "messages": [*turns, answer]}


def _content(part: Part) -> Json:
    if isinstance(part, LazyImage):
        return [{"type": "image_url", "image_url": {"url": part.identity}}]
    return part.text if isinstance(part, Words) else ""


_ROWS: dict[str, Callable[[Sample], dict[str, Json]]] = {
    "llamafactory": _llamafactory,
    "ms-swift": _ms_swift,
    "qwen": _qwen,
    "trl": _trl,
    "ui-tars": _ui_tars,
}
_OF_PAIRS = {"llamafactory", "ms-swift", "trl"}


def info(*, pairs: bool) -> dict[str, Json]:
    """LLaMA-Factory's dataset_info.json, for all parts that an export may have."""
    tags: dict[str, Json] = {
        "role_tag": "role", "content_tag": "content", "user_tag": "user", "assistant_tag": "assistant",
        "system_tag": "system",
    }  # fmt: skip
    columns: dict[str, Json] = {"messages": "messages", "images": "images"}
    ranked: dict[str, Json] = {"ranking": True} if pairs else {}
    if pairs:
        columns |= {"chosen": "chosen", "rejected": "rejected"}
    form: dict[str, Json] = {"formatting": "sharegpt", **ranked, "columns": columns, "tags": tags}
    return {f"odyssey_{part}": {"file_name": f"data/{part}", **form} for part in ("all", "train", "test")}


# The official converter's files.

_TASK = "I'm looking for guidance on how to "
_ACT = "Provide the command-style action directly."
_DESCRIBE = "Provide a 2-3 sentence summary of the screenshot content."
_INTENTION = "Explain the intention of the next action."
_CONTEXT = "What steps have been taken so far for this task?"


@dataclass(frozen=True, slots=True)
class _OfficialStep:
    """As its converter (OpenGVLab/GUI-Odyssey, data/format_converter.py) sees a step; paths are relative here."""

    path: str
    earlier: list[str]
    answer: str
    done: list[str]
    tree: dict[str, Any]

    def value(self, task: str, length: int, question: str) -> str:
        told = self.done[-length:] if length else []
        listed = "".join(f"{number}. {words}\n" for number, words in enumerate(told, 1))
        history = f"<img>image-history: {self.path}</img>" if told else "None"
        before = f"Previous screenshots: {history}\nPrevious Actions: {listed or None}"
        return f"{self.picture}{_TASK}{task}\n{before}\n{question}"

    @property
    def picture(self) -> str:
        return f"Picture 1: <img>{self.path}</img>\n"


def _official_steps(exported: ExportedEpisode) -> Iterator[_OfficialStep]:
    write = adapter_named(_COMMANDS).write
    frame = grid_frame(exported.episode.device.size, exported.episode.device.size)
    paths = [f"{SCREENSHOTS}/{step.screenshot}" for step in exported.episode.steps]
    answers = [write(step.action, frame) or "" for step in exported.episode.steps]
    trees: Any = exported.tree["steps"]
    for at, tree in enumerate(trees):
        yield _OfficialStep(paths[at], paths[:at], answers[at], answers[:at], tree)


def _train_samples(exported: ExportedEpisode, level: str, length: int, *, semantic: bool) -> Iterator[list[Any]]:
    """For each step its samples: the suffix of the id, what is asked, the answer, and the step."""
    for step in _official_steps(exported):
        task = exported.episode.task.instruction if level == "high" else step.tree["low_level_instruction"]
        act = ("", step.value(task, length, _ACT), step.answer, step)
        if not semantic:
            yield [act]
            continue
        yield [
            ("_desc", step.picture + _DESCRIBE, step.tree["description"], step),
            ("_action", *act[1:]),
            ("_intention", step.value(task, length, _INTENTION), step.tree["intention"], step),
            ("_context", step.value(task, length, _CONTEXT), step.tree["context"], step),
        ]


def _train_rows(episodes: Iterable[ExportedEpisode], name: str, level: str, options: Sampling) -> Iterator[Json]:
    rule = HistoryRule.parse(options.history)
    samples = (
        one for exported in episodes for one in _train_samples(exported, level, rule.steps, semantic=options.semantic)
    )
    for number, of_step in enumerate(samples):
        for suffix, question, answer, step in of_step:
            single = "single_" if suffix == "_context" else ""
            yield {
                "id": f"GUIOdyssey_{single}{name}_{number}{suffix}",
                "image": step.path,
                "conversations": [{"from": "user", "value": question}, {"from": "assistant", "value": answer}],
                "history": str(step.earlier),
            }


def _test_rows(episodes: Iterable[ExportedEpisode], name: str, level: str) -> Iterator[Json]:
    steps = ((exported, step) for exported in episodes for step in _official_steps(exported))
    for number, (exported, step) in enumerate(steps):
        task = exported.episode.task
        yield {
            "id": f"GUIOdyssey_{name}_{number}",
            "image": step.path,
            "question": task.instruction if level == "high" else step.tree["low_level_instruction"],
            "answer": step.answer,
            "category": task.category,
            "step_length": len(exported.episode.steps),
            "history_action": str(step.done),
            "history_screenshot": str(step.earlier),
            "sam2_bbox": step.tree.get("sam2_bbox", []),
        }


# Files.


def plan(layout: str, episodes: Sequence[Planned], options: Options) -> list[Shard]:
    """Raises DatasetError if no episode is in the wanted split."""
    chosen = options.samples
    parts = {
        (kind, side): ids
        for kind in get_args(Kind)
        for side in ("train", "test")
        if (ids := tuple(one.episode_id for one in episodes if one.sides.get(kind) == side))
    }
    if layout == "official-chat":
        wanted = {key: ids for key, ids in parts.items() if chosen.split in ("", key[0])}
        texts = [
            Shard(f"{side}_anno/{level}_{'sementic_' * (chosen.semantic and side == 'train')}{kind}_split.json", ids)
            for (kind, side), ids in wanted.items()
            for level in chosen.levels
        ]
        used = {one for ids in wanted.values() for one in ids}
        texts.append(Shard(_HISTORY, tuple(one.episode_id for one in episodes if one.episode_id in used)))
    else:
        everything = {("", "all"): tuple(one.episode_id for one in episodes)}
        wanted = {key: ids for key, ids in parts.items() if key[0] == chosen.split} if chosen.split else everything
        texts = [
            shard
            for (_, side), ids in wanted.items()
            for shard in by_count(f"data/{side}/{{:05}}.jsonl", ids, _EPISODES)
        ]
        texts += [Shard(_INFO, ())] * (layout == "llamafactory")
        used = {one for ids in wanted.values() for one in ids}
    if not used:
        raise DatasetError(f"No episode is in the {chosen.split or 'random'} split. Make one with splits make.")
    pictured = [one.episode_id for one in episodes if one.episode_id in used]
    return [*by_count("screenshots-{:05}", pictured, _EPISODES), *texts]


def write(layout: str, root: Path, shard: Shard, folder: Path, options: Options) -> Hashes:
    """Raises DatasetError."""
    episodes = (read_sampled(root, one, options) for one in shard.ids)
    if shard.name.startswith(SCREENSHOTS):
        make_folder(folder / SCREENSHOTS, within=folder)
        return {name: sha256 for exported in episodes for name, sha256 in write_screenshots(exported, folder).items()}
    make_folder((folder / shard.name).parent, within=folder)
    with whole_file(folder / shard.name) as file, HashedWriter(file) as out:
        for piece in _pieces(layout, shard, episodes, options.samples):
            out.write(piece.encode())
    return {shard.name: out.sha256}


def _pieces(layout: str, shard: Shard, episodes: Iterable[ExportedEpisode], chosen: Sampling) -> Iterator[str]:
    """The text of a file."""
    if shard.name == _INFO:
        yield json.dumps(info(pairs=chosen.pairs), indent=2) + "\n"
    elif shard.name == _HISTORY:
        steps = (step for exported in episodes for step in _official_steps(exported))
        yield from _indented("{}", (f"{json.dumps(one.path)}: {_spelled(one.earlier)}" for one in steps))
    elif layout == "official-chat":
        level, _, rest = Path(shard.name).stem.partition("_")
        name = rest.removeprefix("sementic_")
        is_train = shard.name.startswith("train_anno/")
        rows = _train_rows(episodes, name, level, chosen) if is_train else _test_rows(episodes, name, level)
        yield from _indented("[]", map(_spelled, rows))
    else:
        samples = (sample for exported in episodes for sample in Asked(exported, chosen).samples())
        yield from (json.dumps(_ROWS[layout](sample), ensure_ascii=False) + "\n" for sample in samples)


def _spelled(tree: Any) -> str:
    return json.dumps(tree, ensure_ascii=False, indent=4)


def _indented(brackets: str, items: Iterable[str]) -> Iterator[str]:
    """As json.dump with an indent of 4 writes it."""
    yield brackets[0]
    between = "\n    "
    for item in items:
        yield between + item.replace("\n", "\n    ")
        between = ",\n    "
    yield ("" if between == "\n    " else "\n") + brackets[1]
