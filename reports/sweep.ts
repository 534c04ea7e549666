import type { SweepFindings, SweepPointFacts, SweepStep } from '../harness/core/results/index.ts';
import { html, type Html } from './html/escape.ts';
import {
  formatCount,
  formatPlain,
  formatQuantity,
  formatThreeDigits,
  formatTick,
  missingMark,
  formatShare,
  isTime,
  plural,
} from './html/number.ts';
import { frame, page } from './html/page.ts';
import { table } from './html/table.ts';
import {
  drawVersions,
  previewVersions,
  type VersionChart,
  versionChartStyle,
} from './html/version-chart.ts';
import { npxCrossfarm } from '../harness/core/model/typed-command.ts';
import { changeInWords } from './wording/change.ts';

/** One case over builds of one browser, as an HTML file: where it changed, its value against the version, every number. */
export function renderSweep(findings: SweepFindings): string {
  const { caseName } = findings;
  return page({
    title: `${caseName} over ${findings.points.length} builds`,
    body: frame({
      ...findings,
      kind: 'sweep',
      title: caseName,
      finding: sweepHeadline(findings),
      links: [
        ['builds', 'Builds'],
        ['repeat', 'Repeat it'],
      ],
      sections: [lead(findings), builds(findings), repeat(findings)],
    }),
    uses: [{ style: versionChartStyle }],
    data: { format: 'crossfarm-sweep-1', ...findings },
  });
}

function lead(findings: SweepFindings): Html {
  return html`<section class="lead" aria-labelledby="in-short">
    <h2 id="in-short">In short</h2>
    ${changes(findings)} ${chart(findings)} ${list(restSentences(findings))}
  </section> `;
}

/** Says in a sentence what a sweep found: its largest change; null without one. */
export function sweepHeadline(findings: SweepFindings): string | null {
  const size = ({ ratio }: SweepStep): number => Math.abs(Math.log(ratio));
  const [largest] = findings.changes.toSorted((one, other) => size(other) - size(one));
  return largest === undefined
    ? null
    : `${findings.caseName}: ${changeSentence(largest, findings)}`;
}

/** The changes, with the numbers that they have in the chart. */
function changes(findings: SweepFindings): Html | false {
  const sentences = changeSentences(findings);
  if (findings.changes.length === 0) return list(sentences);
  return html`<ol>
    ${sentences.map((sentence) => html`<li><bdi>${sentence}</bdi></li> `)}
  </ol>`;
}

function list(sentences: readonly string[]): Html | false {
  if (sentences.length === 0) return false;
  return html`<ul>
    ${sentences.map((sentence) => html`<li><bdi>${sentence}</bdi></li> `)}
  </ul>`;
}

/**
 * Value against version. Effects of a block on all builds cancel: a value is its ratio, in units of
 * the reference build. Null where the reference build has no value.
 */
function chartOf(findings: SweepFindings): VersionChart | null {
  const { points, changes, reference, metric, unit } = findings;
  const scale = points.find(({ build }) => build === reference)?.value ?? null;
  const drawn = points.filter(({ ratio }) => ratio !== null);
  if (scale === null || drawn.length < 2) return null;
  const majors = drawn.map(({ version }) => Number.parseInt(version, 10));
  const areApart = new Set(majors).size === drawn.length && majors.every(Number.isFinite);
  const places = new Map(drawn.map(({ build }, place) => [build, place]));
  return {
    label: `${metric} against version`,
    formatValue: (value) => formatTick(value, { unit, resolution: 0 }),
    marks: drawn.map((point, place) => {
      const { ratio, low, high, build, version, trials } = point;
      const middle = ratio ?? 1;
      const [value = '', against = ''] = pointTexts(point, unit);
      const isReference = build === reference;
      const relation = isReference ? 'the reference build' : `${against} times ${reference}`;
      return {
        x: areApart ? (majors[place] ?? 0) : place,
        label: areApart ? String(majors[place]) : version,
        value: middle * scale,
        low: (low ?? middle) * scale,
        high: (high ?? middle) * scale,
        href: `#${anchor(build)}`,
        words: [`${build}: ${value}`, `${relation}, ${plural(trials, 'trial')}`],
      };
    }),
    steps: changes.flatMap(({ between: [before, since], verdict }) => {
      const [from, to] = [places.get(before), places.get(since)];
      if (from === undefined || to === undefined) return [];
      return [{ from, to, isSlower: verdict === 'slower' }];
    }),
  };
}

/** The chart of a sweep without words, for a card that leads to it; null where there is nothing to draw. */
export function previewSweep(findings: SweepFindings): Html | null {
  const drawn = chartOf(findings);
  return drawn === null ? null : previewVersions(drawn);
}

function chart(findings: SweepFindings): Html | false {
  const drawn = chartOf(findings);
  if (drawn === null) return false;
  const { metric, reference } = findings;
  return html`<h3>${metric} against version</h3>
    ${drawVersions(drawn)}
    <p class="soft">
      Each value is the ratio to ${reference} within blocks, times its median. Bars are intervals,
      each for itself. A coloured stripe is a change, with its number in the list.
    </p>`;
}

/** Anchor of a build's row. */
function anchor(build: string): string {
  return `build-${build.replace(/[^\w.-]+/g, '-')}`;
}

function builds(findings: SweepFindings): Html {
  const { points, changes, reference, metric, unit } = findings;
  const since = new Map(changes.map((step) => [step.between[1], step]));
  return html`<section aria-labelledby="builds">
    <h2 id="builds">Builds</h2>
    ${table({
      id: 'builds-table',
      caption: `${metric} of each build, beside ${reference}`,
      stack: true,
      columns: [
        { title: 'Build' },
        { title: metric, label: metric, kind: 'number', strong: true },
        { title: `Ratio to ${reference}`, label: 'ratio', kind: 'number' },
        { title: 'Time to steady state', label: 'time to steady state', kind: 'number' },
        { title: 'Cores busy', label: 'cores busy', kind: 'number' },
        { title: 'Trials', label: 'trials', kind: 'number' },
        { title: 'Change', label: 'change', kind: 'text' },
      ],
      groups: [
        {
          rows: points.map((point) => {
            const step = since.get(point.build);
            return [
              html`<bdi id="${anchor(point.build)}">${point.build}</bdi>`,
              ...pointTexts(point, unit),
              formatCount(point.trials),
              step === undefined ? '' : changeSentence(step, findings),
            ];
          }),
        },
      ],
    })}
  </section> `;
}

/** Cells of a build's row: value, ratio, time to steady state, cores busy. */
export function pointTexts(point: SweepPointFacts, unit: string): readonly string[] {
  const quantity = (value: number | null, of: string): string =>
    value === null ? missingMark : formatQuantity(value, { unit: of, resolution: 0 });
  return [
    quantity(point.value, unit),
    ratioText(point),
    quantity(point.steadyAfterMs, 'ms'),
    point.coresBusy === null ? missingMark : formatPlain(point.coresBusy),
  ];
}

/** "1.94 (1.30 … 3.11)", without an interval where it is not known yet. */
function ratioText({ ratio, low, high }: SweepPointFacts): string {
  if (ratio === null) return missingMark;
  const ends = low === null || high === null || low === high ? null : [low, high];
  const range = ends === null ? '' : ` (${ends.map(formatThreeDigits).join(' … ')})`;
  return `${formatThreeDigits(ratio)}${range}`;
}

function repeat({ command, runs }: SweepFindings): Html {
  return html`<section aria-labelledby="repeat">
    <h2 id="repeat">Repeat it</h2>
    <pre><code data-copy>${command}</code></pre>
    <p>Every trial: ${runs.map((run) => html`<code>${npxCrossfarm} report ${run}</code> `)}</p>
  </section> `;
}

/** The changes that a sweep found, a sentence each. */
export function changeSentences(findings: SweepFindings): readonly string[] {
  const { changes, points } = findings;
  return changes.length === 0
    ? [`No change between ${plural(points.length, 'build')} is decided.`]
    : changes.map((step) => changeSentence(step, findings));
}

/** Open questions of a sweep, and its excluded trials. */
export function restSentences(findings: SweepFindings): readonly string[] {
  const { open, leftOut, notMeasured, quarantined, reference, referenceSpread } = findings;
  return [
    ...(open.length === 0
      ? []
      : [`Not decided: ${open.map(({ between }) => between.join(' → ')).join(', ')}.`]),
    ...(notMeasured.length === 0
      ? []
      : [
          `Not measured, as nothing changed around them that is decided: ${notMeasured.join(', ')}.`,
        ]),
    ...leftOut.map(({ build, because }) => `${build} is left out: ${because}`),
    ...(quarantined === 0
      ? []
      : [`${plural(quarantined, 'trial')} excluded, because the machine was busy.`]),
    ...(referenceSpread === null
      ? []
      : [
          `Trials of the reference build, ${reference}, spread by ${formatShare(referenceSpread)}.`,
        ]),
  ];
}

/** "2.1× faster (1.9 … 2.3×) since chromium@117, after chromium@116". */
function changeSentence(
  step: SweepStep,
  { unit, margin }: Pick<SweepFindings, 'unit' | 'margin'>,
): string {
  const words = changeInWords({ ...step, margin, isTime: isTime(unit), moreMinutes: null });
  const [before, since] = step.between;
  return `${words} since ${since}, after ${before}`;
}
