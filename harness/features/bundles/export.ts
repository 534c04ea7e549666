import { FarmError } from '../../core/errors.ts';
import type { RunRecord } from '../../core/model/run.ts';
import { withoutSecrets } from './bundle/redaction.ts';
import { readRecord, withStore } from '../../core/app/records.ts';

export const exportFormats = [
  ...(['csv', 'json', 'junit', 'perfherder', 'bencher'] as const),
  ...(['customSmallerIsBetter', 'customBiggerIsBetter', 'prometheus'] as const),
] as const;

export type ExportFormat = (typeof exportFormats)[number];

export interface ExportOptions {
  readonly database: string;
  readonly format: ExportFormat;
  /** Number of a trial: only those stored after it; all when left out. For JSON alone. */
  readonly since?: number;
}

/** Renders a stored run in a format of other programs, without what may be a secret. @throws FarmError `unknown-run`. */
export async function exportRun(
  which: number | 'latest',
  { database, format, since }: ExportOptions,
): Promise<{ readonly run: number; readonly text: string }> {
  if (since !== undefined) return exportNewTrials(which, { database, format, since });
  const record = withoutSecrets(await readRecord(which, database));
  return { run: record.run.id, text: await writers[format](record, database) };
}

/**
 * Renders a run with the trials that were stored after one, and gives the newest of them: what
 * follows a run that goes on asks for it again and again.
 */
async function exportNewTrials(
  which: number | 'latest',
  { database, format, since }: Required<ExportOptions>,
): Promise<{ readonly run: number; readonly text: string }> {
  if (format !== 'json' || which === 'latest') {
    throw new FarmError('bad-argument', {
      what: '--since takes the number of a run, and is for JSON alone.',
      next: 'Leave it out: the whole run is written.',
    });
  }
  const { packRun } = await import('./exchange/pack.ts');
  const found = await withStore(database, (store) => store.readNewTrials(which, since));
  const record = found?.record ?? (await readRecord(which, database));
  const identity = await identityOf(which, database);
  const document = packRun(withoutSecrets(record), identity);
  return { run: which, text: `${JSON.stringify({ ...document, newest: found?.newest ?? 0 })}\n` };
}

type Writer = (record: RunRecord, database: string) => Promise<string>;

const writers: Readonly<Record<ExportFormat, Writer>> = {
  csv: async (record) => (await import('./exchange/cells.ts')).renderCells(record),
  junit: async (record) => (await import('./exchange/junit.ts')).renderJunit(record),
  perfherder: async (record) => {
    const { perfherderData } = await import('./exchange/perfherder.ts');
    return indented(perfherderData(record));
  },
  bencher: async (record) => {
    const { bencherMetrics } = await import('./exchange/trackers.ts');
    return indented(bencherMetrics(record));
  },
  customSmallerIsBetter: async (record) => {
    const { actionBenchmarks } = await import('./exchange/trackers.ts');
    return indented(actionBenchmarks(record, 'lower'));
  },
  customBiggerIsBetter: async (record) => {
    const { actionBenchmarks } = await import('./exchange/trackers.ts');
    return indented(actionBenchmarks(record, 'higher'));
  },
  prometheus: async (record) => (await import('./exchange/trackers.ts')).prometheusText(record),
  json: async (record, database) => {
    const { packRun } = await import('./exchange/pack.ts');
    const identity = await identityOf(record.run.id, database);
    return `${JSON.stringify(packRun(record, identity))}\n`;
  },
};

function indented(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

async function identityOf(run: number, database: string): Promise<string> {
  return withStore(database, async (store) => {
    return await store.readIdentity(run);
  });
}
