import { join, resolve } from 'node:path';
import type { Findings } from '../../results/index.ts';
import type { FirstScreen } from '../../../../reports/comparison.ts';
import { describeRuns, type Baseline } from '../../analysis/runs/across-runs.ts';
import { describeRun } from '../../analysis/findings.ts';
import { targetIdIn } from '../../analysis/runs/labels.ts';
import type { Run, RunRecord } from '../../model/run.ts';
import { farmVersion, reportsFolder } from '../../project.ts';
import { addedFindings, addedSections } from '../extensions.ts';
import { withStore, writeWhole } from '../records.ts';
import { chooseBaseline, chooseRuns, type RunChoice } from './choose-runs.ts';
import { explainWarmUp } from '../../analysis/warm-up.ts';
import { FarmError } from '../../errors.ts';
import { npxCrossfarm } from '../../model/typed-command.ts';

export interface FindingsOptions extends RunChoice {
  /** Baseline of the comparison; the runs' own one when left out. */
  readonly baseline?: string;
}

export interface ReportOptions extends FindingsOptions {
  /** Where to write it; among the project's reports when left out. */
  readonly out?: string;
}

export interface WrittenReport {
  /** Absolute. */
  readonly path: string;
  readonly bytes: number;
  readonly runs: readonly number[];
}

interface RenderedRuns {
  readonly html: string;
  readonly findings: Findings;
  readonly runs: readonly number[];
}

/**
 * Renders the runs that are named, the latest one when none is, as one HTML file.
 * @throws FarmError those of `chooseRuns` and `chooseBaseline`.
 */
export async function renderRuns(
  named: readonly (number | 'latest')[],
  options: FindingsOptions,
): Promise<RenderedRuns> {
  // While SQLite reads in its own threads, the page is loaded.
  const [records] = await Promise.all([
    chooseRuns(named, options),
    import('../../../../reports/comparison.ts'),
  ]);
  const findings = await findingsOf(records, options);
  const html = await rendered(findings);
  return { html, findings, runs: records.map(({ run }) => run.id) };
}

/**
 * Writes the runs that are named, the latest one when none is, to one HTML file.
 * @throws FarmError those of `renderRuns`, and `cannot-write`.
 */
export async function writeReport(
  named: readonly (number | 'latest')[],
  options: ReportOptions,
): Promise<WrittenReport> {
  const { report } = await writeReportOf(named, options);
  return report;
}

/** Writes a report as `writeReport` does, and gives the findings that it shows as well. */
export async function writeReportOf(
  named: readonly (number | 'latest')[],
  options: ReportOptions,
): Promise<{ readonly report: WrittenReport; readonly findings: Findings }> {
  const { html, findings, runs } = await renderRuns(named, options);
  const path = resolve(options.out ?? defaultPath(runs, options.database));
  await writeWhole(path, html);
  return { report: { path, bytes: Buffer.byteLength(html), runs }, findings };
}

/** Reads what a report of these runs says. Errors: those of `chooseRuns` and `chooseBaseline`. */
export async function readFindings(
  named: readonly (number | 'latest')[],
  options: FindingsOptions,
): Promise<Findings> {
  return findingsOf(await chooseRuns(named, options), options);
}

interface ReportContext {
  readonly database: string;
  /** Found by the feature that asks for the report. */
  readonly more?: Partial<Findings>;
}

/** Renders a run as one HTML file. */
export async function renderReport(
  record: RunRecord,
  { database, more }: ReportContext,
): Promise<string> {
  return rendered({ ...(await findingsOf([record], { database })), ...more });
}

/**
 * Renders the first screen of a run's report, for a page that has its own frame.
 * @throws FarmError those of `chooseRuns`.
 */
export async function renderRunInShort(run: number, database: string): Promise<FirstScreen> {
  const [findings, { renderFirstScreen }, sections] = await Promise.all([
    readFindings([run], { database }),
    import('../../../../reports/comparison.ts'),
    addedSections(),
  ]);
  return renderFirstScreen(findings, sections);
}

/** With the sections of all features. */
async function rendered(findings: Findings): Promise<string> {
  const [{ renderComparison }, sections] = await Promise.all([
    import('../../../../reports/comparison.ts'),
    addedSections(),
  ]);
  return renderComparison(findings, sections);
}

async function findingsOf(
  records: readonly RunRecord[],
  options: FindingsOptions,
): Promise<Findings> {
  const { baseline: text, database, device = [], bench = [] } = options;
  const writing = { writtenAt: new Date().toISOString(), farmVersion: farmVersion() };
  const baseline = text === undefined ? undefined : chooseBaseline(text, records);
  const [record, ...others] = records;
  if (record === undefined || others.length > 0) {
    const findings = describeRuns(records, {
      ...writing,
      ...(baseline !== undefined && { baseline }),
    });
    return withPart(findings, options);
  }
  const against = baselineDevice(baseline, record);
  const isPart = device.length + bench.length > 0;
  const describe = async (): Promise<Findings> => {
    // While these are loaded, SQLite begins to read the history in its own thread.
    await import('../../../../reports/comparison.ts');
    return describeRun(record, {
      ...writing,
      ...(against !== undefined && { baseline: against }),
    });
  };
  const findings = describe();
  const [added, isOpen] = await Promise.all([
    addedFindings({ record, database, isPart, findings }),
    canContinue(record.run, database),
  ]);
  const { runs, ...described } = await findings;
  const told = isOpen ? runs : runs.map((run) => ({ ...run, isClosed: true as const }));
  return withPart({ ...described, runs: told, ...added }, options);
}

/** False for a run that was imported, or that an older farm made, and for a night's own test. */
async function canContinue({ id }: Run, database: string): Promise<boolean> {
  const stored = await withStore(database, (store) => store.readSetting(id));
  return stored !== null && stored.document.test === undefined;
}

function baselineDevice(baseline: Baseline | undefined, record: RunRecord): string | undefined {
  if (baseline?.kind !== 'target') return undefined;
  return record.presences.find(
    ({ device }) => targetIdIn(record.run.id, device.id) === baseline.targetId,
  )?.device.id;
}

/** The report says when it shows only a part: its reader may not have chosen that. */
function withPart(findings: Findings, { device = [], bench = [] }: RunChoice): Findings {
  const chosen = [
    ...(device.length === 0 ? [] : [`--device ${device.join(',')}`]),
    ...(bench.length === 0 ? [] : [`--bench ${bench.join(',')}`]),
  ];
  if (chosen.length === 0) return findings;
  const caution = `Only a part is shown (${chosen.join(' ')}), and counted as planned: the verdicts stand among the comparisons of this part.`;
  return { ...findings, cautions: [...findings.cautions, caution] };
}

function defaultPath(runs: readonly number[], database: string): string {
  return join(reportsFolder(database), `run-${runs.join('-')}.html`);
}

type WarmUpFacts = NonNullable<ReturnType<typeof explainWarmUp>>;

/**
 * Explains how a trial's speed went and what it counts with: every iteration of the least steady
 * trial of a run, or of one of its cases.
 * @throws FarmError those of `chooseRuns`; `bad-argument` for several runs, or without a completed trial.
 */
export async function explainRunWarmUp(
  named: readonly (number | 'latest')[],
  { caseName, ...choice }: RunChoice & { readonly caseName?: string | undefined },
): Promise<WarmUpFacts> {
  const record = onlyOne(await chooseRuns(named, choice));
  const writing = { writtenAt: new Date().toISOString(), farmVersion: farmVersion() };
  const facts = explainWarmUp(record, {
    choice: caseName === undefined ? {} : { caseName },
    ...writing,
  });
  if (facts !== null) return facts;
  throw new FarmError('bad-argument', {
    what: `Run ${String(record.run.id)} has no completed trial${caseName === undefined ? '' : ` of "${caseName}"`}.`,
    next: `${npxCrossfarm} report ${String(record.run.id)} lists its cases.`,
  });
}

/** Draws it as one HTML file. @throws FarmError `cannot-write`. */
export async function writeWarmUp(
  facts: WarmUpFacts,
  out: string,
): Promise<{ readonly path: string; readonly bytes: number }> {
  const { renderWarmUp } = await import('../../../../reports/warm-up.ts');
  const html = await renderWarmUp(facts);
  const path = resolve(out);
  await writeWhole(path, html);
  return { path, bytes: Buffer.byteLength(html) };
}

function onlyOne(records: readonly RunRecord[]): RunRecord {
  const [record, ...others] = records;
  if (record !== undefined && others.length === 0) return record;
  throw new FarmError('bad-argument', {
    what: `--warm-up looks at one trial, and ${String(records.length)} runs are named.`,
    next: `Name one of them: ${npxCrossfarm} report 3 --warm-up`,
  });
}
