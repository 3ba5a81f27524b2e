"""Checks at the library's doors: a wrong argument gets one sentence."""


def demand(holds, sentence):
    """Raise ValueError with the sentence, still without its stop, unless it holds."""
    if not holds:
        raise ValueError(f"{sentence}.")
