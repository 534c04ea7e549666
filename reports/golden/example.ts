import { withCentres } from '../../harness/core/analysis/table.ts';
import type { BenchmarkFacts, CaseRow, Cell, CpuFacts, Findings, GrowthChart, RunFacts, TargetFacts } from '../../harness/core/results/index.ts';
import { someCourses } from './example-course.ts';
import { someCpu } from './example-cpu.ts';
import { someCrossover, someTruth } from './example-curves.ts';
import { withSteadyState } from './example-steady.ts';
import { chromium, firefox, pixel, webkit } from './example-targets.ts';
import { makeVerdicts } from './example-verdicts.ts';

/** Builders of findings for tests: everything follows from a seed, so golden files do not change. */

/** Lehmer's generator with Park and Miller's constants: enough for pictures, and the same everywhere. */
export function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

export const aRun: RunFacts = {
  id: 12,
  suite: 'quick',
  seed: 20_261_121,
  isolation: 'session',
  blocks: 9,
  command: 'npx crossfarm run --suite quick --trials 9 --seed 20261121',
  status: 'finished',
  startedAt: '2026-11-21T05:58:12Z',
  finishedAt: '2026-11-21T06:24:47Z',
  cells: { planned: 468, completed: 332, failed: 10, timedOut: 9, skipped: 117 },
  machine: [
    { label: 'Processor', text: 'AMD EPYC 9B14' },
    { label: 'Cores', text: '2 logical cores' },
    { label: 'System', text: 'Debian GNU/Linux 12 (bookworm)' },
    { label: 'Memory', text: '7.8 GiB' },
    { label: 'Virtual machine', text: 'kvm' },
  ],
  environment: [
    { label: 'Load', text: '0.4 to 1.9 over all trials' },
    { label: 'Foreign CPU', text: 'at most 3 % of any timed window' },
    { label: 'Frequency', text: 'not shown by this machine' },
  ],
};

/** How one target changes a time: factor on the case, spread between trials, step of its clock in ms. */
interface Behaviour {
  readonly target: TargetFacts;
  readonly factor: number;
  readonly spread: number;
  readonly resolution: number;
}

const behaviours: readonly Behaviour[] = [
  { target: chromium, factor: 1, spread: 0.03, resolution: 0.005 },
  { target: firefox, factor: 3.1, spread: 0.05, resolution: 0.02 },
  { target: webkit, factor: 0.52, spread: 0.04, resolution: 0.02 },
];

interface CellFacts {
  readonly behaviour: Behaviour;
  readonly centre: number;
  readonly trials: number;
  readonly random: () => number;
}

/** A measured cell with the interval that the order statistics of its trials give. */
export function aCell({ behaviour, centre, trials, random }: CellFacts): Cell {
  const { spread } = behaviour;
  // Short work is repeated inside one iteration until it lasts a hundred steps of the clock.
  const resolution = behaviour.resolution / Math.ceil((100 * behaviour.resolution) / centre);
  const values = Array.from({ length: trials }, () => {
    const noise = random() + random() + random() - 1.5;
    return Math.round((centre * Math.exp(spread * noise)) / resolution) * resolution;
  });
  const sorted = values.toSorted((a, b) => a - b);
  const at = (index: number): number => sorted[Math.floor(index)] ?? 0;
  const cut = trials >= 9 ? 1 : 0;
  return {
    kind: 'measured',
    targetId: behaviour.target.id,
    centre: (at((trials - 1) / 2) + at(trials / 2)) / 2,
    low: at(cut),
    high: at(trials - 1 - cut),
    confidence: trials >= 9 ? 0.961 : 1 - 0.5 ** (trials - 1),
    trials,
    values,
    resolution,
    unsteady: [],
  };
}

const benchmarks: readonly BenchmarkFacts[] = [
  {
    id: 'fib',
    version: 1,
    title: 'Fibonacci',
    description: 'Recursive Fibonacci numbers, with and without awaiting every call.',
  },
  {
    id: 'workers',
    version: 2,
    title: 'Starting workers',
    description: 'Time from creating a worker to its first message.',
  },
];

interface RowFacts {
  readonly benchmark: string;
  readonly parameters: CaseRow['parameters'];
  readonly metric?: string;
  readonly cells: readonly Cell[];
}

export function aRow({ benchmark, parameters, metric = 'duration', cells }: RowFacts): CaseRow {
  const values = Object.entries(parameters).map(([name, value]) => `${name}=${String(value)}`);
  const caseName = [benchmark, ...values].join(' ');
  const flags = values.map((value) => `--param ${value}`).join(' ');
  const devices = cells.map(({ targetId }) => targetId);
  return {
    caseName,
    label: exampleLabel(benchmark, parameters),
    benchmark,
    parameters,
    metric,
    unit: 'ms',
    direction: 'lower',
    cells,
    command: `npx crossfarm run --bench ${benchmark} ${flags} --device ${devices.join(',')} --trials 9 --isolation session`,
  };
}

/** As `harness/core/model/case-label.ts` makes it of the cases of this example. */
function exampleLabel(benchmark: string, { function: name, n, count }: CaseRow['parameters']): string {
  if (name !== undefined) return `${String(name)}(${String(n)})`;
  return count === undefined ? benchmark : `${benchmark}(${String(count)})`;
}

function fibRows(random: () => number): readonly CaseRow[] {
  const functions = { asyncFib: 0.0017, fib: 0.000_02 } as const;
  return Object.entries(functions).flatMap(([name, unit]) =>
    [18, 20, 22, 24, 26].map((n) =>
      aRow({
        benchmark: 'fib',
        parameters: { function: name, n },
        cells: behaviours.map((behaviour) => {
          const factor = name === 'fib' ? Math.sqrt(behaviour.factor) : behaviour.factor;
          const cell = aCell({
            behaviour,
            centre: unit * 1.618 ** n * factor,
            trials: 9,
            random,
          });
          const wanders = behaviour.target === firefox && n === 26 && cell.kind === 'measured';
          if (!wanders) return cell;
          const quarantined = [cell.centre * 1.12, cell.centre * 1.31];
          return { ...cell, unsteady: [{ label: 'no steady state', trials: 4 }], quarantined };
        }),
      }),
    ),
  );
}

function workerRows(random: () => number): readonly CaseRow[] {
  return [1, 10, 100].map((count) =>
    aRow({
      benchmark: 'workers',
      parameters: { count, place: 'parallel' },
      cells: behaviours.map((behaviour) =>
        behaviour.target === firefox && count === 100
          ? {
              kind: 'missing',
              targetId: 'firefox',
              why: 'every trial timed out after 60 s',
            }
          : aCell({
              behaviour,
              centre: 4.1 * count ** 0.9 * behaviour.factor ** 0.3,
              trials: count === 100 ? 4 : 9,
              random,
            }),
      ),
    }),
  );
}

export function makeGrowth(rows: readonly CaseRow[]): GrowthChart {
  return {
    benchmark: 'fib',
    title: 'Fibonacci: duration over n',
    metric: 'duration',
    unit: 'ms',
    over: 'n',
    by: 'function',
    fixed: 'on the main thread',
    points: rows.flatMap((row) =>
      row.cells.flatMap((cell) =>
        cell.kind === 'missing'
          ? []
          : [
              {
                targetId: cell.targetId,
                by: String(row.parameters['function']),
                x: Number(row.parameters['n']),
                y: cell.centre,
                low: cell.low,
                high: cell.high,
              },
            ],
      ),
    ),
    fits: ['asyncFib', 'fib'].flatMap((by) =>
      behaviours.map(({ target }, i) => {
        const perStep = 1.615 + 0.004 * i;
        const [low, high] = [perStep - 0.011, perStep + 0.009];
        return { targetId: target.id, by, perStep, low, high, confidence: 0.95, points: 5 };
      }),
    ),
    theory: [{ by: 'asyncFib', perStep: (1 + Math.sqrt(5)) / 2, label: 'φ' }],
  };
}

function cpuOf(rows: readonly CaseRow[], random: () => number): readonly CpuFacts[] {
  return rows.flatMap(({ caseName, cells }, i) =>
    cells
      .filter((cell) => cell.kind === 'measured')
      .map(({ targetId }) => {
        const facts = someCpu({ caseName, targetId, cores: 2, slices: 40 + 10 * i, random });
        return targetId === 'webkitgtk' && i === 0
          ? { ...facts, cores: { notSupported: 'the kernel gave no /proc/stat.' } }
          : facts;
      }),
  );
}

const troubles: Findings['troubles'] = [
  {
    kind: 'timed-out',
    targetId: 'firefox',
    caseName: 'workers count=100 place=parallel',
    trials: 9,
    code: 'timed-out',
    message: 'The page announced the start of its timed window and then nothing for 60 s.',
    remedy: 'Raise the preference dom.workers.maxPerDomain, or leave out count=100.',
  },
  {
    kind: 'failed',
    targetId: 'chromium',
    caseName: 'workers count=100 place=parallel',
    trials: 5,
    code: 'browser-died',
    message: 'The browser ended in the timed window with signal SIGKILL.',
    remedy: 'Look for the kernel’s out-of-memory killer with “journalctl -k”.',
  },
  {
    kind: 'failed',
    targetId: 'webkitgtk',
    caseName: 'workers count=100 place=parallel',
    trials: 5,
    code: 'page-error',
    message: 'RangeError: Out of memory while starting worker 97',
    remedy: 'Open the page by hand in this browser, and read its console.',
  },
  {
    kind: 'skipped',
    targetId: 'pixel',
    caseName: 'all 13 cases',
    trials: 117,
    code: '',
    message: 'The device is missing.',
    remedy: 'Start Appium with “npx appium” and connect the phone.',
  },
];

/** A representative comparison: three targets and a missing one, two benchmarks, failures and cautions. */
export function anExample(): Findings {
  const findings = withSteadyState(anUnsearchedExample());
  return { ...findings, courses: someCourses(findings) };
}

/** The same from before steady state was searched for; reports of other rows begin with it, too. */
export function anUnsearchedExample(): Findings {
  const random = generator(7);
  const fib = fibRows(random);
  const rows = [...fib, ...workerRows(random)];
  const verdicts = makeVerdicts(rows, 'chromium');
  return {
    title: 'Quick suite on three engines',
    writtenAt: '2026-11-21T06:30:00Z',
    farmVersion: '0.1.0',
    runs: [aRun],
    targets: [chromium, firefox, webkit, pixel],
    benchmarks,
    rows: withCentres(rows, verdicts.pairs),
    verdicts,
    fitting: [
      {
        id: 'A3',
        sentence: 'On Linux asyncFib is much faster in Chromium than in Firefox.',
        command: 'npx crossfarm claims reproduce A3',
        pairs: verdicts.pairs
          .filter(({ a }) => a.targetId === 'firefox' && a.caseName.includes('asyncFib'))
          .map(({ a, b }) => ({ a, b })),
      },
    ],
    growth: [makeGrowth(fib)],
    crossover: [someCrossover()],
    truth: [someTruth(random)],
    cpu: cpuOf(rows, random),
    troubles,
    quarantined: [
      {
        targetId: 'firefox',
        caseName: 'fib function=asyncFib n=26',
        trials: 2,
        why: 'other programs used 31 % of the CPU',
      },
    ],
    cautions: [
      'Chromium ran without its sandbox, because the farm ran as root.',
      'workers count=100 has four trials only: its intervals hold with less than 95 % confidence.',
    ],
  };
}
