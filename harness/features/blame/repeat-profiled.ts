import { splitWords } from '../../core/app/run/repeat-command.ts';
import { readRecord } from '../../core/app/records.ts';
import type { CallCommand } from '../../core/cli/io.ts';
import { FarmError } from '../../core/errors.ts';
import type { Metric } from '../../core/model/case.ts';
import type { Presence } from '../../core/model/device.ts';
import { measureNames } from '../../core/model/measures.ts';
import type { RunRecord } from '../../core/model/run.ts';
import { findEngine } from '../../core/probes/processes.ts';

export interface ProfiledRepeat {
  /** The comparison that is measured again. */
  readonly record: RunRecord;
  readonly browser: string;
  readonly metric: Metric;
  readonly blocks: number;
  readonly database: string;
}

interface Caller {
  readonly callCommand: CallCommand;
  readonly signal: AbortSignal;
  readonly say: (sentence: string) => void;
}

/** Options of the stored command that are not repeated, with their values. */
const notRepeated: ReadonlySet<string> = new Set([
  ...['--browsers', '--seed', '--margin', '--max-blocks', '--probe', '--fail-on', '--precision'],
  ...['--budget', '--measurement', '--measure'],
]);

/** The same for those without a value. */
const switches: ReadonlySet<string> = new Set(['--no-probes', '--no-repeat', '--shared-browser']);

/** Wants a smaller interval than there is, so that no block is left out. */
const neverPrecise = '0.0001';

/**
 * Measures a comparison of versions again in one browser, with a profiler. Pages whose measure is known by
 * name are measured as quickly as in a smoke test: an order drawn at random, and not a quiet machine, makes
 * the comparison fair.
 * @throws FarmError `bad-argument` for a comparison that cannot be made again
 */
export async function repeatProfiled(repeat: ProfiledRepeat, caller: Caller): Promise<RunRecord> {
  const { record, database } = repeat;
  const quick = await tryRepeat(repeat, { ...caller, isQuick: true });
  // A page that goes on late is looked at for longer.
  const run = quick.run ?? (await tryRepeat(repeat, { ...caller, isQuick: false })).run;
  if (run === null) throw notRepeatable(record.run.id, quick.why);
  return readRecord(run, database);
}

async function tryRepeat(
  { record, browser, metric, blocks, database }: ProfiledRepeat,
  { callCommand, signal, say, isQuick }: Caller & { readonly isQuick: boolean },
): Promise<{ readonly run: number | null; readonly why: string }> {
  const { run, presences } = record;
  const words = splitWords(run.command);
  const at = words.indexOf('compare');
  if (at === -1) return { run: null, why: `it was made by ${run.command.slice(0, 200)}` };
  const measures = chooseMeasures(words, metric);
  const { document, text, exitCode } = await callCommand(
    [
      ...withoutOptions(words.slice(at)),
      ...measures.flatMap((one) => ['--measure', one]),
      ...['--browsers', browser, '--database', database, '--max-blocks', String(blocks)],
      ...['--probe', 'profile', '--precision', neverPrecise, '--no-repeat', '--no-report'],
      ...(isShareable(presences.find(({ device }) => device.id === browser))
        ? ['--shared-browser']
        : []),
      ...(measures.includes('cpu') ? [] : ['--no-probes']),
      ...(isQuick && measures.length > 0 ? ['--measurement', 'fast'] : []),
      '--json',
    ],
    { signal, onLine: say },
  );
  const made = (document as { readonly run?: unknown } | null)?.run;
  const why = text.split('\n').at(-1) ?? '';
  return typeof made === 'number'
    ? { run: made, why }
    : { run: null, why: why === '' ? `exit code ${String(exitCode)}` : why };
}

/** The words without options that are not repeated; each option and its value is a word of its own. */
function withoutOptions(words: readonly string[]): readonly string[] {
  const kept = words.filter((word) => !switches.has(word));
  return kept.filter((word, at) => !notRepeated.has(word) && !notRepeated.has(kept[at - 1] ?? ''));
}

/**
 * What is asked of the pages: the one measure that is blamed, as the run was asked for it, or as the page
 * names it; all that were asked for where it is not known.
 */
function chooseMeasures(words: readonly string[], { id, title }: Metric): readonly string[] {
  if (words.includes('--suite') || words.includes('--input')) return [];
  const asked = words.flatMap((word, at) => (words[at - 1] === '--measure' ? [word] : []));
  const names = [title, id, `measure:${title}`, `mark:${title}`];
  const own = asked.find((one) => names.includes(one));
  if (own !== undefined) return [own];
  if (asked.length > 0) return asked;
  const known: readonly string[] = measureNames;
  return [known.includes(id) ? id : title.startsWith('measure:') ? title : `measure:${title}`];
}

/** True for a browser of which one page is traced while it goes on. */
function isShareable(presence: Presence | undefined): boolean {
  if (presence?.status !== 'found') return false;
  const { browser, driver } = presence.device;
  return findEngine(browser) === 'chromium' && ['playwright', 'puppeteer'].includes(driver);
}

export function notRepeatable(run: number, why: string): FarmError {
  return new FarmError('bad-argument', {
    what: `Run ${String(run)} cannot be measured again: ${why}.`,
    next: 'Go to the folder where it was made, or compare the versions again.',
  });
}
