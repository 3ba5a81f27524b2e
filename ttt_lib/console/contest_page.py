"""The HTML page of a contest: one file without network access or scripts."""

from html import escape

import numpy as np

from ttt_lib import theme
from ttt_lib.console.screen import decimal

STYLE = """
body { background: var(--ttt-paper); color: var(--ttt-ink); margin: 2rem auto;
  max-width: 70rem; padding: 0 1rem; font-family: var(--ttt-prose-type);
  line-height: 1.5; }
h1, h2 { font-family: var(--ttt-title-type); line-height: 1.2; }
p { max-width: var(--ttt-prose); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { padding: .3rem .5rem; text-align: right; white-space: nowrap;
  border-bottom: 1px solid var(--ttt-edge); }
th:first-child, .name { text-align: left; }
.cross td { border: 1px solid var(--ttt-paper); font-size: var(--ttt-small); }
.cross tbody th { position: sticky; left: 0; background: var(--ttt-paper); }
.board { display: inline-grid; grid-template-columns: repeat(3, 2.2rem); gap: 3px; }
.board span { background: var(--ttt-surface); height: 2.2rem; line-height: 2.2rem;
  text-align: center; border-radius: 5px; }
.board .x { color: var(--ttt-x); font-weight: bold; }
.board .o { color: var(--ttt-o); font-weight: bold; }
.board .made { outline: 3px solid var(--ttt-warning); outline-offset: -3px; }
.board .right { outline: 3px dashed var(--ttt-good); outline-offset: -3px; }
.mistakes { display: grid; gap: 1.5rem;
  grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); }
.mistakes article { break-inside: avoid; }
"""
RULE = """Every agent has played every other agent, as first and as second player, and
every number is exact: no game was sampled. The value of a match is the share of wins
minus the share of losses, from −1 to 1. The <em>total</em> adds up the values of all
matches of an agent. Ties are broken by the sum of its two worst cases, the values
against the opponent that does best against it; agents that are still equal share a
rank."""
ENDS = {1: "a win", 0: "a draw", -1: "a loss"}


def page(game, title, ranked, names, table, faults):
    """Return the page as HTML, of Standings and the cross table of names."""
    order = [names.index(one.name) for one in ranked]
    value = (table[..., 0] - table[..., 2])[np.ix_(order, order)]
    parts = [
        f"<h1>{escape(title)}</h1><p>{RULE}</p>",
        f"<h2>Standings</h2>{_standings(ranked)}",
        "<h2>All matches</h2><p>Each row is a first player, each column a second. A "
        "number is the value of the match for the first player, positive if it wins "
        "more often than it loses.</p>",
        _cross(ranked, value),
        "<h2>Most expensive mistakes</h2><p>For each agent, the move that costs it "
        "most on a board that an opponent can bring about. The cost is the value that "
        "is lost, times the probability of the move. A solid frame marks this move, a "
        "dashed frame the moves that keep the value.</p>",
        f'<div class="mistakes">{"".join(_mistake(game, one) for one in ranked)}</div>',
    ]
    if faults:
        rows = "".join(
            f"<li><strong>{escape(fault.file)}</strong>: {escape(fault.why)}</li>"
            for fault in faults
        )
        parts.append(f"<h2>Files that did not take part</h2><ul>{rows}</ul>")
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{theme.css()}{STYLE}</style></head>"
        f"<body><main>{''.join(parts)}</main></body></html>\n"
    )


def _standings(ranked):
    heads = "agent", "rank", "total", "worst case as first", "as second"
    rows = [
        f'<tr><th scope="row" class="name">{escape(one.name)}</th><td>{one.rank}</td>'
        f"<td>{_signed(one.total)}</td>"
        + "".join(f"<td>{_signed(worst)}</td>" for worst in one.worst)
        + "</tr>"
        for one in ranked
    ]
    head = "".join(f'<th scope="col">{head}</th>' for head in heads)
    return _table("standings", head, rows)


def _cross(ranked, value):
    numbers = "".join(
        f'<th scope="col" title="{escape(one.name, quote=True)}">{number}</th>'
        for number, one in enumerate(ranked, start=1)
    )
    rows = []
    for i, one in enumerate(ranked):
        cells = "".join(
            "<td>–</td>" if i == j else f"<td{_tint(v)}>{_signed(v)}</td>"
            for j, v in enumerate(value[i].tolist())
        )
        name = f"{i + 1}. {escape(one.name)}"
        rows.append(f'<tr><th scope="row" class="name">{name}</th>{cells}</tr>')
    return _table("cross", f'<th scope="col">first \\ second</th>{numbers}', rows)


def _table(kind, head, rows):
    body = f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody>"
    label = f'role="region" aria-label="{kind}" tabindex="0"'
    return f'<div class="scroll" {label}><table class="{kind}">{body}</table></div>'


def _tint(value):
    """Return the background colour of a value, which repeats its sign."""
    if abs(value) < 0.005:
        return ""
    share, colour = round(45 * abs(value)), "x" if value > 0 else "o"
    mix = f"color-mix(in srgb, var(--ttt-{colour}) {share}%, var(--ttt-paper))"
    return f' style="background: {mix}"'


def _signed(value):
    text = decimal(value, 2)
    return text if text.startswith("−") or not float(text) else f"+{text}"


def _mistake(game, one):
    name = escape(one.name)
    if one.mistake is None:
        return f"<article><h3>{name}</h3><p>It makes no mistake.</p></article>"
    s, move, chance, right, before, after = one.mistake
    cells = []
    for a, mark in enumerate(game.string(s)):
        kind = {"X": "x", "O": "o", ".": ""}[mark]
        kind += " made" * (a == move) + " right" * (a in right)
        text = mark if mark != "." else a
        cells.append(f'<span class="{kind.strip()}">{text}</span>')
    mover = "X" if game.to_move[s] == 1 else "O"
    often = "" if chance > 1 - 1e-9 else f" in {100 * chance:.0f} % of games there"
    text = f"{mover} takes cell {move}{often}: {ENDS[before]} becomes {ENDS[after]}."
    return (
        f'<article><h3>{name}</h3><div class="board" aria-hidden="true">'
        f"{''.join(cells)}</div><p>{text} Right: {', '.join(map(str, right))}. "
        f"<small>{game.string(s)}</small></p></article>"
    )
