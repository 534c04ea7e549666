import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright';
import { median } from 'simple-statistics';
import { findBenchmark, loadCatalog } from '../catalog/catalog.ts';
import { expandCases } from '../catalog/expansion.ts';
import { defaultMeasurement } from '../catalog/selection.ts';
import { withEquipment, type OpenEquipment } from '../commands/equipment.ts';
import { loadDriver } from '../../drivers/index.ts';
import { FarmError } from '../errors.ts';
import { loadInventory, selectDevices } from '../inventory/inventory.ts';
import type { Target } from '../model/device.ts';
import type { Plan } from '../model/plan.ts';
import { crossLanes, makePlan } from '../plan/plan.ts';
import { defaultInventory, pagesFolder } from '../project.ts';
import { runPlan } from '../runner/runner.ts';
import { findDevices } from '../setup/presence.ts';
import type { BenchRow } from './row.ts';

const rounds = 21;

/**
 * A fresh-session trial of `control` through the farm with default probes, against a bare
 * Playwright loop that launches, opens the same page, waits for its result and closes.
 * The two alternate, so the ratio holds when the machine's speed drifts.
 */
export async function overheadBench(): Promise<readonly BenchRow[]> {
  const { plan, target } = await planControl();
  const directory = await mkdtemp(join(tmpdir(), 'crossfarm-bench-'));
  const signal = new AbortController().signal;
  const options = {
    pages: pagesFolder(),
    port: 0,
    deadline: 60_000,
    probes: true,
    directory,
    signal,
    say: () => undefined,
  };
  try {
    return await withEquipment(options, async (equipment) => {
      const farm: number[] = [];
      const bare: number[] = [];
      for (let round = -1; round < rounds; round += 1) {
        const farmMs = await timed(() => farmTrial(plan, equipment));
        const bareMs = await timed(() => bareTrial(plan, target, equipment));
        // The first pair warms the disk cache and loads the libraries of both.
        if (round >= 0) farm.push(farmMs);
        if (round >= 0) bare.push(bareMs);
      }
      return rowsOf(farm, bare);
    });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function rowsOf(farm: readonly number[], bare: readonly number[]): readonly BenchRow[] {
  const ratios = farm.map((ms, index) => ms / (bare[index] ?? NaN));
  const base = { bench: 'overhead', unit: 'ms' };
  const detail = `median of ${String(rounds)}, alternating`;
  return [
    {
      ...base,
      figure: 'bare Playwright loop, control',
      value: median([...bare]),
      ratio: 1,
      detail,
    },
    {
      ...base,
      figure: 'farm trial with default probes, control',
      value: median([...farm]),
      ratio: median(ratios),
      detail: `${detail}; ratio is the median of the pairs`,
    },
  ];
}

async function planControl(): Promise<{ plan: Plan; target: Target }> {
  const control = findBenchmark(await loadCatalog(pagesFolder()), 'control');
  const devices = selectDevices(await loadInventory(defaultInventory()), ['chromium']);
  const presences = await findDevices(devices, loadDriver);
  const presence = presences[0];
  if (presence?.status !== 'found') {
    throw new FarmError('no-device', {
      what: 'The overhead bench needs the device chromium.',
      next: presence?.remedy ?? 'farm setup',
    });
  }
  const plan = makePlan({
    seed: 1,
    isolation: 'session',
    blocks: 1,
    measurement: defaultMeasurement,
    presences,
    lanes: crossLanes(presences, expandCases(control, {})),
  });
  return { plan, target: presence.target };
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

async function farmTrial(plan: Plan, equipment: OpenEquipment): Promise<void> {
  for await (const { outcome } of runPlan(plan, { ...equipment, listener: {} })) {
    if (outcome.kind !== 'completed')
      throw new Error(`the farm's trial was ${JSON.stringify(outcome)}`);
  }
}

async function bareTrial(plan: Plan, target: Target, { server }: OpenEquipment): Promise<void> {
  const job = plan.jobs[0];
  if (job === undefined) throw new TypeError('the plan is empty');
  const { benchmark, parameters } = job.case;
  const ticket = server.issue(
    `${benchmark.id}/${benchmark.page}`,
    { protocol: 1, benchmark: benchmark.id, parameters, measurement: plan.measurement },
    { onStart: () => undefined, onEnd: () => undefined },
  );
  const browser = await chromium.launch({
    executablePath: target.executable,
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
  try {
    const page = await browser.newPage();
    await page.goto(ticket.url);
    const outcome = await ticket.outcome;
    if (outcome.kind !== 'result') throw new Error(`the bare trial was ${JSON.stringify(outcome)}`);
  } finally {
    await browser.close();
    ticket.revoke();
  }
}
