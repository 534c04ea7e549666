import { InvalidArgumentError } from 'commander';
import { anomalyQuestion, isFinding, type Finding } from '../analysis/anomaly.ts';
import { FarmError } from '../errors.ts';
import type { Presence, Target } from '../model/device.ts';
import type { Decision } from '../analysis/stats/verdict.ts';
import { openStore } from '../store/store.ts';

/** What an anomaly is, in one line. */
export function parseSentence(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line === '' || line.length > 300) {
    throw new InvalidArgumentError('It must say what it is, in 1 to 300 characters.');
  }
  return line;
}

export interface Saving extends Omit<Finding, 'decision'> {
  /** Null when there was none. */
  readonly decision: Decision | null;
  readonly presences: readonly Presence[];
  readonly database: string;
}

/** Keeps a comparison's finding as an anomaly, and gives its id; null when nothing was found. */
export async function saveAnomaly(saving: Saving): Promise<string | null> {
  const { decision, presences, database, pair, run, sentence, measurement } = saving;
  if (decision === null || !isFinding(decision)) return null;
  const store = await openStore(database);
  try {
    return await store.saveAnomaly({
      run,
      sentence,
      question: anomalyQuestion({ pair, decision, run, sentence, measurement }),
      targets: presences.flatMap(targetOf),
      createdAt: new Date().toISOString(),
    });
  } finally {
    await store.close();
  }
}

/** What is said when there was nothing to save, after the comparison itself was told. */
export function nothingToSave(decision: Decision | null): FarmError {
  return new FarmError('bad-argument', {
    what: `Nothing was saved: the verdict is ${decision?.verdict ?? 'undecided'}, and only "faster" or "slower" is a finding.`,
    next: 'Run more blocks (--max-blocks), or leave --save out.',
  });
}

function targetOf(presence: Presence): readonly Target[] {
  return presence.status === 'found' ? [presence.target] : [];
}
