import pc from 'picocolors';
import { formatThreeDigits } from '../../../reports/html/number.ts';
import {
  seriesTitle,
  type NightChange,
  type SearchedSeries,
} from '../../analysis/nights/history.ts';

/** Tells whether anything changed in a series. */
export function isEventful({ changes, suspect }: SearchedSeries): boolean {
  return changes.length > 0 || suspect !== null;
}

/** Shapes a series as `farm history --json` prints it: medians in the metric's unit, times in UTC. */
export function seriesJson({ series, changes, suspect, notSearched }: SearchedSeries): object {
  const { caseName, deviceId, metric, begunBy, nights } = series;
  return {
    case: caseName,
    device: deviceId,
    metric: metric.id,
    unit: metric.unit,
    direction: metric.direction,
    begunBy,
    nights: nights.map(({ run, target, median, trials }) => ({
      run: run.id,
      startedAt: run.startedAt,
      browser: target.browser,
      median,
      trials,
    })),
    changes: changes.map(changeJson),
    suspect: suspect === null ? null : changeJson(suspect),
    notSearched,
  };
}

function changeJson({ run, startedAt, before, after, ratio, p, attribution }: NightChange): object {
  return { run, startedAt, before, after, ratio, p, cause: attribution };
}

/** Counts the series, changes and suspects of a suite, in one line. */
export function historySummary(searched: readonly SearchedSeries[], suite: string): string {
  const changes = searched.reduce((sum, one) => sum + one.changes.length, 0);
  const suspects = searched.filter(({ suspect }) => suspect !== null).length;
  const nights = new Set(searched.flatMap(({ series }) => series.nights.map(({ run }) => run.id)));
  return `${count(searched.length, 'series')} over ${count(nights.size, 'run', 's')} of ${suite}: ${count(changes, 'settled change', 's')}, ${count(suspects, 'suspect', 's')}`;
}

function count(number: number, noun: string, plural = ''): string {
  return `${String(number)} ${noun}${number === 1 ? '' : plural}`;
}

/** Draws the changes of each series as a table. */
export async function historyTable(searched: readonly SearchedSeries[]): Promise<string> {
  const { default: Table } = await import('cli-table3');
  const table = new Table({
    head: ['series', 'nights', 'now', 'change', 'since', 'what changed then'],
    colWidths: [44, 8, 12, 18, 18, 34],
    wordWrap: true,
    style: { head: [], border: [] },
  });
  for (const one of searched) table.push(...rowsOf(one));
  return table.toString();
}

function rowsOf({ series, changes, suspect, notSearched }: SearchedSeries): string[][] {
  const { nights, metric, begunBy } = series;
  const now = nights.at(-1)?.median ?? NaN;
  const front = [
    [seriesTitle(series), ...begunBy.map((why) => pc.dim(`since ${why}`))].join('\n'),
    String(nights.length),
    `${formatThreeDigits(now)} ${metric.unit}`,
  ];
  const cells = [
    ...changes.map((change) => changeCells(change, '')),
    ...(suspect === null ? [] : [changeCells(suspect, pc.yellow('suspect '))]),
  ];
  const [first = ['', '', notSearched ?? ''], ...rest] = cells;
  return [[...front, ...first], ...rest.map((row) => ['', '', '', ...row])];
}

function changeCells(change: NightChange, mark: string): string[] {
  const { ratio, run, startedAt, attribution } = change;
  return [
    `${mark}${formatThreeDigits(ratio)}×`,
    `${startedAt.slice(0, 10)}, run ${String(run)}`,
    attribution.text,
  ];
}
