import { chromium } from 'playwright';
import { median } from 'simple-statistics';
import { defaultMeasurement } from '../core/plan/catalog/measurement.ts';
import type { OpenEquipment } from '../core/app/run/equipment.ts';
import { FarmError } from '../core/errors.ts';
import type { Target } from '../core/model/device.ts';
import type { Plan } from '../core/model/plan.ts';
import { crossArms, makePlan } from '../core/plan/plan.ts';
import { runPlan } from '../core/run/runner.ts';
import { controlCase, foundDevices, withRig } from './rig.ts';
import type { BenchRow } from './row.ts';
import { npxCrossfarm } from '../core/model/typed-command.ts';

const rounds = 21;

/**
 * Compares a fresh-session trial of `control` through the farm with default probes with a bare
 * Playwright loop that launches, opens the same page, waits for its result and closes. The two
 * alternate, so the ratio holds when the machine's speed drifts.
 */
export async function overheadBench(): Promise<readonly BenchRow[]> {
  const { plan, target } = await planControl();
  return withRig(async (equipment) => {
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
  const presences = (await foundDevices()).filter(({ device }) => device.id === 'chromium');
  const [presence] = presences;
  if (presence?.status !== 'found') {
    throw new FarmError('no-device', {
      what: 'The overhead bench needs the device chromium.',
      next: `${npxCrossfarm} devices setup`,
    });
  }
  const plan = makePlan({
    seed: 1,
    isolation: 'session',
    blocks: 1,
    measurement: defaultMeasurement,
    presences,
    arms: crossArms(presences, [await controlCase({})]),
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
  const pageTrial = server.issue(
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
    await page.goto(pageTrial.url);
    const outcome = await pageTrial.outcome;
    if (outcome.kind !== 'result') throw new Error(`the bare trial was ${JSON.stringify(outcome)}`);
  } finally {
    await browser.close();
    pageTrial.revoke();
  }
}
