"""The programs of the studies, whose results `ttt_lib.studies` loads.

A study is a module with a `trial`, its SETTINGS (name → setting), its number of SEEDS
and the generator RNG that they are spawned from.
"""

import json
from copy import deepcopy
from pathlib import Path

import ttt_lib.experiments
from ttt_lib.studies import FOLDER

NAMES = sorted(
    path.stem for path in Path(__file__).parent.glob("*.py") if path.stem[0] != "_"
)


def run(study, seeds=None, jobs=-1):
    """Return the results (settings, seeds, …) of a study, or of its first `seeds`."""
    seeds = study.SEEDS if seeds is None else seeds
    return ttt_lib.experiments.run(
        study.trial, study.SETTINGS.values(), seeds, deepcopy(study.RNG), jobs
    )


def constants(study):
    """Return the constants of a study, name → value, without its generator RNG."""
    return {
        name: value
        for name, value in vars(study).items()
        if name.isupper() and name != "RNG"
    }


def store(study, results):
    """Write the constants and the results of a study as JSON, for the pages."""
    parts = (
        json.dumps(name) + ": " + json.dumps(value, ensure_ascii=False)
        for name, value in constants(study).items()
    )
    rows = (json.dumps(result) for result in results.tolist())
    text = '{{\n"constants": {{\n{}\n}},\n"results": [\n{}\n]\n}}\n'
    file = FOLDER / f"{study.__name__.rpartition('.')[2]}.json"
    file.write_text(text.format(",\n".join(parts), ",\n".join(rows)), encoding="utf-8")
