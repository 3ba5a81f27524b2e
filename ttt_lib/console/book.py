"""The command `ttt book`: open the built book."""

from pathlib import Path

import click

from ttt_lib.console.options import command

PAGE = Path(__file__).parents[2] / "_build" / "html" / "index.html"


@command("ttt book")
@click.option("--where", is_flag=True, help="Print its path without opening it.")
def book(where):
    """Open the built book in a browser, or say how to build it."""
    if not PAGE.is_file():
        raise click.ClickException(
            "The book is not built here: run `make book` in a copy of its source."
        )
    click.echo(str(PAGE))
    if not where:
        click.launch(str(PAGE))
