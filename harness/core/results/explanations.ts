/** How the browsers themselves explain the differences between versions: a part of the contract in `index.ts`. */

/** A measure of a version in one browser, compared with the first version. */
export interface ExplainedMeasure {
  readonly targetId: string;
  /** Of the version, and of the first one. */
  readonly caseName: string;
  readonly against: string;
  readonly metric: string;
  /** In their order; together they are the measure. None where the browser does not give them. */
  readonly parts: readonly ExplainedPartChange[];
  /** In common; no part is settled with fewer than `fewestBlocks`. */
  readonly blocks: number;
  readonly fewestBlocks: number;
  readonly before: MeasureEvidence;
  readonly after: MeasureEvidence;
  /** Why there are no parts, or no frames: half sentences. */
  readonly lacks: readonly string[];
}

/** A part of a measure, in milliseconds. */
export interface ExplainedPartChange {
  readonly name: string;
  readonly title: string;
  /** The typical value of the first version, and with the change that of the other one. */
  readonly beforeMs: number;
  readonly afterMs: number;
  readonly changeMs: number;
  /** Null where nothing is settled. */
  readonly low: number | null;
  readonly high: number | null;
  readonly isSettled: boolean;
}

/** Facts that the browser gave in the trials of one version. Every text may come from a page: hostile. */
export interface MeasureEvidence {
  /** Of most trials: the largest element, or the one that took the input. */
  readonly element: string | null;
  readonly resource: string | null;
  readonly event: string | null;
  readonly frame: FrameEvidence | null;
}

/** The longest animation frame meanwhile: typical values of the trials with a long one. */
export interface FrameEvidence {
  readonly ms: number;
  readonly blockedMs: number;
  readonly trials: number;
  readonly of: number;
  /** Those that took most time in all trials together. */
  readonly scripts: readonly ScriptEvidence[];
}

export interface ScriptEvidence {
  /** Such as `update (app.js:120)`. */
  readonly name: string;
  readonly invoker: string | null;
  readonly ms: number;
  /** Style and layout that it forced. */
  readonly layoutMs: number;
  readonly trials: number;
}
