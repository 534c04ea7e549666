import { caseName } from '../../model/case.ts';
import { describeEmulation, type Device } from '../../model/device.ts';
import type { Job } from '../../model/plan.ts';
import type { RunRecord } from '../../model/run.ts';
import type { Trial } from '../../model/trial.ts';

/**
 * A run as JUnit XML, for tools that show test results: a suite for each device, a test for each cell.
 * A failed or timed-out trial is a failure, a cell without outcome an error, because a night with a
 * missing cell is red.
 */
export function renderJunit(record: RunRecord): string {
  const { run, presences, jobs } = record;
  const trials = new Map(record.trials.map((trial) => [trial.job.ordinal, trial]));
  const suites = presences.map(({ device }) => {
    const cells = jobs.filter(({ deviceId }) => deviceId === device.id);
    return { device, cells: cells.map((job) => ({ job, trial: trials.get(job.ordinal) })) };
  });
  const content = suites
    .filter(({ cells }) => cells.length > 0)
    .map(({ device, cells }) =>
      element(
        'testsuite',
        { name: suiteName(device), ...totals(cells), timestamp: run.startedAt },
        `\n${cells.map(renderCell).join('')}`,
      ),
    );
  const all = suites.flatMap(({ cells }) => cells);
  const name = `crossfarm run ${String(run.id)}: ${run.suite}`;
  const root = element('testsuites', { name, ...totals(all) }, `\n${content.join('\n')}\n`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}\n`;
}

/** A reader must not take an emulated phone for a real one. */
function suiteName(device: Device): string {
  const emulated = describeEmulation(device);
  return emulated === null ? device.id : `${device.id} (emulated: ${emulated})`;
}

interface Cell {
  readonly job: Job;
  readonly trial: Trial | undefined;
}

function totals(cells: readonly Cell[]): Readonly<Record<string, number | string>> {
  const count = (...kinds: readonly (string | undefined)[]): number =>
    cells.filter(({ trial }) => kinds.includes(trial?.outcome.kind)).length;
  return {
    tests: cells.length,
    failures: count('failed', 'timed-out'),
    errors: count(undefined),
    skipped: count('skipped'),
    time: seconds(cells.reduce((sum, { trial }) => sum + (trial?.wallMs ?? 0), 0)),
  };
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

function renderCell({ job, trial }: Cell): string {
  const again = job.repeats === undefined ? '' : ', once more';
  const attributes = {
    name: `${caseName(job.case)} [block ${String(job.block)}${again}]`,
    classname: `${job.deviceId}.${job.case.benchmark.id}`,
    time: seconds(trial?.wallMs ?? 0),
  };
  return `${element('testcase', attributes, ending(trial))}\n`;
}

function ending(trial: Trial | undefined): string {
  if (trial === undefined) return element('error', { message: 'this cell has no outcome' });
  const { outcome } = trial;
  switch (outcome.kind) {
    case 'completed':
      return outcome.quarantine.length === 0
        ? ''
        : element('system-out', {}, escapeXml(`quarantined: ${outcome.quarantine.join('; ')}`));
    case 'failed':
    case 'timed-out': {
      const { code, message } = outcome.failure;
      return element('failure', { type: code, message });
    }
    case 'skipped':
      return element('skipped', { message: outcome.reason });
  }
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
