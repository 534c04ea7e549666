import type {
  SweepFindings,
  SweepPointFacts,
  SweepStepFacts,
} from '../harness/core/results/index.ts';
import { type CurvePoint, drawCurves } from './html/charts.ts';
import { html, type Html } from './html/escape.ts';
import {
  formatCount,
  formatPlain,
  formatQuantity,
  formatThreeDigits,
  missingMark,
  formatShare,
  isTime,
  plural,
} from './html/number.ts';
import { frame, page } from './html/page.ts';
import { table } from './html/table.ts';
import { npxCrossfarm } from '../harness/core/model/typed-command.ts';
import { changeInWords } from './wording/change.ts';

/** One case over builds of one browser, as an HTML file: where it changed, its value against the version, every number. */
export async function renderSweep(findings: SweepFindings): Promise<string> {
  const { caseName, changes } = findings;
  const size = ({ ratio }: SweepStepFacts): number => Math.abs(Math.log(ratio));
  const [largest] = changes.toSorted((one, other) => size(other) - size(one));
  return page({
    title: `${caseName} over ${findings.points.length} builds`,
    body: frame({
      ...findings,
      kind: 'sweep',
      title: caseName,
      finding: largest === undefined ? null : `${caseName}: ${changeSentence(largest, findings)}`,
      links: [
        ['builds', 'Builds'],
        ['repeat', 'Repeat it'],
      ],
      sections: [await lead(findings), builds(findings), repeat(findings)],
    }),
    data: { format: 'crossfarm-sweep-1', ...findings },
  });
}

async function lead(findings: SweepFindings): Promise<Html> {
  return html`<section class="lead" aria-labelledby="in-short">
    <h2 id="in-short">In short</h2>
    ${list(changeSentences(findings))} ${await chart(findings)} ${list(restSentences(findings))}
  </section> `;
}

function list(sentences: readonly string[]): Html | false {
  if (sentences.length === 0) return false;
  return html`<ul>
    ${sentences.map((sentence) => html`<li><bdi>${sentence}</bdi></li> `)}
  </ul>`;
}

/**
 * Value against version. Effects of a block on all builds cancel: a value is its ratio, in units of
 * the reference build.
 */
async function chart({ points, reference, caseName, metric, unit }: SweepFindings): Promise<Html> {
  const scale = points.find(({ build }) => build === reference)?.value ?? null;
  if (scale === null) return html``;
  const majors = points.map(({ version }) => Number.parseInt(version, 10));
  const areApart = new Set(majors).size === points.length && majors.every(Number.isFinite);
  const drawn = points.flatMap(({ ratio, low, high }, place): readonly CurvePoint[] => {
    if (ratio === null) return [];
    const x = areApart ? (majors[place] ?? 0) : place + 1;
    const [least, most] = [low ?? ratio, high ?? ratio];
    return [
      { curve: 0, panel: caseName, x, y: ratio * scale, low: least * scale, high: most * scale },
    ];
  });
  const what = `${metric} against ${areApart ? 'version' : 'builds in their order'}`;
  return drawCurves({
    id: 'value-against-version',
    title: what,
    caption: html`Each value is the ratio to ${reference} within blocks, times its median; bars are
    intervals, each for itself.`,
    xLabel: areApart ? 'version →' : 'build, the oldest first →',
    yLabel: `↑ ${metric}`,
    unit,
    twin: true,
    curves: [{ label: metric, colour: 0 }],
    points: drawn,
    describePanel: () => `${what}. The numbers are in the table below.`,
  });
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
              html`<bdi>${point.build}</bdi>`,
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
  step: SweepStepFacts,
  { unit, margin }: Pick<SweepFindings, 'unit' | 'margin'>,
): string {
  const words = changeInWords({ ...step, margin, isTime: isTime(unit), moreMinutes: null });
  const [before, since] = step.between;
  return `${words} since ${since}, after ${before}`;
}
