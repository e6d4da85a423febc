"""`list`: the episodes of a dataset that a filter selects."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from odyssey_recorder.commands.terminal import err, line, print_json, print_left_out, print_retired, print_warning, say
from odyssey_recorder.dataset_index.filter import Filter, Key, parse_filter
from odyssey_recorder.dataset_index.index import EpisodeIndex, IndexedEpisode
from odyssey_recorder.model.plain_text import counted, on_one_line
from odyssey_recorder.services import episodes


def list_episodes(index: EpisodeIndex, episode_filter: Filter, *, checked: bool, as_json: bool) -> None:
    """Print them; `checked` runs the checks on changed episodes first. Raises DatasetError, FilterError."""
    from odyssey_recorder.wiring.user import review_service

    with err.status(line(f"Reading {index.root} …")):
        episodes.refresh(index)
        if checked:
            review_service(index).check_all()
    selection = episodes.selected(index, episode_filter, agents=True)
    rows = index.rows(selection.filter)
    if as_json:
        print_json([episodes.row_as_json(row) for row in rows])
    else:
        for row in rows:
            say(_words(row))
        say(f"{len(rows):,} of {counted(len(index.ids()), 'episode')}", to=err)
    print_retired(selection.retired)
    unchecked = sum(not row.is_checked for row in index.rows())
    if unchecked and any(term.key in (Key.FINDING, Key.VERDICT) for term in episode_filter.terms):
        message = f"The findings of {counted(unchecked, 'episode')} are unknown. Use --check to check first."
        print_warning(message)
    if index.problem:
        print_warning(index.problem)


@contextmanager
def refreshed(root: Path) -> Iterator[EpisodeIndex]:
    """The user's index of a dataset. Raises DatasetError."""
    from odyssey_recorder.wiring.user import user_index

    with closing(user_index(root)) as index:
        episodes.refresh(index)
        yield index


@contextmanager
def selected(root: Path, text: str, *, agents: bool = False) -> Iterator[tuple[EpisodeIndex, Filter]]:
    """The index and the filter, as `services.episodes.selected`; says how many are left out.

    Raises DatasetError, FilterError.
    """
    parsed = parse_filter(text)
    with refreshed(root) as index:
        selection = episodes.selected(index, parsed, agents=agents)
        print_left_out(selection)
        yield index, selection.filter


def selected_ids(root: Path, text: str, *, agents: bool = False) -> list[str]:
    """In order. Raises DatasetError, FilterError."""
    with selected(root, text, agents=agents) as (index, episode_filter):
        return sorted(index.ids(episode_filter))


def _words(row: IndexedEpisode) -> str:
    recorded = "" if row.recorded_at is None else f"{row.recorded_at.astimezone():%Y-%m-%d %H:%M}"
    instruction = f"Cannot be read: {row.problem}" if row.problem else row.instruction
    parts = (
        f"{row.episode_id}  {on_one_line(row.category):22}  {on_one_line(row.device):14}  {row.steps:3}  "
        f"{row.ending:10}  {on_one_line(row.annotator):12}  {recorded:16}  {row.verdict.value:13}  "
    )
    return parts + on_one_line(instruction)
