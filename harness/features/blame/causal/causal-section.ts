import { html, raw, type Content, type Html } from '../../../../reports/html/escape.ts';
import {
  formatQuantity,
  formatThreeDigits,
  missingMark,
  plural,
} from '../../../../reports/html/number.ts';
import { type Column, type Row, table } from '../../../../reports/html/table.ts';
import type { Section } from '../../../../reports/sections/report.ts';
import type { CausalFacts } from '../../../core/results/index.ts';
import { formatSlope } from './slope.ts';

type Browser = CausalFacts['browsers'][number];
type FunctionCost = Browser['functions'][number];

const style = [
  '.delays{display:block;width:100%;min-width:150px;max-width:220px;overflow:hidden}',
  '.delays .axis{stroke:var(--line)}.delays .whole{stroke:var(--soft);stroke-dasharray:3 3}',
  '.delays .fit{stroke:var(--strong);stroke-width:2}.delays .band{fill:var(--strong);opacity:.15}',
  '.delays .ends{stroke:var(--ink)}.delays circle{fill:var(--ink)}',
  '.delays text{font-size:10px;fill:var(--soft)}',
  '[aria-labelledby=causal] tbody :is(td,th){vertical-align:middle}[aria-labelledby=causal] small{display:block}',
].join('');

/** What the time of each function of a page costs. */
export const causalSection: Section = {
  id: 'causal',
  title: 'Faster functions',
  heading: 'What a faster function brings',
  shape: 'open',
  style,
  leads: {
    kind: 'causal',
    finding: ({ findings: { causal } }) => (causal === undefined ? null : headline(causal)),
  },
  render: ({ findings: { causal } }) =>
    causal !== undefined &&
    html`${causal.browsers.map(drawBrowser)}
      <p class="soft">
        One function waited at its calls, in two sizes, and copies without a wait stood in the same
        blocks; how long it really waited is its delay. Dots are medians with their intervals, the
        line is the slope with its interval, the dashed one is that of a function whose whole time
        counts. All slopes hold together with 95 %. What a function would save is its own time by
        the slope, as far as that is a line.
        ${
          causal.notDelayed > 0 &&
          `${plural(causal.notDelayed, 'other function is', 'other functions are')} called, and did not wait.`
        }
      </p>
      <pre><code data-copy>${causal.command}</code></pre>`,
};

function headline({ browsers }: CausalFacts): string {
  const found = browsers.flatMap(({ browser, measure, unit, functions }) => {
    const best = functions.find(({ low }) => low !== null && low > 0);
    return best === undefined ? [] : [{ browser, measure, unit, best }];
  });
  const [first] = found;
  if (first === undefined) {
    const isKnown = browsers.every(({ functions }) => functions.every(({ low }) => low !== null));
    return isKnown
      ? 'Nothing waits for these functions'
      : 'What a faster function brings is undecided';
  }
  const { browser, measure, unit, best } = first;
  const where = browsers.length > 1 ? ` in ${browser}` : '';
  return `A faster ${best.name} brings most${where}: each ms in it costs ${formatThreeDigits(best.slope)} ${unit} of ${measure}`;
}

function drawBrowser({ browser, measure, unit, value, functions }: Browser, index: number): Html {
  const isProfiled = functions.some(({ selfMs }) => selfMs !== null);
  const columns: readonly (Column & { readonly label: string })[] = [
    { title: 'Function', label: 'Function' },
    ...(isProfiled ? [named('Own time', 'number'), named('Would save')] : []),
    named(`${unit} per ms in it`),
    named('Delay and change'),
  ];
  const whole = formatQuantity(value, { unit, resolution: 0 });
  const scale = findScale(functions);
  return table({
    id: `causal-${String(index)}`,
    caption: html`<bdi>${measure}</bdi> in <bdi>${browser}</bdi>: ${whole} without a delay`,
    stack: true,
    columns,
    groups: [{ rows: functions.map((one) => drawRow(one, { unit, isProfiled, scale })) }],
  });
}

function named(title: string, kind: 'text' | 'number' = 'text'): Column & { label: string } {
  return { title, label: title, kind };
}

interface Drawing {
  readonly unit: string;
  readonly isProfiled: boolean;
  readonly scale: Scale;
}

function drawRow(one: FunctionCost, { unit, isProfiled, scale }: Drawing): Row {
  const { name, calls, selfMs, meaning } = one;
  const slope = formatSlope({ value: one.slope, low: one.low, high: one.high });
  const own = selfMs === null ? '' : formatQuantity(selfMs, { unit: 'ms', resolution: 0 });
  return [
    html`<b><bdi>${name}</bdi></b> <small>${plural(calls, 'call')}</small>`,
    ...(isProfiled ? [own, formatGain(one, unit)] : []),
    html`<span>${slope}${meaning !== '' && html` <small>${meaning}</small>`}</span>`,
    drawDelays(one, { scale, unit }),
  ];
}

/** The gain of a function that takes no time; missing where its slope is no line or undecided. */
function formatGain({ selfMs, slope, low, high, isLine }: FunctionCost, unit: string): Content {
  if (selfMs === null || low === null || high === null || !isLine) return missingMark;
  const short = (one: number): string => formatThreeDigits(Math.max(0, one * selfMs));
  return `${short(slope)} ${unit} (${short(low)} … ${short(high)})`;
}

/** The same for all functions of a browser, so that their lines can be compared. */
interface Scale {
  readonly longest: number;
  readonly least: number;
  readonly most: number;
}

function findScale(functions: readonly FunctionCost[]): Scale {
  const points = functions.flatMap((one) => one.points);
  const longest = Math.max(0, ...points.map(({ delayMs }) => delayMs)) || 1;
  return {
    longest,
    least: Math.min(0, ...points.map(({ low }) => low)),
    most: Math.max(longest, ...points.map(({ high }) => high)),
  };
}

const [width, height, margin] = [180, 72, 13];

/** Change of the measure by delay, with the slope through it. */
function drawDelays(
  { name, points, slope, low, high }: FunctionCost,
  { scale, unit }: Pick<Drawing, 'scale' | 'unit'>,
): Html {
  const { longest, least, most } = scale;
  const x = (ms: number): string => (margin + (ms / longest) * (width - 2 * margin)).toFixed(1);
  const y = (change: number): string => {
    const share = (change - least) / (most - least);
    return (height - margin - share * (height - 2 * margin)).toFixed(1);
  };
  const line = (kind: string, rise: number): string =>
    `<line class="${kind}" x1="${x(0)}" y1="${y(0)}" x2="${x(longest)}" y2="${y(rise * longest)}"/>`;
  const band =
    low === null || high === null
      ? ''
      : `<path class="band" d="M${x(0)} ${y(0)}L${x(longest)} ${y(low * longest)}V${y(high * longest)}z"/>`;
  const marks = points.map(
    (one) =>
      `<line class="ends" x1="${x(one.delayMs)}" x2="${x(one.delayMs)}" y1="${y(one.low)}" y2="${y(one.high)}"/>` +
      `<circle cx="${x(one.delayMs)}" cy="${y(one.change)}" r="3"/>`,
  );
  const words = points.map(
    (one) =>
      `+${formatThreeDigits(one.delayMs)} ms: ${one.change < 0 ? '−' : '+'}${formatThreeDigits(Math.abs(one.change))} ${unit}`,
  );
  const label = `${name}: ${words.join(', ')}`;
  return html`<svg class="delays" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">
    <title>${label}</title>
    ${raw(`${line('axis', 0)}${line('whole', 1)}${band}${line('fit', slope)}${marks.join('')}`)}
    <text x="${x(longest)}" y="${height - 3}" text-anchor="end">
      +${formatThreeDigits(longest)} ms
    </text>
  </svg>`;
}
