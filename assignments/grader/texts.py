"""Texts and pictures of a student, anywhere in the notebook."""

import base64
import io
import re

from PIL import Image

from ttt_lib.check.notebook import bare, joined
from ttt_lib.check.report import DRAWING

MAX_PICTURE = 2**21  # characters of base64
MAX_PIXELS = 2**24  # a small file could otherwise fill the memory of a browser
END_OF_PNG = b"\0\0\0\0IEND\xaeB`\x82"
MAX_TEXT = 100_000  # characters of a text that are kept
OWN = "a cell that was added or changed"
OWN_CODE = "a cell of code that was added"
PICTURE = "(A picture: look into the submitted file.)"
NOT_IN_PLACE = "(The cell of this text is empty. A person looks at the following:)"
# Comments, and strings of more than one word.
PROSE = re.compile(
    r"""\#.*\w.*|(?P<q>\"{3}|'{3})[\s\S]*?(?P=q)|"[^"\n]*\s[^"\n]*"|'[^'\n]*\s[^'\n]*'"""
)
MANY_WORDS = 20  # so many words added to a program in comments may be a text
# Badge that Colab adds to a notebook opened from a repository.
BADGE = re.compile(
    r'<a href="https://colab\.research\.google\.com/[^>]*><img [^>]*></a>'
)


def picture(cells, source=None):
    """Return the last PNG (base64) that the drawing cell shows, or "".

    source: source of the drawing cell, to find it if its grade id is lost.
    """
    last = ""
    for cell in cells:
        if cell.grade_id == DRAWING or cell.source == source:
            for data in _shown(cell):
                image = joined(data.get("image/png", ""))[: MAX_PICTURE + 1]
                png = re.sub(r"\s", "", image)
                if len(png) <= MAX_PICTURE and _is_png(png):
                    last = png
    return last


def _shown(cell):
    """Yield {MIME type: data} of each output of a cell."""
    for output in cell.outputs:
        data = output.get("data") if isinstance(output, dict) else None
        if isinstance(data, dict):
            yield data


def _is_png(text):
    """Return whether a text is base64 of one complete PNG of up to MAX_PIXELS pixels.

    Nothing is decompressed: the checksums of its chunks are checked.
    """
    try:
        content = base64.b64decode(text, validate=True)
        width, height = (int.from_bytes(content[k : k + 4]) for k in (16, 20))
        if width * height > MAX_PIXELS or not content.endswith(END_OF_PNG):
            return False
        with Image.open(io.BytesIO(content), formats=["PNG"]) as image:
            image.verify()
    except Exception:  # Pillow raises exceptions of many types for damaged files
        return False
    return True


def written(cell):
    """Return the text of a cell that the student added, or ""."""
    source = cell.source.strip()
    if BADGE.fullmatch(source):
        return ""
    has_picture = cell.is_attached or any(
        kind.startswith("image/") for data in _shown(cell) for kind in data
    )
    parts = [source[:MAX_TEXT], PICTURE if has_picture else ""]
    return "\n\n".join(filter(None, parts))


def words_in(source):
    """Return the number of words in the comments and strings of a program."""
    matches = PROSE.finditer(source[:MAX_TEXT])
    return sum(len(re.findall(r"\w+", match[0])) for match in matches)


def same(text):
    """Return a text in lower case with single spaces, to compare copies."""
    return " ".join(bare(text).casefold().split())
