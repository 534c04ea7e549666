import { FarmError } from '../../errors.ts';
import type { Run } from '../../model/run.ts';
import { requireConsent } from '../../setup/consent.ts';
import type { Store } from '../../store/store.ts';
import { addedContinuation, type AskedContinuation, type Continuation } from '../extensions.ts';
import { readRecord, withStore } from '../records.ts';
import { npxCrossfarm } from '../../model/typed-command.ts';

export interface FoundContinuation extends Continuation {
  readonly run: number;
}

/** Older runs are continued by their number: looking at each takes time. */
const runsLookedAt = 20;

/**
 * Finds what can be continued: a run that is named, or the newest that has something open.
 * @throws FarmError `bad-argument` where nothing is; `unknown-run`; ConsentError
 */
export async function findContinuation(
  which: number | 'latest' | null,
  database: string,
): Promise<FoundContinuation> {
  const named = (await readRecord(which ?? 'latest', database)).run;
  const found = await withStore(database, async (store) => {
    const runs = which === null ? (await store.listRuns()).slice(0, runsLookedAt) : [named];
    const isNamed = which !== null;
    for (const run of runs) {
      const one = await continuationFor(run, store, { isNamed });
      const isAside = !isNamed && one?.onlyNamed === true;
      if (one !== null && !isAside) return { ...one, run: run.id };
    }
    return null;
  });
  if (found === null) throw nothingOpen(which === null ? null : named);
  const leads = found.args.filter((arg) => leadsAway.test(arg));
  if (leads.length > 0)
    requireConsent(database, [`a run in it continues with ${leads.join(', ')}`]);
  return found;
}

/** Options of a stored command that lead to other files, or run programs. */
const leadsAway = /^--(?:inventory|pages|backup|build|input)$/;

async function continuationFor(
  run: Run,
  store: Store,
  asked: AskedContinuation,
): Promise<Continuation | null> {
  const added = await addedContinuation(run, store, asked);
  if (added !== null || run.status === 'finished') return added;
  const setting = await store.readSetting(run.id);
  if (setting === null || setting.document.endsEarly) return null;
  return { what: 'an interrupted run', args: ['resume', String(run.id)], takes: ['--take-over'] };
}

function nothingOpen(run: Run | null): FarmError {
  if (run === null) {
    return new FarmError('bad-argument', {
      what: `Nothing to continue: of the newest ${String(runsLookedAt)} runs none is interrupted or undecided.`,
      next: `${npxCrossfarm} db lists the stored runs.`,
    });
  }
  const why =
    run.status === 'finished'
      ? 'it is finished, and nothing of it that can be continued is undecided'
      : 'it was imported, or plans its blocks for itself';
  return new FarmError('bad-argument', {
    what: `Run ${String(run.id)} has nothing to continue: ${why}.`,
    next: `Measure it again: ${run.command}`,
  });
}
