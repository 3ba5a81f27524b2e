// Types shared by the scripts, for `make js`; not shipped.

/** The tables of the game, made by `game.js`. */
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
  /** By name: random, perfect and perfect lowest. */
  policies?: Record<string, Float64Array>;
  /** The best policy against random moves. */
  best?: Float64Array;
  /** Win, draw and loss against random moves, computed on demand. */
  chances?: Record<string, Float64Array[]>;
}

/** A player that can be chosen. */
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

/** A player at a board; the agent is null for a person. */
interface Seat {
  who: string;
  level: number;
  frame: number | null;
  agent: Agent | null;
}

/** The traits that a board shares with Python. */
interface Traits {
  _game: { game: number; first: string; start: string; counted: boolean };
  history: number[];
  position: string;
  shown: number;
  score: { X: number; draw: number; O: number };
  numbers: string;
  agents: Record<string, string>;
}

/** The content of a grid, an argument of `Grid.draw`. */
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

/** A setting of a lab, described in `lab.js`. */
interface Setting {
  label: string;
  options?: [value: string, text: string][];
  read?(text: string, lab: object): string;
  suggestions?: string[];
  names?: Record<string, string>;
  says?: string;
  view?: boolean;
  when?(texts: Record<string, string>): boolean;
}

/** The run of a lab, described in `lab.js`; each kind of lab adds fields. */
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

/** A learner of `learning.js`. */
interface Learner {
  method: { code: number | null; learns: "Q" | "V"; is_prediction: boolean; [own: string]: any };
  table: Float64Array;
  games: number;
  [own: string]: any;
}

/** The texts that the search of the site searches. */
declare var SEARCH_TEXTS: any[];
declare var MiniSearch: any;

/** What the book keeps in a browser: `store.js` of the site. */
declare var bookStore: any;

/** The lab, board or ladder in an element, for tests and the console. */
interface Element {
  tttLab?: any;
  tttPlay?: any;
  tttLadder?: any;
}
