import type { WarmUpFacts } from '../harness/results/index.ts';
import { printable } from './html/escape.ts';
import { formatPlain, formatQuantity, formatTick } from './html/number.ts';
import { poolIterations, type Pool } from './html/iteration-chart.ts';
import { findEnds } from './html/ticks.ts';
import { explainWarmUp } from './wording/warm-up.ts';

const mostRows = { warmUp: 24, timed: 12 } as const;
const barWidth = 40;

/**
 * One trial's iterations for a terminal: a bar and a number for each, in order, and what they show
 * in words. Plain text without colours; invisible characters are stripped from all names.
 */
export function drawWarmUp(facts: WarmUpFacts): string {
  const { target, run, block, chosen } = facts;
  const warmUp = poolIterations(facts.warmUp, { from: 1, most: mostRows.warmUp });
  const timed = poolIterations(facts.timed, {
    from: facts.warmUp.length + 1,
    most: mostRows.timed,
  });
  const scale = scaleOver([...warmUp, ...timed]);
  const lines = [
    facts.title,
    `${target.name} (${target.browser}), run ${String(run)}, block ${String(block)}: ${chosen}`,
    '',
    `before the window: ${facts.metric} of one operation${orderNote(facts)}${scaleNote(scale, facts.unit)}`,
    ...warmUp.map((pool) => row(pool, { facts, scale })),
    'timed:',
    ...timed.map((pool) => row(pool, { facts, scale })),
    '',
    ...explainWarmUp(facts),
  ];
  return lines.map((line) => printable(line).replaceAll('\u00a0', ' ').trimEnd()).join('\n');
}

interface Scale {
  readonly from: number;
  readonly to: number;
  readonly logarithmic: boolean;
}

/** Linear from 0, unless the first calls are so slow that the others would have no bar at all. */
function scaleOver(pools: readonly Pool[]): Scale {
  const positive = pools.map(({ middle }) => middle).filter((value) => value > 0);
  if (positive.length === 0) return { from: 0, to: 1, logarithmic: false };
  const [least, most] = findEnds(positive);
  if (most / least <= 8) return { from: 0, to: most, logarithmic: false };
  return { from: least / 2, to: most, logarithmic: true };
}

function scaleNote({ from, to, logarithmic }: Scale, unit: string): string {
  const [low, high] = [from, to].map((end) => formatTick(end, { unit, resolution: 0 }));
  return logarithmic ? `; bars logarithmic, from ${String(low)} to ${String(high)}` : '';
}

/** Explains the left column: when the iterations ended, or their numbers where that is not known. */
function orderNote({ course }: WarmUpFacts): string {
  return course === null ? '' : ', by the time since the first call began';
}

function barOf(value: number, { from, to, logarithmic }: Scale): string {
  if (!(value > 0)) return '';
  const share = logarithmic
    ? Math.log(value / from) / Math.log(to / from)
    : (value - from) / (to - from);
  return '█'.repeat(Math.max(1, Math.round(share * barWidth)));
}

function row(
  pool: Pool,
  { facts, scale }: { readonly facts: WarmUpFacts; readonly scale: Scale },
): string {
  const { first, last, middle, count } = pool;
  const { unit, resolution, course } = facts;
  const numbers = first === last ? String(first) : `${String(first)}–${String(last)}`;
  const endMs = course?.endMs[last - 1];
  const place =
    endMs === undefined ? numbers : formatQuantity(endMs, { unit: 'ms', resolution: 0 });
  const value = formatQuantity(middle, { unit, resolution });
  const note =
    count > 1 && pool.high > pool.low ? `  up to ${formatPlain(pool.high / middle)}×` : '';
  return `${place.padStart(11)}  ${value.padStart(10)}  ${barOf(middle, scale)}${middle > 0 ? note : ''}`;
}
