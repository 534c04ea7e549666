import type { Findings } from '../findings.ts';
import type { AskedFacts, AssertionFacts, CounterfactualFacts, PartVerdict } from './claims.ts';

/** What `farm reproduce` found for one claim or anomaly. */
export interface EvidenceFindings extends Omit<AskedFacts, 'sentence'> {
  /** Of the run that was made for it: targets, rows, CPU, environment, method, raw data. Null when nothing was run. */
  readonly findings: Findings | null;
  /** ISO 8601. */
  readonly writtenAt: string;
  readonly farmVersion: string;
  readonly claim: {
    readonly id: string;
    readonly sentence: string;
    readonly source: string;
    readonly published: string;
  };
  /** Whether the effect goes the way that was published, and whether it is as large; null when nothing was run. */
  readonly directionVerdict: PartVerdict | null;
  readonly sizeVerdict: PartVerdict | null;
  /** Each in one sentence. */
  readonly direction: string;
  readonly size: string;
  /** Null when nothing is open, or when that cannot be foreseen. */
  readonly moreBlocks: number | null;
  readonly reason: string;
  readonly assertions: readonly AssertionFacts[];
  readonly counterfactuals: readonly CounterfactualFacts[];
  /** What the claim does not say and the farm saw: `no JavaScript ran in parallel`, with its numbers. */
  readonly explanations: readonly string[];
  /** What a reader must know: a stand-in browser, a smaller n than published. */
  readonly notes: readonly string[];
  /** Of every interval, at every look: 0.95. */
  readonly confidence: number;
  readonly command: string;
}
