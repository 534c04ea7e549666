import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { max, quantile } from 'simple-statistics';
import { type FleetResult, runFleetCampaign } from './fleet/campaign.ts';
import { hostFaults, type HostFault, serverFaults, type ServerFault } from './fleet/injections.ts';
import type { BenchRow } from './row.ts';

/** `CROSSFARM_FAULTS=40 CROSSFARM_HOSTS=4 CROSSFARM_SEED=2 npm run bench -- fleet-faults` */
const wanted = Number(process.env['CROSSFARM_FAULTS'] ?? 200);
const hosts = Number(process.env['CROSSFARM_HOSTS'] ?? 6);
const seed = Number(process.env['CROSSFARM_SEED'] ?? 1);

const awayMs = [3_000, 10_000, 30_000, 120_000];

/** Breaks hosts, their network and their server, and counts what became of every trial. */
export async function fleetFaultsBench(): Promise<readonly BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'cf-fleet-'));
  try {
    const result = await runFleetCampaign({
      folder,
      seed,
      faults: wanted,
      hosts,
      awayMs,
      hostFaults: Object.keys(hostFaults) as HostFault[],
      serverFaults: Object.keys(serverFaults) as ServerFault[],
      say: (sentence) => {
        console.error(sentence);
      },
    });
    for (const sentence of [...result.deaths, ...result.findings]) console.error(sentence);
    return [...countRows(result), ...recoveryRows(result)];
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function countRows(result: FleetResult): readonly BenchRow[] {
  const all = Object.values(result.faults).reduce((sum, one) => sum + one, 0);
  const detail = `${String(all)} faults on ${String(hosts)} hosts, seed ${String(seed)}; ${String(result.jobs)} jobs, ${String(result.trials)} trials counted, ${String(result.attempts)} kept as attempts`;
  const row = (figure: string, value: number): BenchRow => ({
    bench: 'fleet-faults',
    figure,
    unit: '',
    ratio: null,
    detail,
    value,
  });
  return [
    row('trials lost', result.lostTrials),
    row('trials that nobody measured', result.wrongTrials),
    row('jobs measured twice', result.doubledJobs),
    row('finished runs that lack trials', result.incompleteRuns),
    row('jobs without an end', result.unendedJobs),
    row('trials counted under a stale lease', result.staleTrials),
    row('other findings', result.findings.length),
    row('workers that died of a fault', result.deaths.length),
  ];
}

function recoveryRows({ recoveries, faults }: FleetResult): readonly BenchRow[] {
  return Object.entries(faults).map(([fault, times]) => {
    const seconds = recoveries.filter((one) => one.fault === fault).map(({ ms }) => ms / 1_000);
    const at = (share: number): string =>
      seconds.length === 0 ? '–' : quantile(seconds, share).toFixed(1);
    return {
      bench: 'fleet-faults',
      figure: `${fault}: until the next trial has arrived, the longest`,
      value: seconds.length === 0 ? NaN : max(seconds),
      unit: 's',
      ratio: null,
      detail: `${String(times)} times; median ${at(0.5)} s, 90 % within ${at(0.9)} s`,
    };
  });
}
