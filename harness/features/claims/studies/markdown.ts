import type {
  ClaimFacts,
  Findings,
  RebuiltCell,
  RebuiltChart,
  RebuiltFailure,
  RebuiltTable,
} from '../../../core/results/index.ts';
import { missingMark, plural } from '../../../../reports/html/number.ts';
import { measuredWords } from '../../../../reports/wording/evidence.ts';
import { npxCrossfarm } from '../../../core/model/typed-command.ts';
import { codeCell, codeSpan, escapedMarkdown } from '../../../core/cli/text/markdown.ts';

type Page = Pick<Findings, 'runs' | 'rebuilt' | 'rebuiltCharts' | 'claims'>;

/** The tables and charts of several runs as if of one: each of the last run that has it. Not empty. */
export function mergedStudies(each: readonly Page[]): Page {
  const last = <T>(
    of: (page: Page) => readonly T[] | undefined,
    nameOf: (one: T) => string,
  ): T[] => [
    ...new Map(each.flatMap((page) => (of(page) ?? []).map((one) => [nameOf(one), one]))).values(),
  ];
  return {
    runs: each.flatMap(({ runs }) => runs),
    rebuilt: last(
      ({ rebuilt }) => rebuilt,
      ({ section, title }) => `${section} ${title}`,
    ),
    rebuiltCharts: last(
      ({ rebuiltCharts }) => rebuiltCharts,
      ({ id }) => id,
    ),
    claims: last(
      ({ claims }) => claims,
      ({ id }) => id,
    ),
  };
}

/**
 * A page of Markdown for the docs: published tables and charts, each next to the run's numbers, and
 * the verdicts on their claims. Null for a run that has no case of a study.
 * @param pictures by the id of a chart, the path of its picture as the page names it
 */
export function studiesMarkdown(
  { runs, rebuilt = [], rebuiltCharts = [], claims = [] }: Page,
  pictures: ReadonlyMap<string, string>,
): string | null {
  if (rebuilt.length === 0) return null;
  const letters = [...new Set(rebuilt.map(({ section }) => section.charAt(0)))].sort();
  const studies = letters.map((letter) => {
    const of = (id: string): boolean => id.startsWith(letter);
    const drawn = rebuiltCharts.flatMap((chart) => {
      const path = pictures.get(chart.id);
      return path !== undefined && of(chart.id.toUpperCase()) ? [renderChart(chart, path)] : [];
    });
    return renderStudy(letter, {
      tables: rebuilt.filter(({ section }) => of(section)),
      charts: drawn,
      claims: claims.filter(({ id }) => of(id)),
    });
  });
  return [
    '# The published tables and charts, made anew',
    [
      `Each group of rows begins with what its source printed; below it stands what this farm measured, with the number of trials, and an interval where they are enough. “${missingMark}” stands for what was not published, and for cells without a trial of ours that counts. What a published chart showed is told in words, above ours, whose axis of time is logarithmic.`,
      'Another machine is another machine: compare shapes, and see the verdicts for what follows.',
    ].join(' '),
    `\`${npxCrossfarm} claims studies docs/studies.md ${runs.map(({ id }) => String(id)).join(' ')}\` wrote this page${runs.length > 1 ? '; each table and chart is of the last of these runs that has it' : ''}.`,
    runs.map(describeRun).join('\n'),
    ...studies,
    '',
  ].join('\n\n');
}

function describeRun({ id, suite, command, startedAt, machine }: Findings['runs'][number]): string {
  const where = machine.map(({ label, text }) => `${label}: ${text}`).join('; ');
  const day = startedAt.slice(0, 10);
  return `- Run ${String(id)} of ${day}, suite ${escapedMarkdown(suite)}: ${codeSpan(command)}. ${escapedMarkdown(where)}.`;
}

interface StudyParts {
  readonly tables: readonly RebuiltTable[];
  readonly charts: readonly string[];
  readonly claims: readonly ClaimFacts[];
}

function renderStudy(letter: string, { tables, charts, claims }: StudyParts): string {
  const [source = ''] = tables.map((one) => one.source);
  return [
    `## ${letter}. ${escapedMarkdown(source)}`,
    ...tables.map(renderTable),
    ...charts,
    ...(claims.length === 0 ? [] : [renderVerdicts(claims)]),
  ].join('\n\n');
}

function renderChart({ title, original }: RebuiltChart, path: string): string {
  return [
    `### Chart: ${escapedMarkdown(title)}`,
    `The source’s: ${escapedMarkdown(original)}`,
    `![${escapedMarkdown(title)}](${path})`,
  ].join('\n\n');
}

function renderTable({ section, title, columns, groups, note }: RebuiltTable): string {
  const rows = groups.flatMap(({ label, unit, published, rows: ours }) => [
    [
      `**${escapedMarkdown(label)}** (${unit}), published`,
      ...published.map((one) => one ?? missingMark),
    ],
    ...ours.map(({ targetId, cells }) => [
      escapedMarkdown(targetId),
      ...cells.map((cell) => renderCell(cell, unit)),
    ]),
  ]);
  return [
    `### ${section}. ${escapedMarkdown(title)}`,
    markdownTable(['', ...columns], rows),
    note,
  ].join('\n\n');
}

function renderCell(cell: RebuiltCell | RebuiltFailure | null, unit: string): string {
  if (cell === null) return missingMark;
  if ('failed' in cell) return `${cell.failed} (${plural(cell.trials, 'trial')})`;
  const { value, interval } = measuredWords(cell, unit);
  const bounds = interval === null ? '' : `${interval}, `;
  return `**${value}** (${bounds}${plural(cell.trials, 'trial')})`;
}

function renderVerdicts(claims: readonly ClaimFacts[]): string {
  const isAnswered = ({ run, verdict }: ClaimFacts): boolean =>
    run !== null || verdict === 'not-testable';
  const answered = claims.filter(isAnswered);
  const others = claims.filter((one) => !isAnswered(one)).map(({ id }) => id);
  const rows = answered.map(({ id, sentence, published, verdict, headline, command }) => [
    ...[
      id,
      escapedMarkdown(sentence),
      escapedMarkdown(published),
      `**${verdict}**: ${escapedMarkdown(headline)}`,
    ],
    codeCell(command),
  ]);
  const head = ['', 'claim', 'published', 'verdict', 'to ask it again'];
  return [
    ...(rows.length === 0 ? [] : [markdownTable(head, rows)]),
    ...(others.length === 0
      ? []
      : [
          `Not asked on this farm yet (\`${npxCrossfarm} claims reproduce\`): ${others.join(', ')}.`,
        ]),
  ].join('\n\n');
}

function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
