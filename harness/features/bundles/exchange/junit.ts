import { groupBy } from '../../../core/analysis/grouping.ts';
import { caseName } from '../../../core/model/case.ts';
import { describeEmulation, type Device } from '../../../core/model/device.ts';
import type { Job } from '../../../core/model/plan.ts';
import type { RunRecord } from '../../../core/model/run.ts';
import type { Trial } from '../../../core/model/trial.ts';
import { type VersionTest, versionTests } from './junit-versions.ts';

/**
 * A run as JUnit XML, for tools that show test results: a suite for each device, a test for each case.
 * A failed or timed-out trial is a failure, one without outcome an error, because a night with a
 * missing cell is red. Versions of a page have the tests of `versionTests` instead.
 */
export function renderJunit(record: RunRecord): string {
  const compared = versionTests(record);
  if (compared !== null) return renderVersions(record, compared);
  const { run, presences, jobs } = record;
  const trials = new Map(record.trials.map((trial) => [trial.job.ordinal, trial]));
  const suites = presences.map(({ device }) => {
    const cells = jobs.filter(({ deviceId }) => deviceId === device.id);
    const tests = testsOf(cells.map((job) => ({ job, trial: trials.get(job.ordinal) })));
    return { device, tests };
  });
  const content = suites
    .filter(({ tests }) => tests.length > 0)
    .map(({ device, tests }) =>
      element(
        'testsuite',
        { name: suiteName(device), ...totals(tests), timestamp: run.startedAt },
        `\n${tests.map(renderTest).join('')}`,
      ),
    );
  const all = suites.flatMap(({ tests }) => tests);
  return renderRoot(run, totals(all), content);
}

function renderRoot(run: RunRecord['run'], totals: Attributes, content: readonly string[]): string {
  const name = `crossfarm run ${String(run.id)}: ${run.suite}`;
  const root = element('testsuites', { name, ...totals }, `\n${content.join('\n')}\n`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}\n`;
}

function renderVersions(
  { run, presences, trials }: RunRecord,
  compared: readonly VersionTest[],
): string {
  const count = (tests: readonly VersionTest[], time: number): Attributes => ({
    tests: tests.length,
    failures: tests.filter(({ ending }) => ending === 'failure').length,
    errors: tests.filter(({ ending }) => ending === 'error').length,
    skipped: tests.filter(({ ending }) => ending === 'skipped').length,
    time: (time / 1000).toFixed(3),
  });
  const timeOn = (deviceId?: string): number =>
    trials
      .filter(({ job }) => deviceId === undefined || job.deviceId === deviceId)
      .reduce((sum, { wallMs }) => sum + wallMs, 0);
  const content = presences.flatMap(({ device }) => {
    const ours = compared.filter(({ deviceId }) => deviceId === device.id);
    if (ours.length === 0) return [];
    const counted = count(ours, timeOn(device.id));
    const attributes = { name: suiteName(device), ...counted, timestamp: run.startedAt };
    return [element('testsuite', attributes, `\n${ours.map(renderVersion).join('')}`)];
  });
  return renderRoot(run, count(compared, timeOn()), content);
}

function renderVersion({ name, deviceId, ending, code, sentence, versions }: VersionTest): string {
  const said = Object.entries(versions).map(([key, value]) =>
    element('property', { name: key, value }),
  );
  const fails = ending === 'failure' || ending === 'error';
  const content =
    ending === 'fine'
      ? sentence && element('system-out', {}, escapeXml(sentence))
      : element(ending, fails ? { type: code, message: sentence } : { message: sentence });
  const attributes = { name, classname: deviceId };
  const all = `${element('properties', {}, said.join(''))}${content}`;
  return `${element('testcase', attributes, all)}\n`;
}

/** A reader must not take an emulated phone for a real one. */
function suiteName(device: Device): string {
  const emulated = describeEmulation(device);
  return emulated === null ? device.id : `${device.id} (emulated: ${emulated})`;
}

/** A case on a device, with its cells. */
interface Test {
  readonly name: string;
  readonly cells: readonly Cell[];
}

interface Cell {
  readonly job: Job;
  readonly trial: Trial | undefined;
}

function testsOf(cells: readonly Cell[]): readonly Test[] {
  const byCase = groupBy(cells, ({ job }) => caseName(job.case));
  return Array.from(byCase, ([name, ofCase]) => ({ name, cells: ofCase }));
}

/** The worst that happened to one of its trials. */
type Ending = 'error' | 'failure' | 'skipped' | 'fine';

function endingOf({ cells }: Test): Ending {
  const kinds = cells.map(({ trial }) => trial?.outcome.kind);
  if (kinds.includes(undefined)) return 'error';
  if (kinds.includes('failed') || kinds.includes('timed-out')) return 'failure';
  return kinds.every((kind) => kind === 'skipped') ? 'skipped' : 'fine';
}

function totals(tests: readonly Test[]): Readonly<Record<string, number | string>> {
  const endings = tests.map(endingOf);
  const count = (wanted: Ending): number => endings.filter((one) => one === wanted).length;
  return {
    tests: tests.length,
    failures: count('failure'),
    errors: count('error'),
    skipped: count('skipped'),
    time: seconds(tests.flatMap(({ cells }) => cells)),
  };
}

function seconds(cells: readonly Cell[]): string {
  return (cells.reduce((sum, { trial }) => sum + (trial?.wallMs ?? 0), 0) / 1000).toFixed(3);
}

function renderTest(test: Test): string {
  const [{ job } = never()] = test.cells;
  const classname = `${job.deviceId}.${job.case.benchmark.id}`;
  const attributes = { name: test.name, classname, time: seconds(test.cells) };
  return `${element('testcase', attributes, contentOf(test))}\n`;
}

function never(): never {
  throw new TypeError('a test without a cell');
}

function contentOf(test: Test): string {
  const { cells } = test;
  const failed = failuresOf(cells);
  switch (endingOf(test)) {
    case 'error': {
      const missing = cells.filter(({ trial }) => trial === undefined);
      const what = `${share(missing, cells)} have no outcome`;
      return element('error', {
        message: failed === null ? what : `${what}; ${failed.sentence}`,
      });
    }
    case 'failure':
      return element('failure', { type: failed?.code ?? '', message: failed?.sentence ?? '' });
    case 'skipped': {
      const [outcome] = cells.map(({ trial }) => trial?.outcome);
      return element('skipped', { message: outcome?.kind === 'skipped' ? outcome.reason : '' });
    }
    case 'fine':
      return quarantineOf(cells);
  }
}

function share(some: readonly unknown[], cells: readonly Cell[]): string {
  return `${String(some.length)} of ${String(cells.length)} trials`;
}

/** Describes the failed trials by the first of them; null where none did. */
function failuresOf(
  cells: readonly Cell[],
): { readonly code: string; readonly sentence: string } | null {
  const failures = cells.flatMap(({ job, trial }) =>
    trial !== undefined && 'failure' in trial.outcome
      ? [{ block: job.block + 1, ...trial.outcome.failure }]
      : [],
  );
  const [first] = failures;
  if (first === undefined) return null;
  const where = `${share(failures, cells)} failed, first in block ${String(first.block)}`;
  return { code: first.code, sentence: `${where}: ${first.message}` };
}

function quarantineOf(cells: readonly Cell[]): string {
  const reasons = cells.flatMap(({ trial }) =>
    trial?.outcome.kind === 'completed' && trial.outcome.quarantine.length > 0
      ? [trial.outcome.quarantine.join('; ')]
      : [],
  );
  if (reasons.length === 0) return '';
  const why = [...new Set(reasons)].join('; ');
  return element('system-out', {}, escapeXml(`${share(reasons, cells)} excluded: ${why}`));
}

/** Everything that XML 1.0 does not allow, not even escaped: control characters and half emoji. */
const notXml = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\n': '&#10;',
  '\r': '&#13;',
  '\t': '&#9;',
};

/** A text for an attribute or between tags; what XML cannot say becomes U+FFFD. */
export function escapeXml(text: string): string {
  return text.replace(notXml, '\uFFFD').replace(/[&<>"'\n\r\t]/g, (char) => entities[char] ?? char);
}

export type Attributes = Readonly<Record<string, string | number>>;

/** One element. Its content is XML already: only `escapeXml` and this function make it. */
export function element(name: string, attributes: Attributes, content: string = ''): string {
  const said = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${escapeXml(String(value))}"`,
  );
  const head = `${name}${said.join('')}`;
  return content === '' ? `<${head}/>` : `<${head}>${content}</${name}>`;
}
