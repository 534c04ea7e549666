import type { RunRecord } from '../model/run.ts';
import type { BuildOfNight } from './nights/night-document.ts';
import { keepBuilds } from '../setup/kept-builds.ts';
import { keptFolder } from './remeasure.ts';

interface Keeping {
  readonly database: string;
  /** What all copies together may take, in bytes. */
  readonly keepBuilds: number;
}

/** Copies of the builds that a night measured, each version once; and why there is none of one. */
export async function keepNightBuilds(
  { presences }: Pick<RunRecord, 'presences'>,
  { database, keepBuilds: budgetBytes }: Keeping,
): Promise<readonly BuildOfNight[]> {
  const targets = presences.flatMap((one) => (one.status === 'found' ? [one.target] : []));
  const now = new Date().toISOString();
  const answers = await keepBuilds(targets, { folder: keptFolder(database), budgetBytes, now });
  const all = answers.map((answer, index): BuildOfNight => {
    const { name: browser = '', version = '' } = targets[index]?.browser ?? {};
    const because = answer.kind === 'kept' ? null : answer.because;
    return { browser, version, kept: because === null, because };
  });
  return onceEach(all);
}

/** One build may be there twice, here and elsewhere, and be kept of one place alone. */
function onceEach(all: readonly BuildOfNight[]): readonly BuildOfNight[] {
  const keptFirst = all.toSorted((one, other) => Number(other.kept) - Number(one.kept));
  const isFirst = ({ browser, version }: BuildOfNight, index: number): boolean =>
    keptFirst.findIndex((one) => one.browser === browser && one.version === version) === index;
  return keptFirst.filter(isFirst);
}
