"""Work on a Dask cluster: an executor of its workers."""

from collections.abc import Iterator
from concurrent.futures import CancelledError, Executor
from contextlib import contextmanager
from typing import Annotated

import typer

from odyssey_recorder.errors import DatasetError

ClusterOption = Annotated[
    str | None, typer.Option("--cluster", metavar="ADDRESS", help="Work on this Dask cluster, such as tcp://host:8786.")
]
_CONNECT_S = 3


@contextmanager
def cluster(address: str) -> Iterator[Executor]:
    """The workers of the scheduler at `address`. Raises DatasetError, also if they do not finish."""
    try:
        from distributed import Client, KilledWorker
    except ImportError as error:
        raise DatasetError("A cluster needs Dask. Install it: pip install 'odyssey-recorder[cluster]'") from error
    try:
        client = Client(address, timeout=_CONNECT_S)
    except (OSError, ValueError) as error:
        raise DatasetError(f"The Dask scheduler {address} cannot be reached: {error}. Check the address.") from error
    with client:
        if not client.scheduler_info()["workers"]:
            raise DatasetError(f"The Dask scheduler {address} has no workers. Start some: dask worker {address}")
        try:
            yield client.get_executor()
        except (KilledWorker, CancelledError, OSError, ImportError) as error:
            raise DatasetError(
                f"The cluster did not finish: {error or type(error).__name__}. Check that every worker has this "
                "version of odyssey-recorder, the same folders and enough memory. Then run the same command again."
            ) from error
