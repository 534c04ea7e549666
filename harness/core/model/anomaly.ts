import type { Target } from './device.ts';
import type { Question } from './question.ts';

/**
 * State of an anomaly: `untriaged` since it was found; `reproduced`, `not-reproduced` and
 * `inconclusive` by its newest reproduction; `ignored` by a person; `closed` by a
 * person, or by a night that saw its effect gone.
 */
export type AnomalyState =
  'untriaged' | 'reproduced' | 'not-reproduced' | 'inconclusive' | 'ignored' | 'closed';

export const anomalyStates: readonly AnomalyState[] = [
  'untriaged',
  'reproduced',
  'not-reproduced',
  'inconclusive',
  'ignored',
  'closed',
];

/** A finding of ours, before it has a number. */
export interface AnomalyFacts {
  /** Run that it was found in. */
  readonly run: number;
  /** Description, in the words with which it was saved. */
  readonly sentence: string;
  /** As it will be asked again; id and title come with the anomaly's number. */
  readonly question: Omit<Question, 'id' | 'title'>;
  /** Devices of both sides, with the exact builds. */
  readonly targets: readonly Target[];
  /** ISO 8601, UTC. */
  readonly createdAt: string;
}

/** A confirmed, relevant finding of ours. */
export interface Anomaly extends Omit<AnomalyFacts, 'run' | 'question'> {
  /** N1, N2, … never given twice. */
  readonly id: string;
  /** Null when the run has been pruned. */
  readonly run: number | null;
  readonly question: Question;
  readonly state: AnomalyState;
  /** Why it is in that state; null as long as it is untriaged. */
  readonly reason: string | null;
  readonly changedAt: string;
}

/** The id of a number: N1. */
export function anomalyId(number: number): string {
  return `N${String(number)}`;
}

/** The number of an id; null for any other text. */
export function anomalyNumber(id: string): number | null {
  const [, digits] = /^N([1-9]\d{0,14})$/i.exec(id) ?? [];
  return digits === undefined ? null : Number(digits);
}
