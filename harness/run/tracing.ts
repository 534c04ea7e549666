import type { Job } from '../model/plan.ts';
import {
  discardTrace,
  isOrdered,
  orderTrace,
  takeTrace,
  type TraceCircumstances,
} from '../probes/trace.ts';
import type { AttemptOutcome } from './attempt.ts';

export interface TracingSetting extends TraceCircumstances {
  /** Ends the trial's session, which is when its browser writes. */
  readonly endSession: () => Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * One attempt in a browser that traces itself, with the trace, or why there is none, among its
 * readings. An attempt that fails leaves no trace: its outcome is what there is to know of it.
 */
export async function traceTrial(
  job: Job,
  attempt: (trace?: string) => Promise<AttemptOutcome>,
  setting: TracingSetting,
): Promise<AttemptOutcome> {
  const order = await orderTrace(job, setting);
  if (!isOrdered(order)) return withReading(await attempt(), order);
  try {
    const outcome = await attempt(order.written);
    await setting.endSession();
    if (outcome.kind !== 'completed') return outcome;
    return withReading(outcome, await takeTrace(order, setting.signal));
  } finally {
    // Only a browser that has ended writes no more.
    await setting.endSession();
    await discardTrace(order);
  }
}

function withReading(
  outcome: AttemptOutcome,
  reading: Extract<AttemptOutcome, { kind: 'completed' }>['readings'][number],
): AttemptOutcome {
  if (outcome.kind !== 'completed') return outcome;
  return { ...outcome, readings: [...outcome.readings, reading] };
}
