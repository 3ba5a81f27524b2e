"""Headings of a roll in English, translated from the languages of Moodle."""

import re

HEADS = {
    "identifier": "identificador, identifiant, identificativo, identificatore",
    "full name": "vollständiger name, nombre completo, nom complet, nome completo",
    "first_name": "first name, vorname, nombre, prénom, nome",
    "last_name": "last name, surname, nachname, apellido(s), apellidos, nom, cognome",
    "id number": "id-nummer, número de id, número de identificación, "
    "numéro d'identification, codice identificativo, numero id",
    "email address": "e-mail-adresse, dirección de correo, adresse de courriel, "
    "dirección de correo electrónico, adresse e-mail, indirizzo email",
    "username": "anmeldename, nombre de usuario, nom d'utilisateur, nome utente",
    "grade": "bewertung, calificación, note, valutazione",
    "last modified (submission)": "zuletzt geändert (abgabe), "
    "última modificación (entrega), dernière modification (travail remis), "
    "ultima modifica (consegna)",
    "feedback comments": "feedback als kommentar, comentarios de retroalimentación, "
    "feedback par commentaires, commenti di feedback",
}
ENGLISH = {word: head for head, words in HEADS.items() for word in words.split(", ")}
NUMBER = re.compile(r"\d+([.,]\d+)?")


def english(rows):
    """Return the headings of a table, its first row, in lower case and in English.

    A grading worksheet of Moodle in an unknown language is recognised by its cells:
    the first column has one word with numbers, such as "Participant 12", and the
    column after the grade has the same maximum in all rows.
    """
    small = [head.strip().casefold().replace("\u2019", "'") for head in rows[0]]
    heads = [ENGLISH.get(head, head) for head in small]
    body = [row for row in rows[1:] if any(row)]
    if "name" in heads or not _are_participants([row[0] for row in body]):
        return heads
    columns = [
        [row[n].strip() if n < len(row) else "" for row in body]
        for n in range(len(heads))
    ]
    recognised = _by_cells(columns)
    if "grade" in (*heads, *recognised.values()):
        heads[0] = "identifier"  # "ID" in German
        for n, head in recognised.items():
            if head not in heads and heads[n] not in HEADS:
                heads[n] = head
    return heads


def _are_participants(cells):
    """Return whether each cell has the same word and one number."""
    words = {re.sub(r"\d+", "", cell, count=1).strip() for cell in cells if cell}
    return len(words) == 1 and all(w and not re.search(r"\d", w) for w in words)


def _by_cells(columns):
    """Return {index: heading} of the columns of a worksheet, found by their cells."""
    headings = {}
    inner = range(2, len(columns) - 1)
    is_grade = (n for n in inner if _are_grades(columns[n], columns[n + 1]))
    grade = next(is_grade, len(columns))
    if grade < len(columns):
        headings[grade] = "grade"
    for n, cells in enumerate(columns[1:grade], start=1):
        if all(re.fullmatch(r"\S+@\S+|", cell) for cell in cells) and any(cells):
            headings[n] = "email address"
            break
    if grade > 2 and 1 not in headings:  # with hidden names, column 1 is the status
        headings[1] = "full name"
    dates = [
        n
        for n in range(grade + 2, len(columns))
        if all(cell == "-" or re.search(r"\d{4}", cell) for cell in columns[n])
    ]
    if len(dates) == 2:  # of the submission and of the grade
        headings[dates[0]] = "last modified (submission)"
        if dates[1] == len(columns) - 2:
            headings[dates[1] + 1] = "feedback comments"
    return headings


def _are_grades(cells, others):
    """Return whether cells may be grades, and `others` their maximum."""
    best = {*others}
    if len(best) > 1 or not all(map(NUMBER.fullmatch, best)):
        return False
    return all(cell in ("", "-") or NUMBER.fullmatch(cell) for cell in cells)
