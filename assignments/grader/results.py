"""Stored results of graded submissions: JSON files signed with an HMAC (`seal`).

The signature covers everything that a result depends on, and needs the secret. So a
file written by another edition, for another release or by a student's code is never
accepted as a result: that submission is graded again.
"""

import hmac
import json

from ttt_lib.validation import Format, format_of

FORMAT = Format("ttt_lib result")
FIRST = {"format": FORMAT.name}  # missing in files of the first edition
NO_JSON = json.JSONDecodeError, UnicodeDecodeError


def sealed(result, secret, fingerprint):
    """Return the text of a file (JSON) with a signed result."""
    text = json.dumps(result, sort_keys=True)
    body = {"result": text, "seal": _seal(text, secret, fingerprint)}
    return json.dumps(FORMAT.head() | body, indent=1)


def _seal(text, secret, fingerprint):
    return hmac.new(
        secret.encode(), f"{fingerprint}{text}".encode(), "sha256"
    ).hexdigest()


def read_result(place, secret, fingerprint):
    """Return the stored result, or None unless its signature is valid."""
    if not place.is_file():  # reading a pipe could block
        return None
    try:
        stored = json.loads(place.read_text(encoding="utf-8"))
        seal = _seal(stored["result"], secret, fingerprint)
        if hmac.compare_digest(stored["seal"], seal):
            return json.loads(stored["result"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        pass
    return None


def read(file):
    """Return the result in a file of this or an earlier edition; ignore its signature.

    Raises ValueError with the path if it has no result, or one of a newer edition.
    """
    try:
        stored = json.loads(file.read_text(encoding="utf-8"))
        format_of(FIRST | stored, "result", FORMAT)
        return json.loads(stored["result"])
    except (*NO_JSON, KeyError, TypeError, RecursionError):
        raise ValueError(f"{file} is damaged: remove it, and grade again.") from None
    except ValueError as fault:
        raise ValueError(f"{file} cannot be used: {fault}") from None
