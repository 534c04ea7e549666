import { attribute } from '../features/nights/history/attribution.ts';
import {
  makeNightSeries,
  type NightChange,
  type NightSeries,
  type SearchedSeries,
} from '../features/nights/history/history.ts';
import { newNight, type NightDocument } from '../features/nights/night-document.ts';
import type { NightValue } from '../core/model/night.ts';
import type { Machine, Run } from '../core/model/run.ts';
import { aBenchmark, aDevice, aMachine, aRecord } from './builders.ts';

/** Builders of histories, for tests. */

export interface NightFacts extends Partial<Omit<NightValue, 'run' | 'target' | 'median'>> {
  readonly run?: Partial<Run>;
  readonly machine?: Partial<Machine>;
  readonly device?: Parameters<typeof aDevice>[1];
  readonly deviceId?: string;
  readonly version?: string;
}

/** Makes one night's value; the run's number is also its day. */
export function aNightValue(run: number, median: number, facts: NightFacts = {}): NightValue {
  const {
    run: runFacts,
    machine,
    device,
    deviceId = 'chromium',
    version = '156.0',
    ...own
  } = facts;
  const [metric] = aBenchmark.metrics;
  if (metric === undefined) throw new Error('the benchmark of the tests has a metric');
  const asked = aDevice(deviceId, device);
  return {
    run: {
      ...aRecord([], []).run,
      id: run,
      suite: 'nightly',
      startedAt: new Date(Date.UTC(2026, 0, run)).toISOString(),
      machine: { ...aMachine, ...machine },
      ...runFacts,
    },
    target: {
      device: asked,
      browser: { name: asked.browser, version },
      executable: `/opt/${version}/chrome`,
    },
    benchmark: aBenchmark.id,
    benchmarkVersion: 1,
    caseName: 'fib function=asyncFib n=12',
    metric,
    isolated: true,
    drawing: null,
    median,
    values: Array.from({ length: 8 }, (_, trial) => median * (1 + 0.002 * (trial - 3.5))),
    trials: 8,
    ...own,
  };
}

interface SuspectFacts {
  readonly ratio?: number;
  readonly p?: number;
  readonly caseName?: string;
  /** Versions of the browser, before and after the change at night 21. */
  readonly versions?: readonly [string, string];
  readonly kernels?: readonly [string, string];
}

/** Makes a series of 23 nights with a suspected change at the 21st. */
export function aSuspect({
  ratio = 1.05,
  p = 0.01,
  caseName = 'fib function=asyncFib n=12',
  versions = ['156.0', '157.0'],
  kernels = ['6.1', '6.1'],
}: SuspectFacts = {}): { readonly series: NightSeries; readonly change: NightChange } {
  const values = Array.from({ length: 23 }, (_, night) => {
    const side = night < 20 ? 0 : 1;
    return aNightValue(night + 1, night < 20 ? 10 : 10 * ratio, {
      version: versions[side],
      machine: { release: kernels[side] },
      caseName,
    });
  });
  const [series] = makeNightSeries(values);
  const [before, after] = [values[19], values[20]];
  if (series === undefined || before === undefined || after === undefined) {
    throw new Error('twenty-three nights make a series');
  }
  const change: NightChange = {
    index: 20,
    run: 21,
    startedAt: after.run.startedAt,
    before: 10,
    after: 10 * ratio,
    ratio,
    p,
    attribution: attribute(before, after),
  };
  return { series, change };
}

/** Makes the same as a search result. */
export function aSearchedSeries(facts: SuspectFacts = {}): SearchedSeries {
  const { series, change } = aSuspect(facts);
  return { series, changes: [], suspect: change, notSearched: null };
}

/** Makes a night that ended well, unless a test changes it. */
export function aNight(overrides: Partial<NightDocument> = {}): NightDocument {
  const facts = {
    id: '2026-11-21T02-30-00Z',
    startedAt: '2026-11-21T02:30:00.000Z',
    host: 'bench',
    farm: '1:1:bench/pid',
    farmVersion: '0.1.0',
    database: '/farm/farm.db',
    suite: 'nightly',
    asked: null,
    configured: [],
  };
  return {
    ...newNight(facts),
    status: 'fine',
    exitCode: 0,
    run: 7,
    finishedAt: '2026-11-21T03:00:00.000Z',
    ledger: {
      planned: 4,
      completed: 4,
      failed: 0,
      timedOut: 0,
      skipped: 0,
      quarantined: 0,
      withoutOutcome: 0,
      missing: [],
    },
    analysis: { series: 4, suspects: [], anomalies: [], unconfirmed: [], gone: [] },
    ...overrides,
  };
}
