/** Which function ran when: of trials that were profiled, for their flame graphs and tables. */

/** A node of a flame graph, in the short names that its library reads. */
export interface FlameNode {
  /** Name of the function: the page's, and hostile. */
  readonly n: string;
  /** Milliseconds in it and in what it called; of two sides their mean. */
  readonly v: number;
  /** Of two sides: how much longer the later one takes. */
  readonly d?: number;
  /** Where the function is; empty for work of the browser. */
  readonly l: string;
  /** The kind of work. */
  readonly k: string;
  readonly c: readonly FlameNode[];
}

export type ThreadRole = 'main' | 'worker' | 'helper';

/** A flame graph. */
export interface FlameThread {
  readonly title: string;
  readonly role: ThreadRole;
  /** The number of operations in its milliseconds. */
  readonly operations: number;
  readonly flame: FlameNode;
}

/** A function, or a kind of work of the browser, as one reads it. */
export interface ShownFunction {
  /** The page's: hostile until it is escaped. */
  readonly name: string;
  readonly source: string;
  /** From 1 on; null where it is not known. */
  readonly line: number | null;
  /** Source and line; empty for work of the browser. */
  readonly place: string;
  readonly category: string;
}

/** Milliseconds of one operation. */
export interface FunctionMs {
  readonly selfMs: number;
  /** With all that it called. */
  readonly totalMs: number;
}

export interface BusyFunction extends ShownFunction, FunctionMs {
  /** Of the busy time of all threads of the page, 0–1. */
  readonly share: number;
}

/** As the later side has it, where it is there. */
export interface ChangedFunction extends ShownFunction {
  /** Null where no profile of the side has it. */
  readonly before: FunctionMs | null;
  readonly after: FunctionMs | null;
  /** Of its self time. */
  readonly changeMs: number;
}

export interface ProfileTable {
  /** Device, case and block. */
  readonly title: string;
  readonly operations: number;
  readonly intervalMs: number;
  readonly thinnedBy: number;
  readonly notes: readonly string[];
  /** Facts that the engine gives about the code that ran, in sentences. */
  readonly evidence: readonly string[];
  /** Those with the longest self time first. */
  readonly functions: readonly BusyFunction[];
}

export interface DifferenceTable {
  readonly title: string;
  readonly before: string;
  readonly after: string;
  /** Profiles of each side. */
  readonly profiles: readonly [number, number];
  /** Facts that the engine gives about the code of each side, in sentences. */
  readonly evidence: readonly string[];
  /** The largest change first; threads of the browser's own left out, and idle time. */
  readonly functions: readonly ChangedFunction[];
}

/** Profiles of a run, for a page. */
export interface ProfileFindings {
  readonly threads: readonly FlameThread[];
  /** The graph that is seen first. */
  readonly first: number;
  readonly differences: readonly DifferenceTable[];
  readonly profiles: readonly ProfileTable[];
}
