"""`upload` and `download`: exports and releases in a store that others reach."""

from pathlib import Path
from typing import Annotated

import typer

from odyssey_recorder.commands import terminal

UrlArgument = Annotated[str, typer.Argument(metavar="URL", help="Any place that fsspec reaches, as s3://bucket/name.")]


@terminal.exits_with_2()
def upload(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="An export, or a release of a dataset.")],
    url: UrlArgument,
) -> None:
    """Upload an export or a release to a store.

    Every file is compared with its hash, and none that differs is replaced. After an interruption the same command
    continues. SHA256SUMS comes last, when all other files are there.

    Exit code 0: success; 2: the folder or the store cannot be used.
    """
    from odyssey_recorder.exporting import remote

    with terminal.progress_bar("Uploading") as on_progress:
        files = remote.upload(folder, url, on_progress)
    terminal.say(f"{files:,} files are at {url}")


@terminal.exits_with_2()
def download(
    url: UrlArgument,
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where to put it.")],
    *,
    without_screenshots: Annotated[
        bool, typer.Option("--without-screenshots", help="For a first look. They can be downloaded later.")
    ] = False,
) -> None:
    """Download what was uploaded, annotations first.

    Every file is compared with its hash. After an interruption the same command continues.

    Exit code 0: success; 2: the folder or the store cannot be used, or a file differs.
    """
    from odyssey_recorder.exporting import remote

    with terminal.progress_bar("Downloading") as on_progress:
        files = remote.download(url, folder, on_progress, with_screenshots=not without_screenshots)
    terminal.say(f"{files:,} files are in {folder}")
