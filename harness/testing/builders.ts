import type { SeededGenerator } from '../core/analysis/stats/random.ts';
import type { Anomaly } from '../core/model/anomaly.ts';
import type { Benchmark, Case } from '../core/model/case.ts';
import { longestTimeMs } from '../core/model/credible.ts';
import type { Device, Presence, Target, FoundDevice } from '../core/model/device.ts';
import type { Display } from '../core/model/display.ts';
import type { Job, Plan } from '../core/model/plan.ts';
import type { EnvironmentReading, ThreadReading, ThreadTotal } from '../core/model/reading.ts';
import type { Machine, RunRecord } from '../core/model/run.ts';
import type { Outcome, SteadyState, Trial, TrialResult } from '../core/model/trial.ts';

/** Builders of the model's nouns, for tests: valid unless a test says otherwise. */

export const aBenchmark: Benchmark = {
  id: 'fib',
  version: 1,
  title: 'Fibonacci',
  description: 'For tests.',
  page: 'index.html',
  parameters: [
    { kind: 'choice', name: 'function', values: ['syncFib', 'asyncFib'], default: 'asyncFib' },
    { kind: 'integer', name: 'n', minimum: 1, maximum: 40, default: 12 },
  ],
  metrics: [{ id: 'duration', title: 'Duration', unit: 'ms', direction: 'lower' }],
  growth: { over: 'n', by: 'function' },
};

export function aCase(n = 12, fn = 'asyncFib', benchmark: Benchmark = aBenchmark): Case {
  return { benchmark, parameters: { function: fn, n } };
}

export function aDevice(id: string, overrides: Partial<Device> = {}): Device {
  return {
    id,
    name: id,
    browser: 'chromium',
    driver: 'fake',
    headless: true,
    flags: [],
    preferences: {},
    environment: {},
    automatic: true,
    ...overrides,
  };
}

export function aFoundDevice(id: string, overrides: Partial<Device> = {}): FoundDevice {
  const device = aDevice(id, overrides);
  const browser = { name: device.browser, version: '1.2.3' };
  return {
    status: 'found',
    device,
    target: { device, browser, executable: '/usr/bin/true' },
    capabilities: [],
  };
}

export function aMissingDevice(id: string): Presence {
  return {
    status: 'missing',
    device: aDevice(id),
    reason: `${id} is not installed`,
    remedy: `apt-get install ${id}`,
    capabilities: [],
  };
}

export function aJob(overrides: Partial<Job> = {}): Job {
  const { ordinal = 0, block = 0, deviceId = 'one' } = overrides;
  return {
    ordinal,
    block,
    case: aCase(),
    deviceId,
    sessionKey: `${deviceId}/${String(block)}/${String(ordinal)}`,
    ...overrides,
  };
}

export const aMeasurement: Plan['measurement'] = {
  minGranules: 100,
  settled: { ms: 20, calls: 3 },
  window: { ms: 20, iterations: 3 },
  maxMs: 500,
};

export function aPlan(jobs: readonly Job[], presences: readonly Presence[]): Plan {
  return {
    seed: 1,
    isolation: 'session',
    blocks: 1 + Math.max(0, ...jobs.map(({ block }) => block)),
    measurement: aMeasurement,
    repeatQuarantined: true,
    presences,
    jobs,
  };
}

export function aResult(
  timed: readonly number[],
  overrides: Partial<TrialResult> = {},
): TrialResult {
  return {
    protocol: 1,
    clock: { granuleUs: 5, isolated: true },
    host: { userAgent: 'test', hardwareConcurrency: 2 },
    repeats: 1,
    steadiness: 'steady',
    samples: [{ metric: 'duration', unit: 'ms', warmUp: [], timed }],
    counters: {},
    ...overrides,
  };
}

/** Of a trial that was steady after a tenth of a second. */
export function aSteadyState(overrides: Partial<SteadyState> = {}): SteadyState {
  return {
    firstMs: 10,
    steadyAfterMs: 100,
    noisy: false,
    windowAtMs: 300,
    warmUpEndMs: [],
    segments: [],
    ...overrides,
  };
}

type Completion = Extract<Outcome, { kind: 'completed' }>;

export function aCompletion(overrides: Partial<Completion> = {}): Completion {
  return { kind: 'completed', result: aResult([1]), readings: [], quarantine: [], ...overrides };
}

/** A trial that completed on a busy machine. */
export function aQuarantinedTrial(job: Job, timed: readonly number[]): Trial {
  return aTrial(
    job,
    aCompletion({ result: aResult(timed), quarantine: ['other programs used 90 % of the CPU'] }),
  );
}

/** A trial in parallel with others, whose thread took the given milliseconds of CPU time. */
export function aBusyTrial(job: Job, cpuMs: number, reason: string): Trial {
  const timed = Array<number>(100).fill(2 + job.ordinal);
  const result = aResult(timed, { steadyState: aSteadyState() });
  const readings = [aThreadReading([{ cpuMs }])];
  return aTrial(job, aCompletion({ result, readings, quarantine: [reason] }));
}

/** A reading of the environment probe on a quiet machine. */
export function anEnvironment(overrides: Partial<EnvironmentReading> = {}): EnvironmentReading {
  return {
    probe: 'environment',
    load1: 0.5,
    cpuPressure: 0.1,
    freeMemoryBytes: 8 * 2 ** 30,
    governor: null,
    frequencyMhz: 2_600,
    foreignShare: 0.01,
    stealShare: 0,
    throttleEvents: null,
    costMs: 5,
    ...overrides,
  };
}

/** The display of a headless browser on a machine without a GPU. */
export function aDisplay(overrides: Partial<Display> = {}): Display {
  return {
    drawnBy: 'software',
    rasteriser: 'SwiftShader',
    window: 'headless',
    scale: 1,
    viewport: '1280 × 720',
    screen: '1280 × 720',
    ...overrides,
  };
}

/** A reading of the thread probe, in a window of 300 ms. */
export function aThreadReading(threads: readonly Partial<ThreadTotal>[]): ThreadReading {
  const thread: ThreadTotal = {
    pid: 7,
    tid: 8,
    process: 'renderer',
    name: 'DedicatedWorker',
    role: 'js-worker',
    cpuMs: 100,
    lastCore: 0,
  };
  return {
    probe: 'cpu-thread',
    wallMs: 310,
    threads: threads.map((own) => ({ ...thread, ...own })),
    timeline: [],
    costMs: 1,
  };
}

export function aTrial(job: Job, outcome: Outcome | readonly number[]): Trial {
  const ending: Outcome = 'kind' in outcome ? outcome : aCompletion({ result: aResult(outcome) });
  return {
    job,
    outcome: ending,
    browser: ending.kind === 'skipped' ? null : { name: 'chromium', version: '1.2.3' },
    failedAttempts: [],
    startedAt: '2026-01-01T00:00:00.000Z',
    wallMs: ending.kind === 'completed' ? wallOf(ending.result) : 1000,
  };
}

/** A trial of a second, or of the longest time that it measured. */
function wallOf(result: Pick<TrialResult, 'samples'>): number {
  return Math.max(1000, Math.ceil(longestTimeMs(result)));
}

export const aMachine: Machine = {
  hostname: 'bench',
  platform: 'linux',
  release: '6.1',
  system: 'Debian GNU/Linux 12',
  architecture: 'x64',
  cpuModel: 'A CPU',
  logicalCores: 2,
  memoryBytes: 8 * 2 ** 30,
  virtualization: null,
  nodeVersion: 'v20.19.0',
  asRoot: false,
};

export function aRecord(
  presences: readonly Presence[],
  trials: readonly Trial[],
  jobs: readonly Job[] = trials.map((trial) => trial.job),
): RunRecord {
  return {
    run: {
      id: 1,
      suite: 'quick',
      seed: 7,
      isolation: 'session',
      command: 'npx crossfarm run --suite quick',
      farmVersion: '0.1.0',
      machine: aMachine,
      status: 'finished',
      startedAt: '2026-01-01T00:00:00.000Z',
      finishedAt: '2026-01-01T00:01:00.000Z',
    },
    presences,
    jobs,
    trials,
  };
}

/** A difference between two builds of one browser, for tests. */
export function anAnomaly(overrides: Partial<Anomaly> = {}): Anomaly {
  return {
    id: 'N1',
    run: 1,
    sentence: 'slow there',
    question: {
      id: 'N1',
      title: 'Anomaly N1',
      sentence: 'slow there',
      source: 'this farm, run 1',
      published: '1.5×',
      assertions: [
        {
          kind: 'ratio',
          sentence: 'it is slower',
          role: 'verdict',
          quantity: 'duration',
          expected: { above: 1 },
          published: { text: '1.5×', low: 1.4, high: 1.6 },
          a: { deviceId: 'old', case: aCase() },
          b: { deviceId: 'new', case: aCase() },
        },
      ],
      counterfactuals: [],
      notes: [],
      measurement: aMeasurement,
    },
    targets: [aTarget('old', '150.0'), aTarget('new', '156.0')],
    createdAt: '2026-11-21T00:00:00.000Z',
    state: 'untriaged',
    reason: null,
    changedAt: '2026-11-21T00:00:00.000Z',
    ...overrides,
  };
}

function aTarget(id: string, version: string): Target {
  const browser = { name: 'chromium', version };
  return { device: aDevice(id), browser, executable: `/opt/${id}` };
}

/** Standard deviations of the logarithms, and the window of a simulated trial. */
export interface SearchedTrial {
  readonly sessions?: number;
  readonly stretches?: number;
  readonly windowMs?: number;
  readonly generator: SeededGenerator;
}

const stretchMs = 60;
const perStretch = 12;

/** A trial with a steady state of calls of about 5 ms, whose speed wanders every 60 ms. */
export function aSearchedTrial(
  job: Job,
  { sessions = 0, stretches = 0, windowMs = 300, generator }: SearchedTrial,
): Trial {
  const session = sessions * generator.normal();
  const timed = Array.from({ length: Math.round(windowMs / stretchMs) }, () => {
    const level = 5 * Math.exp(session + stretches * generator.normal());
    return Array.from({ length: perStretch }, () => level * Math.exp(0.001 * generator.normal()));
  }).flat();
  const steadyState = aSteadyState({ windowAtMs: 100 });
  const result = aResult(timed, { steadiness: 'warm-up', steadyState });
  return { ...aTrial(job, aCompletion({ result })), wallMs: 3_000 + windowMs };
}
