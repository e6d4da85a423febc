"""`train` and `serve`: OdysseyAgent."""

from pathlib import Path
from typing import Annotated

import typer

from odyssey_recorder.commands.terminal import exits_with_2, say
from odyssey_recorder.errors import TrainingError


@exits_with_2()
def train(
    config: Annotated[Path, typer.Option(metavar="FILE", help="The recipe, in TOML; see docs/training.md.")],
) -> None:
    """Train OdysseyAgent on an export.

    Run the same command again to continue an interrupted run from its last checkpoint. With several GPUs, run
    `accelerate launch -m odyssey_recorder train --config FILE`.

    Exit code 0: trained; 2: the recipe, the export or the model cannot be used.
    """
    _need_libraries()
    from odyssey_recorder.training.recipe import read_recipe
    from odyssey_recorder.training.train import train as run

    say(f"Trained: {run(read_recipe(config))}")


@exits_with_2()
def serve(
    model: Annotated[Path, typer.Argument(metavar="DIR", help="The folder that train has written.")],
    *,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 for any that is free.")] = 8000,
) -> None:
    """Serve a trained model for predict and agent run.

    For tests and small machines: one answer at a time, over OpenAI's Chat Completions API.

    Exit code 2: the model cannot be loaded, or the port is taken.
    """
    _need_libraries()
    from odyssey_recorder.training.serving import ModelServer

    try:
        server = ModelServer(model, host, port)
    except OSError as error:
        raise TrainingError(f"{host}:{port} cannot be used: {error.strerror}. Choose another --port.") from error
    with server:
        say(f"Serving {server.name} at http://{host}:{server.server_port}/v1. Stop it with Ctrl-C.")
        server.serve_forever()


def _need_libraries() -> None:
    try:
        import peft  # noqa: F401
        import torch  # noqa: F401
        import transformers  # noqa: F401
    except ImportError as error:
        raise TrainingError(
            f"Training needs more libraries ({error.name}). Install them: pip install 'odyssey-recorder[train]'"
        ) from error
