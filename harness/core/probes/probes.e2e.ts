import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import { loadDriver } from '../../../drivers/index.ts';
import { findBenchmark, loadCatalog } from '../plan/catalog/catalog.ts';
import { expandCases } from '../plan/catalog/expansion.ts';
import { withEquipment } from '../app/run/equipment.ts';
import { loadInventory, selectDevices } from '../plan/inventory/inventory.ts';
import type { MeasurementRules } from '../model/case.ts';
import type { Presence } from '../model/device.ts';
import type { OptInProbe, Reading, ScheduleReading, ThreadReading } from '../model/reading.ts';
import { crossArms, makePlan } from '../plan/plan.ts';
import { defaultInventory, pagesFolder } from '../project.ts';
import { runPlan } from '../run/runner.ts';
import { findDevices } from '../setup/presence.ts';
import { aFolder } from '../../testing/folder.ts';
import { createSchedProbe } from './sched.ts';
import { mostSlices } from './schedule.ts';

/** The opt-in probes in real browsers. No test needs a steady speed. */

/** Long enough that two ticks of the kernel are less than the difference to find. */
const aLongWindow: MeasurementRules = {
  minGranules: 100,
  settled: { ms: 1, calls: 1 },
  window: { ms: 1_500, iterations: 3 },
  maxMs: 2_000,
};

const aShortWindow: MeasurementRules = {
  minGranules: 100,
  settled: { ms: 1, calls: 1 },
  window: { ms: 20, iterations: 3 },
  maxMs: 40,
};

async function findDevice(id: string): Promise<Presence> {
  const devices = selectDevices(await loadInventory(defaultInventory()), [id]);
  const [presence] = await findDevices(devices, loadDriver);
  return presence!;
}

interface WatchedSession {
  readonly readings: readonly Reading[];
  /** The folder that a database would lie in. */
  readonly root: string;
}

interface WatchedTrial {
  readonly probe: readonly OptInProbe[];
  readonly measurement: MeasurementRules;
}

async function watchTrial(
  presence: Presence,
  { probe, measurement }: WatchedTrial,
): Promise<WatchedSession> {
  const fib = findBenchmark(await loadCatalog(pagesFolder()), 'fib');
  const cases = expandCases(fib, { function: 'asyncFib', n: 20, place: 'main' });
  const presences = [presence];
  const plan = makePlan({
    seed: 1,
    isolation: 'session',
    blocks: 1,
    measurement,
    presences,
    arms: crossArms(presences, cases),
    repeatQuarantined: false,
  });
  const root = await aFolder();
  const options = {
    pages: pagesFolder(),
    port: 0,
    deadline: 60_000,
    probes: true,
    probe,
    directory: join(root, 'sessions'),
    signal: new AbortController().signal,
    say: () => undefined,
  };
  const traces = probe.includes('trace') ? { traces: { root, run: 1 } } : {};
  return withEquipment(options, async (equipment) => {
    for await (const { outcome } of runPlan(plan, { ...equipment, ...traces, listener: {} })) {
      expect(outcome).toMatchObject({ kind: 'completed' });
      if (outcome.kind === 'completed') return { readings: outcome.readings, root };
    }
    throw new Error('the plan gave no trial');
  });
}

function find<Name extends Reading['probe']>(
  readings: readonly Reading[],
  name: Name,
): Exclude<Extract<Reading, { probe: Name }>, { notSupported: string }> {
  const reading = readings.find((one) => one.probe === name);
  if (reading === undefined || 'notSupported' in reading) throw new Error(`${name} gave nothing`);
  return reading as Exclude<Extract<Reading, { probe: Name }>, { notSupported: string }>;
}

function coresBusyOf({ threads, wallMs }: ThreadReading): number {
  return threads.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / wallMs;
}

for (const id of ['chromium', 'firefox', 'webkitgtk']) {
  test(`${id}: the sampled probes see what the exact schedule shows, within 5 %`, async () => {
    const support = createSchedProbe().supports();
    test.skip(!support.supported, support.supported ? '' : support.because);
    const presence = await findDevice(id);
    test.skip(presence.status === 'missing', presence.status === 'missing' ? presence.reason : '');

    const { readings } = await watchTrial(presence, {
      probe: ['sched'],
      measurement: aLongWindow,
    });
    const threads = find(readings, 'cpu-thread');
    const schedule: ScheduleReading = find(readings, 'sched');
    expect(schedule.wallMs).toBeGreaterThan(500);
    // A program that switches very often may fill the reading with its slices.
    const bounded = schedule.cores.flat().length === mostSlices;
    expect(schedule.lostEvents, `bounded: ${String(bounded)}`).toBe(
      bounded ? schedule.lostEvents : 0,
    );
    expect(coresBusyOf(threads) / schedule.coresBusy).toBeGreaterThan(0.95);
    expect(coresBusyOf(threads) / schedule.coresBusy).toBeLessThan(1.05);

    const exact = (role: string): number =>
      schedule.cores
        .flat()
        .reduce((sum, one) => (one.role === role ? sum + one.toMs - one.fromMs : sum), 0);
    const last = threads.timeline.at(-1)!;
    // A thread's role by its name is the same in both; 20 ms are two ticks of the kernel.
    expect(Math.abs(exact('js-main') - (last.cpuMs['js-main'] ?? 0))).toBeLessThan(
      0.05 * schedule.wallMs + 20,
    );
    const overlaps = schedule.cores.flatMap((lane) =>
      lane.slice(1).filter(({ fromMs }, index) => fromMs < lane[index]!.toMs),
    );
    expect(overlaps).toEqual([]);
  });
}

const tracers: readonly [string, readonly RegExp[]][] = [
  ['chromium', [/"CrRendererMain"/, /timed window/]],
  ['firefox', [/"GeckoMain"/, /timed window/]],
];

for (const [id, marks] of tracers) {
  test(`${id}: writes a trace that holds the page's thread and its timed window`, async () => {
    const presence = await findDevice(id);
    test.skip(presence.status === 'missing', presence.status === 'missing' ? presence.reason : '');
    const { readings, root } = await watchTrial(presence, {
      probe: ['trace'],
      measurement: aShortWindow,
    });
    const { file, format } = find(readings, 'trace');
    expect(format).toBe(id.startsWith('firefox') ? 'firefox-profile' : 'chrome-trace');
    const text = gunzipSync(await readFile(join(root, file))).toString('utf8');
    const trace = JSON.parse(text) as Record<string, unknown>;
    expect(Object.keys(trace)).toEqual(
      expect.arrayContaining(format === 'chrome-trace' ? ['traceEvents'] : ['threads', 'meta']),
    );
    for (const mark of marks) expect(text).toMatch(mark);
  });
}
