import type { Choices } from '../../plan/catalog/expansion.ts';
import type { MeasuringOptions } from '../run/execute-plan.ts';

/** Ids of two devices, which may be the same. */
export interface Sides {
  readonly a: string;
  readonly b: string;
}

export interface CompareOptions extends MeasuringOptions {
  /** The devices file. */
  readonly inventory: string;
  readonly bench: string;
  readonly param: Choices;
  readonly aParam: Choices;
  readonly bParam: Choices;
  readonly aBench?: string;
  readonly bBench?: string;
  readonly aFlag: readonly string[];
  readonly bFlag: readonly string[];
  readonly aExecutable?: string;
  readonly bExecutable?: string;
  readonly aDriver?: string;
  readonly bDriver?: string;
  /** Both sides on so many cores. */
  readonly cores?: number;
  readonly aCores?: number;
  readonly bCores?: number;
  /** A share: a smaller difference does not matter. */
  readonly margin: number;
  readonly maxBlocks: number;
  /** Milliseconds. */
  readonly budget?: number;
  /** Whether a quarantined trial is done once more. */
  readonly repeat: boolean;
  readonly seed?: number;
  /** Sentence about the finding, to save it as an anomaly. */
  readonly save?: string;
}
