"""Colours of cells: the side that a number favours, and how much."""

import numpy as np
import pytest
from test_scripts import SEATED

from ttt_lib import board
from ttt_lib.plots.tiles import tones

# The tones of numbers in the script, without stretching.
SCALE = """async (asked) => asked.map(([numbers, limits, mark]) => {
  const { tone } = ttt.colours.scale(numbers, limits, mark, true);
  return numbers.map((x) => [tone(x).mark, tone(x).share]);
})"""
# Each coloured cell of some positions: [overlay, position, cell, numbers, tone, mover].
CELLS = """async ({ shared, agents, positions }) => {
  SEATED
  const play = await seated("q-learning"), found = [];
  for (const overlay of Object.keys(ttt.overlays.OVERLAYS)) {
    for (const s of positions) {
      const { cells, limits } = ttt.overlays.numbers(play, s, overlay);
      const shown = cells.filter((value) => value !== null && value !== undefined);
      if (!limits || shown.length === 0) continue;
      const worths = shown.map(ttt.overlays.worth), mark = play.mover(s);
      const { tone } = ttt.colours.scale(worths, limits, mark, true);
      const ring = ttt.overlays.bestCells(cells);
      cells.forEach((value, cell) => {
        if (value === null) return;
        const { mark: good } = tone(ttt.overlays.worth(value));
        const best = ring.includes(cell);
        found.push({ overlay, s, value, good, mark, limits, best });
      });
    }
  }
  return found;
}""".replace("SEATED", SEATED)


def test_board_colours_match_figures(run):
    limits = [[-1, 1], [0, 1], [-2, 3], [-3, -1], [0.5, 2]]
    asked = [(np.linspace(*ends, 9).tolist(), ends, m) for ends in limits for m in "XO"]
    for (numbers, ends, mark), found in zip(asked, run(SCALE, asked), strict=True):
        tone = tones(tuple(ends), mark)
        for number, (good, share) in zip(numbers, found, strict=True):
            right, how_much = tone(number)
            assert np.isclose(share, how_much)
            assert good == right or share == 0


@pytest.mark.slow
def test_cell_colour_and_ring_follow_wins_minus_losses(run, shared):
    found = run(CELLS, shared | {"positions": [0, 1, 22, 361, 1000, 3000]})
    assert {each["overlay"] for each in found} == set(board.OVERLAYS) - {"none"}
    worths = {}
    for cell in found:
        value, (low, high) = cell["value"], cell["limits"]
        worth = value[0] - value[2] if isinstance(value, list) else value
        assert low - 1e-9 <= worth <= high + 1e-9
        more = worth - (0 if low < 0 < high else low)
        if abs(more) > 1e-9:
            other = {"X": "O", "O": "X"}[cell["mark"]]
            assert cell["good"] == (cell["mark"] if more > 0 else other)
        worths.setdefault((cell["overlay"], cell["s"]), []).append(
            (worth, cell["best"])
        )
    for cells in worths.values():
        most = max(worth for worth, _ in cells)
        best = [worth > most - 1e-9 for worth, _ in cells]
        assert [ring for _, ring in cells] == [x and not all(best) for x in best]
