"""Reader of agent files of editions 0.1 and 0.2 (file format version 1).

To be deleted in edition 1.0.
"""

import base64
import binascii
import re
import warnings
import zlib

import numpy as np

from ttt_lib.agents.rows import to_rows
from ttt_lib.game import tables
from ttt_lib.validation import Format

HALVED = (
    "comes from the first edition, whose double Q-learning counted the updates of both "
    "tables together: each table now gets half of each count."
)
AGENT, POLICY = Format("ttt_lib agent", 1), Format("ttt policy", 1)


def upgraded(whole, file_format):
    """Return the JSON of a file of version 1 converted to version 2."""
    if file_format == POLICY:
        return {key: whole[key] for key in whole if key not in ("format", "version")}
    try:
        agent = dict(whole["agent"])
        game = tables(*(agent[size] for size in ("rows", "columns", "k")))
        arrays = {
            name: _array(game, each) for name, each in agent.pop("arrays").items()
        }
        training, gamma = dict(agent.pop("hyperparameters")), agent.pop("gamma")
        for role in ("opponent", "behaviour"):  # ties of 0.1 were always "lowest"
            if re.fullmatch(r"teacher \S+", training.get(role, "")):
                training[role] += " lowest"
        policy = arrays.pop("policy", None)
        if (state := training.pop("learner", None)) is not None:
            state |= {"gamma": gamma, "rewards": agent.pop("rewards")}
        elif (state := training.pop("matchboxes", None)) is not None:
            state |= {"method": "menace", "rng": state.pop("generator")}
            agent.pop("rewards")
        elif policy is not None:
            agent["policy"] = to_rows(game, policy)
            if (Q := arrays.get("Q")) is not None:
                moves = policy.any(axis=1, keepdims=True)
                agent["values"] = to_rows(game, Q, game.legal & moves)
        if state is not None:
            if "Q1" in arrays and "updates1" not in arrays:  # 0.1 counted both as one
                arrays["updates1"] = (arrays["updates"] + 1) // 2
                warnings.warn(f"{agent['name']} {HALVED}", stacklevel=2)
            rows = {name: to_rows(game, array) for name, array in arrays.items()}
            agent["learner"] = state | {"tables": rows}
        return agent | {"training": training}
    except (AttributeError, KeyError, TypeError, binascii.Error, zlib.error):
        raise ValueError("it is incomplete, or a value in it is not valid.") from None


def _array(game, packed):
    """Return an array of a file, compressed: (S,), or the legal moves of (S, A)."""
    where = game.legal if packed["axes"] == "SA" else np.ones(len(game.code), bool)
    size = 8 * int(where.sum())
    data = base64.b64decode(packed["data"], validate=True)
    raw = zlib.decompressobj().decompress(data, size + 1)
    if len(raw) != size:
        raise ValueError("one of its arrays has a size that does not fit its board.")
    kind = {"<f8": float, "<i8": np.int64}[packed["type"]]
    array = np.zeros(where.shape, kind)
    array[where] = np.frombuffer(raw, packed["type"])
    return array
