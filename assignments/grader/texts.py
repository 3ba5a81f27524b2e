"""Texts and pictures of a student, wherever in the notebook they stand."""

import base64
import io
import re

from PIL import Image

from ttt_lib.check.notebook import bare, joined
from ttt_lib.check.report import DRAWING

MAX_PICTURE = 2**21  # characters
MAX_PIXELS = 2**24  # so that a small file cannot fill the memory of a browser
END_OF_PNG = b"\0\0\0\0IEND\xaeB`\x82"
MAX_TEXT = 100_000  # characters of a text that are kept
OWN = "a cell that was added or changed"
OWN_CODE = "a cell of code that was added"
PICTURE = "(A picture: look into the file that was handed in.)"
NOT_IN_PLACE = "(Nothing stands in its place. A person looks at this:)"
# Comments, and strings of more than one word.
PROSE = re.compile(
    r"""\#.*\w.*|(?P<q>\"{3}|'{3})[\s\S]*?(?P=q)|"[^"\n]*\s[^"\n]*"|'[^'\n]*\s[^'\n]*'"""
)
MANY_WORDS = 20  # more comments than that, added to a program, may be a text
# What Colab puts into a notebook that it opens from a repository.
BADGE = re.compile(
    r'<a href="https://colab\.research\.google\.com/[^>]*><img [^>]*></a>'
)


def picture(cells, source=None):
    """Return the last PNG (base64) that the drawing cell shows, "" if there is none.

    That is the cell of that name, or of that source where the name is lost.
    """
    found = ""
    for cell in cells:
        if cell.grade_id == DRAWING or cell.source == source:
            for data in _shown(cell):
                image = joined(data.get("image/png", ""))[: MAX_PICTURE + 1]
                png = re.sub(r"\s", "", image)
                if len(png) <= MAX_PICTURE and _is_png(png):
                    found = png
    return found


def _shown(cell):
    """Yield what the outputs of a cell show, {MIME type: data}."""
    for output in cell.outputs:
        data = output.get("data") if isinstance(output, dict) else None
        if isinstance(data, dict):
            yield data


def _is_png(text):
    """Return whether a text is base64 of one whole PNG, of not too many pixels.

    Nothing is unpacked: the sums of all its parts are checked.
    """
    try:
        content = base64.b64decode(text, validate=True)
        width, height = (int.from_bytes(content[k : k + 4]) for k in (16, 20))
        if width * height > MAX_PIXELS or not content.endswith(END_OF_PNG):
            return False
        with Image.open(io.BytesIO(content), formats=["PNG"]) as image:
            image.verify()
    except Exception:  # what Pillow raises at a damaged file is of many kinds
        return False
    return True


def written(cell):
    """Return the text that a cell of the student's own holds, "" if there is none."""
    source = cell.source.strip()
    if BADGE.fullmatch(source):
        return ""
    has_picture = cell.is_attached or any(
        kind.startswith("image/") for data in _shown(cell) for kind in data
    )
    parts = [source[:MAX_TEXT], PICTURE if has_picture else ""]
    return "\n\n".join(filter(None, parts))


def words_in(source):
    """Return how many words stand in the comments and strings of a program."""
    found = PROSE.finditer(source[:MAX_TEXT])
    return sum(len(re.findall(r"\w+", match[0])) for match in found)


def same(text):
    """Return a text without the blanks and capitals in which copies may differ."""
    return " ".join(bare(text).casefold().split())
