import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mean, sum } from 'simple-statistics';
import { decidePair } from '../core/analysis/decide.ts';
import { isCompleted, released } from '../core/analysis/series.ts';
import { profileMaker } from '../core/app/extensions.ts';
import type { OpenEquipment } from '../core/app/run/equipment.ts';
import type { Case } from '../core/model/case.ts';
import type { Presence } from '../core/model/device.ts';
import type { Trial } from '../core/model/trial.ts';
import { findBenchmark, loadCatalog } from '../core/plan/catalog/catalog.ts';
import { expandCases } from '../core/plan/catalog/expansion.ts';
import { profileProbe } from '../core/probes/trace.ts';
import { pagesFolder } from '../core/project.ts';
import { foundDevices, planTwins, runBlocks, withRig } from './rig.ts';
import type { BenchRow } from './row.ts';

/** Blocks of each engine: `CROSSFARM_BLOCKS=12 npm run bench -- profiling`. */
const blocks = Number(process.env['CROSSFARM_BLOCKS'] ?? 12);

const devices = ['chromium', 'firefox', 'node'];

/**
 * Compares a page of many short calls with a profiler on and off, in blocks, and says how large its
 * profiles are. Durations are compared as measured: a profiler slows their reference work as well.
 */
export async function profilingBench(): Promise<readonly BenchRow[]> {
  const root = await mkdtemp(join(tmpdir(), 'crossfarm-profiling-'));
  try {
    const one = await manyCalls();
    return await withRig(async (equipment) => {
      const rows: BenchRow[] = [];
      for (const [index, presence] of (await foundDevices(devices)).entries()) {
        const place = { root, run: index + 1 };
        rows.push(...(await profile(presence, one, { equipment, place })));
      }
      return rows;
    });
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

async function manyCalls(): Promise<Case> {
  const fib = findBenchmark(await loadCatalog(pagesFolder()), 'fib');
  const choices = { function: ['syncFib'], n: [20], place: ['main'] };
  const [one] = expandCases(fib, choices);
  if (one === undefined) throw new TypeError('fib has no such case');
  return one;
}

interface Tools {
  readonly equipment: OpenEquipment;
  readonly place: { readonly root: string; readonly run: number };
}

async function profile(
  presence: Presence,
  one: Case,
  { equipment, place }: Tools,
): Promise<readonly BenchRow[]> {
  const { id } = presence.device;
  const { pair, plan } = planTwins(presence, { a: one, b: one }, { seed: 1, blocks });
  const traces = { ...place, makeProfile: await profileMaker(), onlyProfiles: true as const };
  const measured = await runBlocks(
    { ...plan, repeatQuarantined: false },
    (deviceId) => (deviceId.endsWith('@a') ? { ...equipment, traces } : equipment),
    () => false,
  );
  const trials = measured.map(released);
  for (const trial of trials) console.error(`${trial.job.deviceId} ${describeTrial(trial)}`);
  const made = decidePair(trials, pair, { margin: 0.02, alpha: 0.05 });
  if (made.kind !== 'decided-on') throw new Error(`${id} gave no ratio`);
  const { ratio, low, high, blocks: counted } = made.decision;
  const seconds = sum(trials.flatMap(readSeconds));
  const bytes = await countBytes(join(place.root, 'profiles', `run-${String(place.run)}`));
  const base = { bench: 'profiling', ratio: null };
  const ends = [low, high].map((end) => end?.toFixed(3) ?? '—').join(' … ');
  return [
    {
      ...base,
      figure: `${id}: syncFib(20) with a profiler / without`,
      value: 100 * (ratio - 1),
      unit: '% slower',
      ratio,
      detail: `${ends} after ${String(counted)} blocks`,
    },
    {
      ...base,
      figure: `${id}: profile of one second of page time`,
      value: bytes / 1000 / seconds,
      unit: 'kB',
      detail: `${seconds.toFixed(1)} s in all`,
    },
  ];
}

/** Its mean iteration, to be looked at. */
function describeTrial(trial: Trial): string {
  if (!isCompleted(trial)) return trial.outcome.kind;
  return `${(mean([...(trial.outcome.result.samples[0]?.timed ?? [])]) * 1000).toFixed(2)} µs`;
}

/** How long each profile is. */
function readSeconds(trial: Trial): readonly number[] {
  if (!isCompleted(trial)) return [];
  return trial.outcome.readings.flatMap((reading) => {
    if (reading.probe !== profileProbe || !('values' in reading)) return [];
    const { value } = reading.values['seconds'] ?? {};
    return typeof value === 'number' ? [value] : [];
  });
}

async function countBytes(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
  return sum(sizes);
}
