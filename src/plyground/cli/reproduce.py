"""The command `reproduce`: repeats the experiments of an original study."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from plyground.arena.plan import Tournament
from plyground.arena.record import Record
from plyground.arena.tournament import play_tournament
from plyground.cli.arguments import Json, Seed, check_writable, print_json, say, write_file
from plyground.cli.playing import Workers, new_pool
from plyground.cli.terminal import console, errors, table
from plyground.errors import OptionError
from plyground.export.report import Report, require_plots, written
from plyground.studies import STUDIES
from plyground.studies.study import Laboratory


def reproduce(
    name: Annotated[
        str, typer.Argument(metavar="STUDY", help="A study (default: list them).")
    ] = "",
    quick: Annotated[
        bool, typer.Option("--quick", help="Play fewer games, for rough figures.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Write results, page and plots into this folder."),
    ] = None,
    seed: Seed = 0,
    workers: Workers = None,
    as_json: Json = False,
) -> None:
    """Repeat the experiments of an original study, and show its own figures beside them."""
    if out is not None:
        check_folder(out)
    if not name:
        titles = {study.name: study.title for study in map(STUDIES.find, STUDIES.names())}
        if as_json:
            print_json([{"name": key, "title": title} for key, title in titles.items()])
        else:
            for key, title in titles.items():
                console.print(f"{key:{max(map(len, titles))}}  {title}", soft_wrap=True)
        return
    study = STUDIES.find(name).make({"quick": quick, "seed": seed})
    with (
        new_pool(1 if quick else workers, None) as pool,
        errors.status(study.title) as status,
    ):

        def show_progress(progress: str) -> None:
            status.update(f"{study.title}: {progress}")

        def play(tournament: Tournament) -> Iterator[Record]:
            for done, record in enumerate(play_tournament(tournament, pool), start=1):
                players = " - ".join(record.agents)
                show_progress(f"{players}, game {done} of {tournament.total}")
                yield record

        kept = out / f"{study.name}-{seed}.partial" if out is not None and not quick else None
        report = study.report(Laboratory(play, show_progress, kept))
    if as_json:
        print(report.to_json())
    else:
        show_report(report)
    if out is not None:
        write_report(report, out)
    if kept is not None:
        shutil.rmtree(kept, ignore_errors=True)


def show_report(report: Report) -> None:
    """Print the tables and remarks of a report."""
    for part in report.tables:
        rows = [[written(cell) for cell in row] for row in part.rows]
        console.print(table(part.headings, rows, part.title))
    for remark in report.remarks:
        console.print(remark)


def check_folder(folder: Path) -> None:
    """Create the folder of a report and check that it is writable; call this before long work."""
    require_plots()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OptionError(f"{folder} cannot be created: {error.strerror}") from None
    check_writable(folder / "writable")


def write_report(report: Report, folder: Path) -> None:
    """Write a report's record, page and pictures into a folder; the page includes its notes."""
    path = folder / f"{report.name}.notes.md"
    notes = path.read_text(encoding="utf-8") if path.is_file() else ""
    record, page = report.to_json() + "\n", report.page(notes)
    files = {f"{report.name}.json": record, f"{report.name}.md": page}
    for name, text in (files | report.pictures()).items():
        write_file(folder / name, text)
    say(f"written to {folder / report.name}.md")
