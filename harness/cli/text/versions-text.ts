import { median, sum } from 'simple-statistics';
import pc from 'picocolors';
import { formatQuantity, isTime, plural } from '../../../reports/html/number.ts';
import { changeInWords } from '../../../reports/wording/change.ts';
import { valueOf, withoutQuarantined } from '../../analysis/series.ts';
import type { TableEntry } from '../../analysis/sequential.ts';
import { versionOf } from '../../analysis/verdicts.ts';
import { isCompleted } from '../../analysis/series.ts';
import type { VersionsComparison } from '../../app/versions/compare-versions.ts';
import { shownChange } from '../../app/versions/expectations.ts';
import { caseName } from '../../model/case.ts';
import { probeOf } from '../../run/external-page.ts';
import { plain } from '../../run/progress/terminal.ts';
import { drawTable } from './draw-table.ts';

/** One row: a number of one version in one browser. */
interface Row {
  readonly browser: string;
  readonly deviceId: string;
  readonly measure: string;
  readonly unit: string;
  readonly version: string;
  /** Of the first version the median; of others what their ratio makes of it, so that both agree. */
  readonly value: number | null;
  /** Null in rows of the first version. */
  readonly entry: TableEntry | null;
  readonly words: string;
}

/** A row for each version, metric and browser, the first version first. */
function rowsOf(shown: VersionsComparison): readonly Row[] {
  const groups = new Map<string, TableEntry[]>();
  for (const entry of shown.entries) {
    const { a, metric } = entry.pair;
    const key = `${a.deviceId} ${metric.id}`;
    groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  return [...groups.values()].flatMap((entries) => {
    const [{ pair } = entries[0] ?? { pair: null }] = entries;
    if (pair === null) return [];
    const { metric, b } = pair;
    const base = middleOf(shown, b, pair);
    const common = {
      browser: browserOf(shown, b.deviceId),
      deviceId: b.deviceId,
      measure: metric.title,
      unit: metric.unit,
    };
    const first: Row = {
      ...common,
      version: versionOf(pair.b),
      value: base,
      entry: null,
      words: '',
    };
    const others = entries.map((entry): Row => {
      return {
        ...common,
        version: versionOf(entry.pair.a),
        value: valueOfNew(entry, { base, shown }),
        entry,
        words: wordsOf(entry, shown),
      };
    });
    return [first, ...others];
  });
}

function valueOfNew(
  { pair, decision: made }: TableEntry,
  { base, shown }: { readonly base: number | null; readonly shown: VersionsComparison },
): number | null {
  if (made.kind !== 'decided-on') return middleOf(shown, pair.a, pair);
  return base === null ? null : base * made.decision.ratio;
}

type Pair = TableEntry['pair'];

function browserOf({ presences }: VersionsComparison, deviceId: string): string {
  const presence = presences.find(({ device }) => device.id === deviceId);
  if (presence?.status !== 'found') return deviceId;
  const { name, version } = presence.target.browser;
  return `${name} ${version.split('.')[0] ?? ''}`.trim();
}

function middleOf(
  { trials }: VersionsComparison,
  side: Pair['b'],
  { metric }: Pair,
): number | null {
  const name = caseName(side.case);
  const values = withoutQuarantined(trials)
    .filter(isCompleted)
    .filter(({ job }) => job.deviceId === side.deviceId && caseName(job.case) === name)
    .map((trial) => valueOf(trial, metric))
    .filter((value) => value !== null);
  return values.length === 0 ? null : median(values);
}

function wordsOf({ pair, decision: made }: TableEntry, shown: VersionsComparison): string {
  if (made.kind === 'no-blocks') return 'not measured';
  if (made.kind === 'not-given') {
    if (made.onlyBy === null) return 'not supported here';
    return made.onlyBy === pair.b ? 'lost' : 'the first has none';
  }
  if (made.kind === 'no-ratio') return made.isSame ? 'same: always 0' : 'no ratio: a value is 0';
  const { verdict, ratio, low, high, moreBlocks } = made.decision;
  const { margin } = shown;
  const moreMinutes = moreBlocks === null ? null : (moreBlocks * blockMs(shown)) / 60_000;
  return changeInWords({
    verdict,
    ratio,
    low,
    high,
    margin,
    isTime: isTime(pair.metric.unit),
    moreMinutes,
  });
}

function blockMs({ trials }: VersionsComparison): number {
  const blocks = new Set(trials.map(({ job }) => job.block)).size;
  return sum([0, ...trials.map(({ wallMs }) => wallMs)]) / Math.max(1, blocks);
}

function valueText({ value, unit }: Row): string {
  return value === null
    ? '—'
    : formatQuantity(value, { unit, resolution: 0 }).replaceAll('\u00a0', ' ');
}

const paint = {
  faster: pc.green,
  slower: pc.red,
  equivalent: pc.cyan,
  undecided: pc.yellow,
} as const;

const marks = { faster: '▲', slower: '▼', equivalent: '=', undecided: '?' } as const;

function verdictOf({ entry }: Row): keyof typeof marks | null {
  return entry?.decision.kind === 'decided-on' ? entry.decision.decision.verdict : null;
}

/** The comparison for a terminal: a table, and what else its reader has to know. */
export async function describeVersions(
  shown: VersionsComparison,
  columns = Infinity,
): Promise<string> {
  const rows = rowsOf(shown);
  const measures = new Set(rows.map(({ measure }) => measure)).size;
  const isOne = measures === 1;
  const lines = rows.map((row, index) => {
    const before = rows[index - 1];
    const isNew = row.entry === null;
    const verdict = verdictOf(row);
    const words = verdict === null ? row.words : paint[verdict](`${marks[verdict]} ${row.words}`);
    return [
      isNew && before?.deviceId !== row.deviceId ? row.browser : '',
      ...(isOne ? [] : [isNew ? plain(row.measure) : '']),
      plain(row.version),
      valueText(row),
      words,
    ];
  });
  const head = ['browser', ...(isOne ? [] : ['measure']), 'version', 'value', 'difference'];
  const align = head.map((title) => (title === 'value' ? 'right' : 'left'));
  const table = await drawTable({ head, rows: lines, align, ruled: true }, columns);
  return [table, ...notesOf(shown).map((line) => pc.dim(plain(line)))].join('\n');
}

function notesOf(shown: VersionsComparison): readonly string[] {
  const { presences, onlyIn, trials, stopped, margin, alpha, command, run } = shown;
  const quarantined = trials.length - withoutQuarantined(trials).length;
  return [
    ...presences.flatMap((presence) =>
      presence.status === 'missing' ? [`without ${presence.device.id}: ${presence.reason}`] : [],
    ),
    ...onlyIn.map(
      ({ measure, versions }) =>
        `${measure} is only in ${versions.join(', ')}, so it is not compared`,
    ),
    ...notGivenNotes(shown),
    ...(quarantined > 0
      ? [`${plural(quarantined, 'trial')} did not count: something else used the machine`]
      : []),
    ...(stopped === null ? [] : [stopped]),
    `at most ${String(100 * alpha)} % of the verdicts are wrong in the mean; what is below ${String(100 * margin)} % counts as the same`,
    `again: ${command}`,
    `see it: npx farm report ${String(run)}`,
  ];
}

function notGivenNotes(shown: VersionsComparison): readonly string[] {
  const notes = shown.entries.flatMap(({ pair, decision: made }) => {
    if (made.kind !== 'not-given') return [];
    if (made.onlyBy !== null) {
      const only = versionOf(made.onlyBy);
      const where = browserOf(shown, pair.a.deviceId);
      return [`${pair.metric.title}: only ${only} has one in ${where}, so it is not compared`];
    }
    return [`${pair.metric.title}: not supported here, because ${whyNotGiven(shown, pair)}`];
  });
  return [...new Set(notes)];
}

function whyNotGiven({ trials, ...shown }: VersionsComparison, { a, metric }: Pair): string {
  const browser = browserOf({ trials, ...shown }, a.deviceId);
  const watched = a.case.benchmark.guest?.watched?.[metric.id];
  if (watched === undefined) return `${browser} does not give it`;
  const reading = trials
    .filter(({ job }) => job.deviceId === a.deviceId)
    .filter(isCompleted)
    .flatMap(({ outcome }) => outcome.readings)
    .find(({ probe }) => probe === probeOf(watched));
  return reading !== undefined && 'notSupported' in reading
    ? reading.notSupported
    : `processes of ${browser} cannot be read by this user`;
}

/** The same for a pull request. */
export function versionsMarkdown(shown: VersionsComparison): string {
  const cells = (...texts: readonly string[]): string => `| ${texts.map(escaped).join(' | ')} |`;
  const rows = rowsOf(shown);
  return [
    `**${escaped(headline(shown))}**`,
    '',
    '| browser | measure | version | value | difference |',
    '| --- | --- | --- | ---: | --- |',
    ...rows.map((row) => {
      const verdict = verdictOf(row);
      const words = verdict === null ? row.words : `${marks[verdict]} ${row.words}`;
      return cells(row.browser, row.measure, row.version, valueText(row), words);
    }),
    '',
    '<details><summary>How it was measured</summary>',
    '',
    ...notesOf(shown).map((line) => `- ${escaped(line)}`),
    '',
    '</details>',
  ].join('\n');
}

/** Names are the user's own, and must not end a cell or begin HTML. */
function escaped(text: string): string {
  return plain(text)
    .replace(/[\\`*_{}[\]()#+!|~]/g, '\\$&')
    .replaceAll('<', '&lt;')
    .replace(/\s+/g, ' ');
}

/** What happened, in one line. */
export function headline(shown: VersionsComparison): string {
  const verdicts = rowsOf(shown).filter(
    ({ entry }) => entry !== null && shownChange(entry) !== null,
  );
  if (verdicts.length === 0) return 'Nothing was compared';
  const lost = verdicts.find(({ words }) => words === 'lost');
  if (lost !== undefined) return `${lost.version} has lost ${lost.measure} in ${lost.browser}`;
  const changed = verdicts.filter((row) => ['faster', 'slower'].includes(verdictOf(row) ?? ''));
  const open = verdicts.filter(
    ({ entry }) => entry !== null && shownChange(entry)?.isDecided !== true,
  );
  const [one] = changed;
  if (one !== undefined && changed.length === 1) {
    return `${one.version} is ${one.words} in ${one.browser}${verdicts.length > 1 ? ` (${one.measure})` : ''}`;
  }
  if (changed.length > 1) {
    return `${String(changed.length)} of ${plural(verdicts.length, 'comparison')} differ`;
  }
  return open.length > 0
    ? `${String(open.length)} of ${plural(verdicts.length, 'comparison')} not decided`
    : 'No difference that matters';
}

/** The shape of `farm compare <version> <version> --json`: a contract with other tools. */
export function versionsJson(shown: VersionsComparison): object {
  const { run, versions, margin, alpha, seed, command, onlyIn, stopped, entries } = shown;
  const rows = rowsOf(shown);
  return {
    versions,
    margin,
    alpha,
    seed,
    command,
    run,
    ...(stopped === null ? {} : { because: stopped }),
    onlyIn,
    comparisons: entries.map((entry) => {
      const { pair } = entry;
      const row = rows.find((one) => one.entry === entry);
      const base = rows.find(
        (one) =>
          one.entry === null && one.deviceId === row?.deviceId && one.measure === row.measure,
      );
      return {
        device: pair.a.deviceId,
        metric: pair.metric.id,
        title: pair.metric.title,
        unit: pair.metric.unit,
        version: versionOf(pair.a),
        first: versionOf(pair.b),
        value: row?.value ?? null,
        firstValue: base?.value ?? null,
        ...decisionJson(entry),
      };
    }),
  };
}

function decisionJson({ pair, decision: made }: TableEntry): object {
  if (made.kind !== 'decided-on') {
    return { verdict: wordOf(pair, made), ratio: null, low: null, high: null, blocks: 0 };
  }
  const { verdict, ratio, low, high, blocks, moreBlocks } = made.decision;
  return { verdict, ratio, low, high, blocks, moreBlocks };
}

type WithoutRatio = Exclude<TableEntry['decision'], { kind: 'decided-on' }>;

function wordOf({ b }: Pair, made: WithoutRatio): string {
  if (made.kind === 'not-given') return made.onlyBy === b ? 'lost' : 'not supported';
  return made.kind === 'no-ratio' && made.isSame ? 'equivalent' : 'undecided';
}
