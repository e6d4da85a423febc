"""`train` and `serve`: OdysseyAgent."""

import os
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from odyssey_recorder.commands.terminal import exits_with_2, progress_bar, say
from odyssey_recorder.errors import TrainingError
from odyssey_recorder.progress import untold


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

    recipe, is_first_process = read_recipe(config), os.environ.get("RANK", "0") == "0"
    with progress_bar("Training") if is_first_process else nullcontext(untold) as progress:
        folder = run(recipe, progress)
    say(f"Trained: {folder}")


@exits_with_2()
def serve(
    model: Annotated[Path, typer.Argument(metavar="DIR", help="The folder that train has written.")],
    *,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 for any that is free.")] = 8000,
) -> None:
    """Serve a trained model for predict and agent run.

    For tests and small machines: one answer at a time, over OpenAI's Chat Completions API. Web pages are refused. With
    a --host that other computers can reach, it prints a token, which it requires as the API key.

    Exit code 2: the model cannot be loaded, or the port is taken.
    """
    _need_libraries()
    from odyssey_recorder.training.generating import answer_to, load_trained
    from odyssey_recorder.training.serving import ModelServer

    answer = partial(answer_to, *load_trained(model))
    try:
        server = ModelServer(model.name, answer, host, port)
    except OSError as error:
        raise TrainingError(f"{host}:{port} cannot be used: {error.strerror}. Choose another --port.") from error
    with server:
        say(f"Serving {server.name} at http://{host}:{server.server_port}/v1. Stop it with Ctrl-C.")
        if server.token:
            say(f"Other computers can reach it. It answers only to this API key: ODYSSEY_API_KEY={server.token}")
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
