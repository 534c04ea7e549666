import type { FoundDevice } from '../../../core/model/device.ts';
import type { RebuiltChart, RebuiltCurve } from '../../../core/results/index.ts';
import { type Case, caseName } from '../../../core/model/case.ts';
import type { RunRecord } from '../../../core/model/run.ts';
import { groupBy } from '../../../core/analysis/grouping.ts';
import {
  type CompletedTrial,
  isCompleted,
  withoutQuarantined,
} from '../../../core/analysis/series.ts';
import { defaultAlpha } from '../../../core/analysis/stats/verdict.ts';
import type { Product } from '../judging/claim.ts';
import { measureLevel } from '../judging/judge.ts';
import { deviceFor, devicesFor } from '../judging/products.ts';
import { chooseReader } from '../judging/quantity.ts';
import { fits } from './rebuild.ts';

/** A chart that a study printed. Words describe its contents: the picture is its author's. */
interface StudyChart {
  /** Names the file that ours is written to, after the claim that it belongs to. */
  readonly id: string;
  readonly title: string;
  readonly original: string;
}

/** Time of a single call over n. */
interface CurveChart extends StudyChart {
  readonly functions: readonly string[];
  /** A curve for each; of `all` one for all browsers together. */
  readonly products: readonly Product[] | 'all';
  readonly upTo?: number;
}

/** Activity of the cores during one call. */
interface CoreChart extends StudyChart {
  readonly calls: readonly (readonly [product: Product, name: string, n: number])[];
}

const benchmark = 'fib';

const twoEngines: readonly Product[] = ['chromium', 'firefox'];
const browsers: readonly Product[] = [...twoEngines, 'safari'];

const sync = ['syncFib', 'asyncFib'];
const busy = ['syncBusyFib', 'asyncBusyFib'];

const curves: readonly CurveChart[] = [
  {
    id: 'a0-sync',
    title: 'syncFib, all browsers',
    original:
      'One curve, the mean over all browsers and devices, for n from 1 to 45: it lies near zero and then rises steeply.',
    functions: ['syncFib'],
    products: 'all',
  },
  {
    id: 'a1-sync-and-async',
    title: 'syncFib and asyncFib, all browsers',
    original:
      'Two curves, the means over all browsers and devices, for n from 1 to 26: asyncFib rises to 11.5 s, syncFib stays under 9 ms.',
    functions: sync,
    products: 'all',
    upTo: 26,
  },
  {
    id: 'a2-busy',
    title: 'syncBusyFib and asyncBusyFib, all browsers',
    original: 'Two curves for n up to 13, on top of each other.',
    functions: busy,
    products: 'all',
  },
  {
    id: 'a3-sync-and-async',
    title: 'syncFib and asyncFib in Firefox and Chromium, on Linux',
    original:
      'Four curves for n up to 30: asyncFib rises much sooner in Firefox (49.7 s at 30) than in Chromium (9.2 s); syncFib is slightly faster in Firefox.',
    functions: sync,
    products: twoEngines,
  },
  {
    id: 'a5-busy',
    title: 'syncBusyFib and asyncBusyFib in Firefox and Chromium, on Linux',
    original:
      'Four curves for n up to 13: in each browser the two lie on each other, in Firefox a little lower than in Chromium.',
    functions: busy,
    products: twoEngines,
  },
  {
    id: 'a8-with-safari',
    title: 'syncFib and asyncFib in Safari, Firefox and Chromium',
    original:
      'Six curves, on macOS with 4 logical cores: syncFib is fastest in Safari (12.8 s at 45, 25.1 and 25.7 in the others), and asyncFib lies between Chromium and Firefox there (24.7 s at 28, 9.4 and 33.1).',
    functions: sync,
    products: browsers,
  },
  {
    id: 'a14-memo',
    title: 'asyncFib and asyncMemoFib in Firefox and Chromium, on Linux',
    original: 'Four curves: the two are almost the same in Firefox, and the same in Chromium.',
    functions: ['asyncFib', 'asyncMemoFib'],
    products: twoEngines,
    upTo: 26,
  },
];

const cores: readonly CoreChart[] = [
  {
    id: 'a4-cores',
    title: 'Cores during asyncFib(30)',
    original:
      'The load of 12 logical cores over time. Firefox: more than one core is used, never two at once. Chromium: all twelve.',
    calls: [
      ['firefox', 'asyncFib', 30],
      ['chromium', 'asyncFib', 30],
    ],
  },
  {
    id: 'a5-cores',
    title: 'Cores during the functions with busywork',
    original:
      'The load of 12 logical cores over time. Firefox, syncBusyFib(13) and asyncBusyFib(13): one core near 100 %, in almost the same picture. Chromium, asyncBusyFib(13): not several cores at once.',
    calls: [
      ['firefox', 'syncBusyFib', 13],
      ['firefox', 'asyncBusyFib', 13],
      ['chromium', 'asyncBusyFib', 13],
    ],
  },
];

/** Draws the published charts that a run of `studies-full` has numbers for. Pure. */
export function rebuildCharts({ trials, presences }: RunRecord): readonly RebuiltChart[] {
  const ours = withoutQuarantined(trials)
    .filter(isCompleted)
    .filter(({ job }) => job.case.benchmark.id === benchmark);
  const drawn = curves.map((chart) => curveChart(chart, ours, presences));
  const watched = cores.map((chart) => coreChart(chart, ours, presences));
  return [
    ...drawn.filter((chart) => chart.curves.some(({ points }) => points.length >= fewestPoints)),
    ...watched.filter(({ calls }) => calls.length > 0),
  ];
}

/** A curve of fewer says nothing of its shape. */
const fewestPoints = 5;

type Presences = RunRecord['presences'];

function curveChart(
  { id, title, original, functions, products, upTo = Infinity }: CurveChart,
  trials: readonly CompletedTrial[],
  presences: Presences,
): Extract<RebuiltChart, { kind: 'curves' }> {
  const lines = functions.flatMap((name): readonly RebuiltCurve[] => {
    const own = trials.filter(({ job }) => {
      const n = nOf(job.case);
      return n <= upTo && fits(job.case, { function: name, n });
    });
    const of = ({ device }: FoundDevice): RebuiltCurve['points'] =>
      pointsOf(own.filter(({ job }) => job.deviceId === device.id));
    if (products === 'all') {
      const each = browsers.flatMap((product) => devicesFor(product, presences)).map(of);
      return [{ label: `${name}, mean of all`, points: meanOf(each) }];
    }
    return products.flatMap((product) => {
      const found = deviceFor(product, presences);
      return found === null ? [] : [{ label: `${name}, ${found.device.name}`, points: of(found) }];
    });
  });
  return { kind: 'curves', id, title, original, over: 'n', unit: 'ms', curves: lines };
}

function nOf({ parameters }: Case): number {
  return Number(parameters['n']);
}

/** The median of the first calls at each n. */
function pointsOf(trials: readonly CompletedTrial[]): RebuiltCurve['points'] {
  const byN = groupBy(trials, ({ job }) => nOf(job.case));
  return [...byN]
    .toSorted(([one], [other]) => one - other)
    .flatMap(([x, own]) => {
      const values = own.flatMap(
        (trial) => chooseReader('first-call', trial.job).read(trial) ?? [],
      );
      const measured = measureLevel(values, defaultAlpha);
      return measured === null ? [] : [{ x, ...measured }];
    });
}

/** Over browsers, at each n that all of them have: a mean over fewer would jump. */
function meanOf(each: readonly RebuiltCurve['points'][]): RebuiltCurve['points'] {
  const some = each.filter((points) => points.length > 0);
  return (some[0] ?? []).flatMap(({ x }) => {
    const values = some.flatMap((points) => points.find((point) => point.x === x)?.value ?? []);
    if (values.length < some.length) return [];
    const value = values.reduce((sum, one) => sum + one, 0) / values.length;
    return [{ x, value, low: null, high: null }];
  });
}

function coreChart(
  { id, title, original, calls }: CoreChart,
  trials: readonly CompletedTrial[],
  presences: Presences,
): Extract<RebuiltChart, { kind: 'cores' }> {
  const found = calls.flatMap(([product, name, n]) => {
    const device = deviceFor(product, presences)?.device;
    const trial = trials.find(
      ({ job }) => job.deviceId === device?.id && fits(job.case, { function: name, n }),
    );
    if (device === undefined || trial === undefined) return [];
    const label = `${name}(${String(n)}), ${device.name}`;
    return [{ label, caseName: caseName(trial.job.case), targetId: device.id }];
  });
  return { kind: 'cores', id, title, original, calls: found };
}
