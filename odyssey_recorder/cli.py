"""The subcommands: what can be asked of the program on a command line."""

from typing import Annotated

import typer

from odyssey_recorder import __version__

app = typer.Typer(name="odyssey-recorder", no_args_is_help=True, add_completion=False)


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"odyssey-recorder {__version__}")
        raise typer.Exit


@app.callback()
def odyssey_recorder(
    *,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    """Record GUI-Odyssey episodes on Android emulators, and replay them."""


def main() -> None:
    """Run the command line; the console script's entry point."""
    app()
