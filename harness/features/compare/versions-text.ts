import pc from 'picocolors';
import { formatQuantity, formatThreeDigits, isTime, plural } from '../../../reports/html/number.ts';
import { changeInShort } from '../../../reports/wording/change.ts';
import { waitLeftOutText } from '../../core/analysis/busy-machine.ts';
import { softwareDrawingTexts } from '../../core/analysis/displays.ts';
import { disturbedAmong } from '../../core/analysis/series.ts';
import {
  pageErrors,
  pageErrorText,
  type PageFailure,
  pageFailures,
  pageFailureText,
} from '../../core/analysis/page-errors.ts';
import { warmingUp, warmingUpText } from '../../core/analysis/page-warm-up.ts';
import type { VersionsComparison } from './compare-versions.ts';
import { shownChange } from '../../core/analysis/fail-on.ts';
import { lostMeasures } from './expectations.ts';
import { presetNote } from '../../core/model/case.ts';
import type { Trial } from '../../core/model/trial.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';
import { plain } from '../../core/run/progress/plain-text.ts';
import { drawTable } from '../../core/cli/text/draw-table.ts';
import { codeBlock, codeSpan, escapedMarkdown } from '../../core/cli/text/markdown.ts';
import { drawRatioStrips, type RatioStrips } from './ratio-strip.ts';
import { browserOf } from './look-text.ts';
import { describeEnding, endedVersions } from './ending-text.ts';
import { describeExplained, explainedMarkdown } from './versions-explained.ts';
import { atTimesNotes, notGivenNotes, type Row, rowsOf } from './versions-rows.ts';

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
  const drawn = columns < leastColumns ? null : drawBlocks(rows, shown);
  const lines = rows.map((row, index) => {
    const before = rows[index - 1];
    const isNew = row.entry === null;
    const verdict = verdictOf(row);
    const plainWords = isNew ? pc.yellow(row.cautions.join(', ')) : row.words;
    const words = verdict === null ? plainWords : paint[verdict](`${marks[verdict]} ${row.words}`);
    return [
      isNew && before?.deviceId !== row.deviceId ? row.browser : '',
      ...(isOne ? [] : [isNew ? plain(row.measure) : '']),
      plain(row.version),
      valueText(row),
      words,
      ...(drawn === null ? [] : [drawn.strips[index] ?? '']),
    ];
  });
  const head = [
    'browser',
    ...(isOne ? [] : ['measure']),
    'version',
    'value',
    'difference',
    ...(drawn === null ? [] : ['each block']),
  ];
  const align = head.map((title) => (title === 'value' ? 'right' : 'left'));
  const table = await drawTable({ head, rows: lines, align, ruled: true }, columns);
  const cautions = cautionNotes(shown).map((line) => pc.yellow(plain(line)));
  const key = drawn === null ? [] : [pc.dim(drawn.key)];
  const notes = [...notesOf(shown), ...goOnNotes(shown)].map((line) => pc.dim(plain(line)));
  return [table, ...key, ...describeExplained(shown), ...cautions, ...notes].join('\n');
}

/** How more blocks are added, where they may decide more. */
function goOnNotes({ run, ended, entries }: VersionsComparison): readonly string[] {
  const mayDecide = ['budget', 'most-blocks', 'interrupted'].includes(ended);
  const isOpen = entries.some(
    ({ decision: made }) => made.kind !== 'decided-on' || made.decision.verdict === 'undecided',
  );
  return mayDecide && isOpen ? [`go on: ${npxCrossfarm} continue ${String(run)}`] : [];
}

/** Narrower terminals leave the drawing of blocks out. */
const leastColumns = 100;

/** The blocks of each row as text, in the order of the rows; null where no block was compared. */
function drawBlocks(
  rows: readonly Row[],
  { margin }: Pick<VersionsComparison, 'margin'>,
): RatioStrips | null {
  const drawn = rows.filter(({ blockRatios }) => blockRatios.length > 0);
  if (drawn.length === 0) return null;
  const { strips, key } = drawRatioStrips(
    drawn.map(({ blockRatios: blocks, entry }) => {
      const decision = entry?.decision.kind === 'decided-on' ? entry.decision.decision : null;
      return { blocks, low: decision?.low ?? null, high: decision?.high ?? null };
    }),
    margin,
  );
  return { key, strips: rows.map((row) => strips[drawn.indexOf(row)] ?? '') };
}

/** Said where the verdict stands: of pages with errors, that had not settled, or that no GPU drew. */
export function cautionNotes(shown: VersionsComparison): readonly string[] {
  return [
    ...failureNotes(shown),
    ...errorNotes(shown),
    ...warmingUpNotes(shown),
    ...softwareNotes(shown),
  ];
}

function failureNotes({ trials, ...shown }: VersionsComparison): readonly string[] {
  const browser = ({ deviceId }: PageFailure): string => browserOf(shown, deviceId);
  return pageFailures(trials).map((one) => pageFailureText(one, browser(one)));
}

function errorNotes(shown: VersionsComparison): readonly string[] {
  return pageErrors(shown.trials).map((one) => pageErrorText(one, browserOf(shown, one.deviceId)));
}

function warmingUpNotes(shown: VersionsComparison): readonly string[] {
  return warmingUp(shown.trials).map((one) => warmingUpText(one, browserOf(shown, one.deviceId)));
}

function softwareNotes(shown: VersionsComparison): readonly string[] {
  return softwareDrawingTexts(shown.trials, (id) => browserOf(shown, id));
}

function notesOf(shown: VersionsComparison): readonly string[] {
  const { presences, byDefault, trials, margin, alpha, command, preset } = shown;
  return [
    ...(preset === undefined ? [] : [presetNote(preset)]),
    ...presences.flatMap((presence) =>
      presence.status === 'missing' ? [`without ${presence.device.id}: ${presence.reason}`] : [],
    ),
    ...(byDefault
      ? [
          'no version measures anything itself (performance.measure, bench), so how they load is compared',
        ]
      : []),
    ...notGivenNotes(shown),
    ...atTimesNotes(shown),
    ...disturbedNotes(trials),
    ...sureNotes(shown),
    describeEnding(endedVersions(shown)),
    `at most ${String(100 * alpha)} % of the differences are wrong in the mean, and as many of what is called the same; what is below ${formatThreeDigits(100 * margin)} % counts as the same`,
    again + command,
  ];
}

/**
 * Gives the bound of a difference: the estimate of a comparison that ended early is mostly too
 * large.
 */
function sureNotes(shown: VersionsComparison): readonly string[] {
  const sure = rowsOf(shown).flatMap(({ entry, version }) => {
    if (entry?.decision.kind !== 'decided-on') return [];
    const { verdict, ratio, low, high } = entry.decision.decision;
    const near = ratio > 1 ? low : high;
    if (near === null || (verdict !== 'faster' && verdict !== 'slower')) return [];
    const isTimes = isTime(entry.pair.metric.unit);
    return [`${version} is at least ${changeInShort({ verdict, ratio: near, isTime: isTimes })}`];
  });
  const [one, ...others] = sure;
  if (one === undefined) return [];
  const what = others.length === 0 ? one : 'the end of each interval that is next to 1';
  return [`sure is: ${what}; an estimate that ends a comparison early is mostly too large`];
}

function disturbedNotes(of: readonly Trial[]): readonly string[] {
  const { trials, counted, leftOut } = disturbedAmong(of);
  const wait = waitLeftOutText(of);
  return [
    ...(counted > 0
      ? [
          `${plural(counted, 'trial')} of ${String(trials)} ran while something else used the machine, and count: the versions took turns in an order drawn at random`,
        ]
      : []),
    ...(leftOut > 0
      ? [
          `${plural(leftOut, 'trial')} did not count: something else used the machine, the browser stood still, or it drew in another way`,
        ]
      : []),
    ...(wait === null ? [] : [wait]),
  ];
}

/**
 * The same for a pull request.
 * @param blamed lines of Markdown that stand below the verdict
 */
export function versionsMarkdown(shown: VersionsComparison, blamed?: string): string {
  const rows = rowsOf(shown);
  return [
    `**${escapedMarkdown(headline(shown))}**`,
    '',
    ...(blamed === undefined ? [] : [blamed, '']),
    ...markdownTable(rows),
    '',
    ...explainedMarkdown(shown),
    ...markdownBlocks(rows, shown),
    ...cautionNotes(shown).flatMap((line) => [escapedMarkdown(line), '']),
    '<details><summary>How it was measured</summary>',
    '',
    ...notesOf(shown).map((line) =>
      // To be pasted as it is.
      line.startsWith(again)
        ? `- ${again}${codeSpan(line.slice(again.length))}`
        : `- ${escapedMarkdown(line)}`,
    ),
    '',
    '</details>',
  ].join('\n');
}

/** Two versions stand side by side, more below each other. */
function markdownTable(rows: readonly Row[]): readonly string[] {
  const cells = (...texts: readonly string[]): string =>
    `| ${texts.map(escapedMarkdown).join(' | ')} |`;
  const inWords = (row: Row): string => {
    const verdict = verdictOf(row);
    if (row.entry === null) return row.cautions.join(', ');
    return verdict === null ? row.words : `${marks[verdict]} ${row.words}`;
  };
  const [base, head, ...others] = new Set(rows.map(({ version }) => version));
  if (base === undefined || head === undefined || others.length > 0) {
    return [
      '| browser | measure | version | value | difference |',
      '| --- | --- | --- | ---: | --- |',
      ...rows.map((row) =>
        cells(row.browser, row.measure, row.version, valueText(row), inWords(row)),
      ),
    ];
  }
  return [
    cells('browser', 'measure', base, head, 'difference'),
    '| --- | --- | ---: | ---: | --- |',
    ...rows.flatMap((row, index) => {
      const before = rows[index - 1];
      if (row.entry === null || before === undefined) return [];
      const measure = [row.measure, ...row.cautions.map((one) => `(${one})`)].join(' ');
      return cells(row.browser, measure, valueText(before), valueText(row), inWords(row));
    }),
  ];
}

const longestName = 48;

/** The blocks as text, which every forge shows with signs of one width. */
function markdownBlocks(rows: readonly Row[], shown: VersionsComparison): readonly string[] {
  const drawn = drawBlocks(rows, shown);
  if (drawn === null) return [];
  const isPair = new Set(rows.map(({ version }) => version)).size === 2;
  const lines = rows.flatMap(({ browser, measure, version, blockRatios }, index) => {
    if (blockRatios.length === 0) return [];
    const name = [browser, measure, ...(isPair ? [] : [version])].join(', ');
    return { name: plain(name).slice(0, longestName), strip: drawn.strips[index] ?? '' };
  });
  const width = Math.max(...lines.map(({ name }) => name.length));
  const text = lines.map(({ name, strip }) => `${name.padEnd(width)}  ${strip}`).join('\n');
  return [...codeBlock(text), '', escapedMarkdown(drawn.key), ''];
}

/** Before the command that repeats a comparison. */
const again = 'again: ';

/** The result in one line. */
function headline(shown: VersionsComparison): string {
  const verdicts = rowsOf(shown).filter(
    ({ entry }) => entry !== null && shownChange(entry) !== null,
  );
  const [lost] = lostMeasures(shown);
  if (lost !== undefined) {
    return `${lost.version} has lost ${lost.measure} in ${browserOf(shown, lost.browser)}`;
  }
  if (verdicts.length === 0) return 'Nothing was compared';
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
