"""`export`: a dataset for others to load."""

import os
import signal
from collections.abc import Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import AbstractContextManager
from multiprocessing import get_context

from odyssey_recorder.commands.cluster import cluster
from odyssey_recorder.commands.terminal import print_warning, progress_bar, say
from odyssey_recorder.model.plain_text import counted
from odyssey_recorder.services.exports import ExportWanted, prepare_export, write_export
from odyssey_recorder.wiring.user import dataset_reviews

_TOLD = 10
_WORKERS = get_context("spawn")


def export_dataset(
    wanted: ExportWanted, ids: Sequence[str], workers: AbstractContextManager[Executor], *, only_ready: bool = True
) -> None:
    """Raises DatasetError."""
    prepared = prepare_export(dataset_reviews(wanted.root), wanted, ids, only_ready=only_ready)
    _print_left_out(prepared.left_out)
    with workers as executor, progress_bar("Exporting") as on_progress:
        folder = write_export(prepared, executor, progress=on_progress)
    for limit in prepared.limits:
        print_warning(limit)
    say(f"{counted(prepared.episodes, 'episode')} exported to {folder}")


def _print_left_out(reasons: Sequence[str]) -> None:
    for why in reasons[:_TOLD]:
        print_warning(why)
    if reasons:
        more = f", {len(reasons) - _TOLD} not listed here" if len(reasons) > _TOLD else ""
        print_warning(f"{counted(reasons, 'episode')} left out{more}. Use --all to export every episode.")


def executor_of(jobs: int | None, address: str | None) -> AbstractContextManager[Executor]:
    """Processes of this computer, or those of the Dask scheduler at `address`."""
    if address is not None:
        return cluster(address)
    jobs = jobs or os.cpu_count() or 1
    if jobs == 1:
        return ThreadPoolExecutor(1)
    ignore_interrupts = (signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent process
    return ProcessPoolExecutor(jobs, mp_context=_WORKERS, initializer=signal.signal, initargs=ignore_interrupts)
