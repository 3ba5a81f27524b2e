"""What is kept of a graded submission: its result in a file, under a seal.

The seal is of all that the result depends on, and nobody without the secret can make
one. So what another edition, another release or a student's code has written is never
taken for a result: that submission is graded once more.
"""

import hmac
import json

from ttt_lib.validation import Format, format_of

FORMAT = Format("ttt_lib result")
FIRST = {"format": FORMAT.name}  # which the first edition did not write
NO_JSON = json.JSONDecodeError, UnicodeDecodeError


def sealed(result, secret, fingerprint):
    """Return the text of a file that keeps a result."""
    text = json.dumps(result, sort_keys=True)
    own = {"result": text, "seal": _seal(text, secret, fingerprint)}
    return json.dumps(FORMAT.head() | own, indent=1)


def _seal(text, secret, fingerprint):
    return hmac.new(
        secret.encode(), f"{fingerprint}{text}".encode(), "sha256"
    ).hexdigest()


def found(place, secret, fingerprint):
    """Return the stored result if it is of this submission and nobody changed it."""
    if not place.is_file():  # a pipe would be waited for
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
    """Return the result in a file, of this edition or an earlier one, for a look at it.

    Raises ValueError with the file if it holds none, or one of a newer edition.
    """
    try:
        stored = json.loads(file.read_text(encoding="utf-8"))
        format_of(FIRST | stored, "result", FORMAT)
        return json.loads(stored["result"])
    except (*NO_JSON, KeyError, TypeError, RecursionError):
        raise ValueError(f"{file} is damaged: remove it, and grade again.") from None
    except ValueError as fault:
        raise ValueError(f"{file} cannot be used: {fault}") from None
