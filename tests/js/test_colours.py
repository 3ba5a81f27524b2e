"""Colours on a board's cells: they say for whom a number is good, and how much."""

import numpy as np
import pytest

from ttt_lib import board
from ttt_lib.plots.tiles import tones

# The tones of numbers by the script of the board, never stretched.
SCALE = """async ({ numbers, limits, mark }) => {
  const { tone } = ttt.colours.scale(numbers, limits, mark, true);
  return numbers.map((x) => [tone(x).mark, tone(x).share]);
}"""
# Each coloured cell of some positions: [overlay, position, cell, numbers, tone, mover].
CELLS = """async ({ shared, agents, positions }) => {
  const { registry } = ttt.agents;
  registry.packed = shared;
  const play = new ttt.play.Play({
    get: (name) => ({ _setup: { x: "q-learning", o: "q-learning" } })[name],
    set() {}, save_changes() {}, fetch: (key) => agents[key],
  });
  await play.load();
  await play.start();
  const found = [];
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
        const { mark: good, share } = tone(ttt.overlays.worth(value));
        const best = ring.includes(cell);
        found.push({ overlay, s, cell, value, good, share, mark, limits, best });
      });
    }
  }
  return found;
}"""


@pytest.mark.parametrize("mark", ["X", "O"])
@pytest.mark.parametrize("limits", [[-1, 1], [0, 1], [-2, 3], [-3, -1], [0.5, 2]])
def test_a_board_s_colours_are_those_of_the_figures(mark, limits, run):
    numbers = np.linspace(*limits, 9).tolist()
    found = run(SCALE, {"numbers": numbers, "limits": limits, "mark": mark})
    tone = tones(tuple(limits), mark)
    for number, (good, share) in zip(numbers, found, strict=True):
        right, how_much = tone(number)
        assert np.isclose(share, how_much)
        assert good == right or share == 0


def test_a_cell_has_the_colour_of_whom_its_wins_minus_losses_favour(run, shared):
    """Asked of each overlay; X moves first, so the position says who moves."""
    positions = [0, 1, 5, 22, 200, 361, 1000, 2000, 3000]
    found = run(CELLS, shared | {"positions": positions})
    assert {each["overlay"] for each in found} == set(board.OVERLAYS) - {"none"}
    for cell in found:
        value, (low, high) = cell["value"], cell["limits"]
        worth = value[0] - value[2] if isinstance(value, list) else value
        neutral = 0 if low < 0 < high else low
        other = {"X": "O", "O": "X"}[cell["mark"]]
        if abs(worth - neutral) > 1e-9:
            assert cell["good"] == (cell["mark"] if worth > neutral else other)
            end = high if worth > neutral else low
            share = min((worth - neutral) / (end - neutral), 1)
            assert np.isclose(cell["share"], share)


def test_the_ring_is_around_the_cells_whose_wins_minus_losses_are_largest(run, shared):
    found = run(CELLS, shared | {"positions": [0, 1, 5, 22, 200, 361]})
    boards = {(each["overlay"], each["s"]) for each in found}
    for overlay, s in boards:
        cells = [e for e in found if (e["overlay"], e["s"]) == (overlay, s)]
        values = [e["value"] for e in cells]
        worths = [v[0] - v[2] if isinstance(v, list) else v for v in values]
        largest = [worth > max(worths) - 1e-9 for worth in worths]
        right = [each and not all(largest) for each in largest]
        assert [e["best"] for e in cells] == right
