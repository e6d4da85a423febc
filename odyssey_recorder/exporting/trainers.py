"""The layouts of trainers: a sample for each step, in the words of each trainer."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path

from odyssey_recorder.agents.adapter import adapter_named
from odyssey_recorder.agents.history import HistoryRule
from odyssey_recorder.dataset.layout import SCREENSHOTS
from odyssey_recorder.errors import DatasetError, ReviewError
from odyssey_recorder.exporting import official_chat
from odyssey_recorder.exporting.episodes import ExportedEpisode
from odyssey_recorder.exporting.export_plan import Options, Planned, Sampling, Shard, by_count
from odyssey_recorder.exporting.hashed_files import HashedWriter, Hashes, write_screenshots
from odyssey_recorder.exporting.memory_targets import write_marked
from odyssey_recorder.exporting.samples import Questions, Sample, read_sampled, refusal
from odyssey_recorder.files import make_folder, whole_file
from odyssey_recorder.llm.model import LazyImage, Part, Words
from odyssey_recorder.model.action import action_type
from odyssey_recorder.model.episode import Json
from odyssey_recorder.splits.drawing import is_kind

_EPISODES = 64
"""In one shard."""
_INFO = "dataset_info.json"


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
        description = (
            f"asked as {chosen.adapter}, with the history {chosen.history}, at the level {' and '.join(chosen.levels)}"
        )
        return f"{'Preference pairs' if chosen.pairs else 'Steps with samples'}: {self._samples}, {description}"

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
        if why := refusal(exported, self._options.samples):
            return why
        questions = Questions(exported, self._options.samples)
        steps = exported.episode.steps
        lost = Counter(
            action_type(step.action) for number, step in enumerate(steps) if questions.answer(number) is None
        )
        self._unspeakable += lost
        self._samples += len(exported.pairs) if self._options.samples.pairs else len(steps) - lost.total()
        return ""


def _refuse_options(layout: str, sampling: Sampling) -> None:
    adapter, rule = adapter_named(sampling.adapter), HistoryRule.parse(sampling.history)
    if adapter.needs_marks:
        raise DatasetError(f"{adapter.name} needs numbers on the screenshots, which no layout has. Use it in predict.")
    if layout == "official-chat" and (
        sampling.adapter != official_chat.ADAPTER or rule.kind not in ("none", "actions")
    ):
        raise DatasetError(
            "The layout official-chat has its own words. Leave out --adapter, and use --history actions:N."
        )
    if layout == "official-chat" and sampling.memory_texts:
        raise DatasetError("The layout official-chat has no place for AR, SI and CM. Use another layout.")
    if rule.is_live:
        raise DatasetError("An export asks no model, so it has no live memory. Write it with annotate run --memory.")
    if sampling.pairs and layout not in _OF_PAIRS:
        raise DatasetError(
            f"The layout {layout} has no place for preference pairs. Use {', '.join(sorted(_OF_PAIRS))}."
        )
    if layout == "qwen" and adapter.turns is not None and rule.kind != "none":
        raise DatasetError(
            f"With the layout qwen a model is trained on all answers of a sample, and {adapter.name} has earlier ones. "
            "Use --history none, or another layout."
        )


# Rows.


def _turns(sample: Sample) -> list[tuple[str, list[Part]]]:
    """Role and parts: messages of the same role that follow each other are one."""
    grouped = groupby(sample.messages, key=lambda message: message.role)
    return [(role, [part for message in messages for part in message.parts]) for role, messages in grouped]


def _tagged(parts: Iterable[Part]) -> str:
    return "\n".join(part.text if isinstance(part, Words) else "<image>" for part in parts)


def _messages(sample: Sample) -> list[dict[str, Json]]:
    return [{"role": role, "content": _tagged(parts)} for role, parts in _turns(sample)]


def _llamafactory(sample: Sample) -> dict[str, Json]:
    answer, rejected = _assistant(sample.answer), _assistant(sample.rejected)
    if sample.rejected:
        pair: dict[str, Json] = {"chosen": answer, "rejected": rejected}
        return {"id": sample.id, "messages": [*_messages(sample)], **pair, "images": sample.images}
    return {"id": sample.id, "messages": [*_messages(sample), answer], "images": sample.images}


def _assistant(words: Json) -> dict[str, Json]:
    return {"role": "assistant", "content": words}


def _ms_swift(sample: Sample) -> dict[str, Json]:
    turns = [{**message, "loss": False} if message["role"] == "assistant" else message for message in _messages(sample)]
    rejected: dict[str, Json] = {"rejected_response": sample.rejected} if sample.rejected else {}
    return {"id": sample.id, "messages": [*turns, _assistant(sample.answer)], **rejected, "images": sample.images}


def _qwen(sample: Sample) -> dict[str, Json]:
    """Its trainer has its own system message: the adapter's goes before the question."""
    human = "\n\n".join(_tagged(parts) for _, parts in _turns(sample))
    conversations: list[Json] = [{"from": "human", "value": human}, {"from": "gpt", "value": sample.answer}]
    images = sample.images
    shown: dict[str, Json] = {"image": images[0] if len(images) == 1 else images} if images else {}
    return {"id": sample.id, **shown, "conversations": conversations}


def _trl(sample: Sample) -> dict[str, Json]:
    prompt: list[Json] = [{"role": role, "content": [_part(part) for part in parts]} for role, parts in _turns(sample)]
    answer: list[Json] = [_assistant([_part(Words(sample.answer))])]
    rejected: list[Json] = [_assistant([_part(Words(sample.rejected))])]
    answers: dict[str, Json] = (
        {"chosen": answer, "rejected": rejected} if sample.rejected else {"completion": answer, "gold": sample.gold}
    )
    return {"id": sample.id, "images": sample.images, "prompt": prompt, **answers}


def _part(part: Part) -> Json:
    return {"type": "text", "text": part.text} if isinstance(part, Words) else {"type": "image"}


def _ui_tars(sample: Sample) -> dict[str, Json]:
    """Each screenshot is a separate turn."""
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


# Files.


def plan(layout: str, episodes: Sequence[Planned], options: Options) -> list[Shard]:
    """Raises DatasetError if no episode is in the wanted split."""
    chosen = options.samples
    wanted: official_chat.Parts
    parts = {
        (kind, side): ids
        for kind in sorted({kind for episode in episodes for kind in episode.sides if is_kind(kind)})
        for side in ("train", "test")
        if (ids := tuple(episode.episode_id for episode in episodes if episode.sides.get(kind) == side))
    }
    if layout == "official-chat":
        wanted = {key: ids for key, ids in parts.items() if chosen.split in ("", key[0])}
    elif chosen.split:
        wanted = {key: ids for key, ids in parts.items() if key[0] == chosen.split}
    else:
        wanted = {("", "all"): tuple(episode.episode_id for episode in episodes)}
    used = {episode_id for ids in wanted.values() for episode_id in ids}
    if not used:
        raise DatasetError(f"No episode is in the {chosen.split or 'random'} split. Make one with splits make.")
    with_screenshot = tuple(episode.episode_id for episode in episodes if episode.episode_id in used)
    if layout == "official-chat":
        texts = official_chat.shards(wanted, with_screenshot, chosen)
    else:
        texts = [
            shard
            for (_, side), ids in wanted.items()
            for shard in by_count(f"data/{side}/{{:05}}.jsonl", ids, _EPISODES)
        ]
        texts += [Shard(_INFO, ())] * (layout == "llamafactory")
    return [*by_count("screenshots-{:05}", with_screenshot, _EPISODES), *texts]


def write(layout: str, root: Path, shard: Shard, folder: Path, options: Options) -> Hashes:
    """Raises DatasetError."""
    episodes = (read_sampled(root, episode_id, options) for episode_id in shard.ids)
    if shard.name.startswith(SCREENSHOTS):
        make_folder(folder / SCREENSHOTS, within=folder)
        files = (write_screenshots(exported, folder) | write_marked(exported, folder) for exported in episodes)
        return {name: sha256 for written in files for name, sha256 in written.items()}
    make_folder((folder / shard.name).parent, within=folder)
    with whole_file(folder / shard.name) as file, HashedWriter(file) as out:
        for piece in _pieces(layout, shard, episodes, options.samples):
            out.write(piece.encode())
    return {shard.name: out.sha256}


def _pieces(layout: str, shard: Shard, episodes: Iterable[ExportedEpisode], chosen: Sampling) -> Iterator[str]:
    """The text of a file."""
    if shard.name == _INFO:
        yield json.dumps(info(pairs=chosen.pairs), indent=2) + "\n"
    elif layout == "official-chat":
        yield from official_chat.pieces(shard.name, episodes, chosen)
    else:
        samples = (sample for exported in episodes for sample in Questions(exported, chosen).samples())
        yield from (json.dumps(_ROWS[layout](sample), ensure_ascii=False) + "\n" for sample in samples)
