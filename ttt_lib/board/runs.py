"""Stored learners that a lab shows side by side, from the study `lab_runs`."""

from functools import cache

from ttt_lib.studies import load

CLASSES = 765  # of positions
NEVER = "."
LETTERS = "abcdefghijklmnopqrstu"  # values −1, −0.9, …, 1


def letters(row):
    """Return values in tenths as letters, NEVER for positions that were not met."""
    return "".join(LETTERS[x + 10] if abs(x) <= 10 else NEVER for x in row)


def names():
    """Return the names of all comparisons that are stored."""
    return list(_study().LABS)


def find(choose, changed):
    """Return the name of the comparison of a lab's `choose`; None if none is stored.

    `changed` has the settings that decide what is learnt, where they are not as usual.
    """
    chosen = {setting: tuple(values) for setting, values in choose.items()}
    for name, (setting, values, others) in _study().LABS.items():
        fixed = {key: changed[key] for key in changed if key != setting}
        if chosen == {setting: values} and fixed == others:
            return name
    return None


def packed(name):
    """Return a comparison as the lab reads it.

    A dictionary: the `setting` that differs; the numbers of `games` after which the
    learners are seen; and for each value of the setting a column: the `value`; in
    `worst`, for each number of games, the worst case of all learners in turn, as first
    and as second player, in hundredths; and in `thinks` the `letters` of the first
    learner's values of all classes of positions.
    """
    study = _study()
    setting, values, _ = study.LABS[name]
    keys = list(study.SETTINGS)
    columns = []
    for value in values:
        rows = study.results[keys.index(f"{name} {value}"), 0].tolist()
        columns.append(
            {
                "value": value,
                "worst": [row[:-CLASSES] for row in rows],
                "thinks": [letters(row[-CLASSES:]) for row in rows],
            }
        )
    return {"setting": setting, "games": study.MARKS, "columns": columns}


@cache
def _study():
    return load("lab_runs")
