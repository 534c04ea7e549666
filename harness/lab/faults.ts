import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { max, quantile } from 'simple-statistics';
import { foundDevices } from './rig.ts';
import { runCampaign } from './faults/campaign.ts';
import { gridDevice } from './faults/grid-under-fire.ts';
import { injections, type OutsideFault } from './faults/injections.ts';
import { pageFaults, type PageFault } from './faults/pages.ts';
import type { CampaignResult } from './faults/tally.ts';
import { findOnPath } from '../core/setup/executable.ts';
import type { BenchRow } from './row.ts';

/**
 * The number of faults and the seed: `CROSSFARM_FAULTS=40 CROSSFARM_SEED=2 npm run bench --
 * faults`.
 */
const wanted = Number(process.env['CROSSFARM_FAULTS'] ?? 200);
const seed = Number(process.env['CROSSFARM_SEED'] ?? 1);

const allDevices = ['chromium', 'webkitgtk', 'node', 'chromium-appium', gridDevice];

/** The devices, if not all: `CROSSFARM_FAULTS_DEVICES=chromium-grid,node`. */
const wantedDevices = process.env['CROSSFARM_FAULTS_DEVICES']?.split(',') ?? allDevices;

/**
 * The work of the farm: with `CROSSFARM_FAULTS_COMMAND=nightly` it runs whole nights, which are
 * short, so that many of them end.
 */
const command = process.env['CROSSFARM_FAULTS_COMMAND'] ?? 'run';
const works = { run: ['runs', 3], nightly: ['nights', 1] } as const;

/** Injects faults around a farm with real browsers, and counts the consequences. */
export async function faultsBench(): Promise<readonly BenchRow[]> {
  if (!isKnown(command)) {
    throw new Error(
      `CROSSFARM_FAULTS_COMMAND is ${command}; it may be ${Object.keys(works).join(' or ')}`,
    );
  }
  const [work, blocks] = works[command];
  // Outside .farm, because the sockets of browsers need short paths.
  const folder = await mkdtemp(join(tmpdir(), 'cf-faults-'));
  const devices = await findAll(wantedDevices);
  try {
    const result = await runCampaign({
      folder,
      seed,
      faults: wanted,
      work,
      devices,
      blocks,
      outside: Object.keys(injections) as OutsideFault[],
      pages: Object.keys(pageFaults) as PageFault[],
      say: (sentence) => {
        console.error(sentence);
      },
    });
    for (const finding of result.findings) console.error(finding);
    return [...countRows(result, devices), ...recoveryRows(result)];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function isKnown(name: string): name is keyof typeof works {
  return Object.hasOwn(works, name);
}

/** Finds the devices; the campaign starts the grid, which needs a browser and its driver. */
async function findAll(ids: readonly string[]): Promise<readonly string[]> {
  const listed = ids.filter((id) => id !== gridDevice);
  const found = listed.length === 0 ? [] : await foundDevices(listed);
  const needed = ['chromedriver', 'chromium'].map((name) => findOnPath([name]));
  const hasGrid = ids.includes(gridDevice) && !needed.includes(null);
  return [...found.map(({ device }) => device.id), ...(hasGrid ? [gridDevice] : [])];
}

function countRows(result: CampaignResult, devices: readonly string[]): readonly BenchRow[] {
  const { noun, works: held, restarts, again, trials, faults } = result;
  const all = Object.values(faults).reduce((sum, count) => sum + count, 0);
  const row = (figure: string, value: number, detail = ''): BenchRow => ({
    bench: 'faults',
    figure,
    value,
    unit: '',
    ratio: null,
    detail,
  });
  return [
    row('faults injected', all, `seed ${String(seed)}, on ${devices.join(', ')}`),
    row(`${noun}s`, held, `${String(trials)} trials, ${String(restarts)} times ${again}`),
    row('lost committed trials', result.lostTrials),
    row('duplicated cells', result.duplicatedCells),
    row('cells without outcome', result.cellsWithoutOutcome),
    row(`${noun}s without an end`, result.withoutEnd),
    ...Object.entries(result.flaws).map(([what, count]) => row(what, count)),
    row('leftover processes', result.leftoverProcesses),
    row('sessions left on the grid', result.leftoverSessions),
    row('cells skipped by quarantine', result.skipped.byQuarantine, 'outcomes, but not measured'),
    row('cells skipped otherwise', result.skipped.otherwise, 'their device was not found again'),
  ];
}

/** Times from each kind of fault to the next stored trial. */
function recoveryRows({ faults, recoveries }: CampaignResult): readonly BenchRow[] {
  return Object.entries(faults).map(([fault, count]) => {
    const seconds = recoveries.filter((one) => one.fault === fault).map(({ ms }) => ms / 1000);
    const at = (share: number): string =>
      seconds.length === 0 ? '—' : `${quantile(seconds, share).toFixed(1)} s`;
    return {
      bench: 'faults',
      figure: `${fault}: recovery, median`,
      unit: 's',
      ratio: null,
      value: seconds.length === 0 ? NaN : quantile(seconds, 0.5),
      detail: `${String(count)} times; 90 % within ${at(0.9)}, longest ${seconds.length === 0 ? '—' : `${max(seconds).toFixed(1)} s`}`,
    };
  });
}
