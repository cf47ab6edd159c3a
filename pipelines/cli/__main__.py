"""`python -m pipelines.cli` is the command `parallax`."""

from pipelines.cli import app

app()
