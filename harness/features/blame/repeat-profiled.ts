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
  /** Null for a comparison of two devices. */
  readonly browser: string | null;
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
  ...['--budget', '--measurement', '--measure', '--error-rate'],
]);

/** The same for those without a value. */
const switches: ReadonlySet<string> = new Set(['--no-probes', '--no-repeat', '--shared-browser']);

/** Wants a smaller interval than there is, so that no block is left out. */
const neverPrecise = '0.0001';

/**
 * Measures a comparison again with a profiler, of versions in one browser. Pages whose measure is known by
 * name are measured as quickly as in a smoke test: an order drawn at random, and not a quiet machine, makes
 * the comparison fair. Benchmarks are measured as before, since their code settles in the warm-up.
 * @throws FarmError `bad-argument` for a comparison that cannot be made again
 */
export async function repeatProfiled(repeat: ProfiledRepeat, caller: Caller): Promise<RunRecord> {
  const { record, database, metric } = repeat;
  const { id, command } = record.run;
  const words = splitWords(command);
  const at = words.indexOf('compare');
  if (at === -1) throw notRepeatable(id, `it was made by ${command.slice(0, 200)}`);
  const asked = { ...repeat, words: words.slice(at), measures: chooseMeasures(words, metric) };
  const isQuick = asked.measures.length > 0;
  const first = await tryRepeat({ ...asked, isQuick }, caller);
  // A page that goes on late is looked at for longer.
  const isOver = first.run !== null || !isQuick;
  const last = isOver ? first : await tryRepeat({ ...asked, isQuick: false }, caller);
  if (last.run === null) throw notRepeatable(id, first.why);
  return readRecord(last.run, database);
}

interface AskedRepeat extends ProfiledRepeat {
  /** Of the stored command, from its name on. */
  readonly words: readonly string[];
  readonly measures: readonly string[];
  readonly isQuick: boolean;
}

async function tryRepeat(
  { record, browser, blocks, database, words, measures, isQuick }: AskedRepeat,
  { callCommand, signal, say }: Caller,
): Promise<{ readonly run: number | null; readonly why: string }> {
  const own = words.indexOf('--measurement');
  const usual = own === -1 ? [] : words.slice(own, own + 2);
  const isShared = isShareable(record.presences.find(({ device }) => device.id === browser));
  const { document, text, exitCode } = await callCommand(
    [
      ...withoutOptions(words),
      ...measures.flatMap((one) => ['--measure', one]),
      ...(browser === null ? [] : ['--browsers', browser]),
      ...['--database', database, '--max-blocks', String(blocks)],
      ...['--probe', 'profile', '--precision', neverPrecise, '--no-repeat', '--no-report'],
      ...(isShared ? ['--shared-browser'] : []),
      ...(measures.includes('cpu') ? [] : ['--no-probes']),
      ...(isQuick ? ['--measurement', 'fast'] : usual),
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
 * names it; all that were asked for where it is not known; none of benchmarks, which say it themselves.
 */
function chooseMeasures(words: readonly string[], { id, title }: Metric): readonly string[] {
  if (['--suite', '--input', '--bench'].some((option) => words.includes(option))) return [];
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
