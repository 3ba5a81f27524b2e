// What the scripts hand to each other; `make js` reads it, and nothing of it ships.

/** The tables of the game, as `game.js` makes them. */
interface Game {
  rows: number;
  columns: number;
  cells: number;
  lines: number[][];
  size: number;
  index: Map<number, number>;
  board(s: number): number[];
  toMove: Int8Array;
  outcome: ArrayLike<number>;
  first: Int32Array;
  action: Uint8Array;
  successor: Uint16Array;
  q: Float64Array;
  /** By name; random, perfect and perfect lowest. */
  policies?: Record<string, Float64Array>;
  /** The best policy against random moves. */
  best?: Float64Array;
  /** Win, draw and loss against random moves, once they are asked for. */
  chances?: Record<string, Float64Array[]>;
}

/** Who can play, as it is listed. */
interface Entry {
  name: string;
  label: string;
  group: string;
  made?: string;
  frames?: string[] | null;
  files?: string[];
  slider?: string;
  aside?: boolean;
}

/** An entry with its tables. */
interface Agent extends Entry {
  policy: Float64Array;
  q: Float64Array | null;
  side: number;
  taught?: number;
  greedy: boolean;
  limits?: [number, number];
}

/** Who sits at a board; the agent is null for a person. */
interface Seat {
  who: string;
  level: number;
  frame: number | null;
  agent: Agent | null;
}

/** What a board shares with Python. */
interface Traits {
  _game: { game: number; first: string; start: string; counted: boolean };
  history: number[];
  position: string;
  shown: number;
  score: { X: number; draw: number; O: number };
  numbers: string;
  agents: Record<string, string>;
}

/** What stands on a board, an argument of `Grid.draw`. */
interface Shown {
  marks: (string | null)[];
  lines?: number[][];
  values?: (number | number[] | null)[] | null;
  exact?: boolean;
  limits?: number[];
  still?: boolean;
  mark?: string | null;
  ring?: boolean;
  last?: number | null;
  explored?: boolean;
  taken?(cell: number): boolean;
  ghost?: string;
}

/** A setting of a lab, as `lab.js` explains it. */
interface Setting {
  label: string;
  options?: [value: string, text: string][];
  read?(text: string, lab: object): string;
  known?: string[];
  says?: string;
  view?: boolean;
  when?(texts: Record<string, string>): boolean;
}

/** What every lab runs, as `lab.js` explains it; a kind of lab adds what it likes. */
interface Run {
  first: string;
  mark: string;
  end: boolean;
  next: string;
  goal(): string;
  work(mark: string, ms: number): boolean | Promise<boolean>;
  readMark(text: string): string;
  follow?(run: Run, name?: string): void;
  ends?: string;
  description(): string;
  python(): string;
  [own: string]: any;
}

/** A learner in the library's words (`learning.js`). */
interface Learner {
  method: { code: number | null; learns: "Q" | "V"; is_prediction: boolean; [own: string]: any };
  table: Float64Array;
  games: number;
  [own: string]: any;
}

/** What the search of the site searches in. */
declare var SEARCH_TEXTS: any[];
declare var MiniSearch: any;

/** A lab or a board that stands in an element: for tests, and for the curious. */
interface Element {
  tttLab?: any;
  tttPlay?: any;
}
