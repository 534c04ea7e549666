import type { CoreTimeline, CpuFacts, RoleTimeline, ScheduleFacts } from '../findings.ts';
import { pooled } from '../html/cpu-chart.ts';
import type { CpuCase } from './cpu.ts';

/** What the embedded data keep of the CPU facts: figures as drawn, numbers of all. */
export function cpuData(cases: readonly CpuCase[]): readonly unknown[] {
  return cases.flatMap(({ facts, figure }) =>
    facts.map((one) => (figure === null ? bare(one) : trimmed(one))),
  );
}

const mostSlices = 400;

function trimmed(facts: CpuFacts): unknown {
  const { cores, threads, schedule } = facts;
  return {
    ...facts,
    cores: 'busy' in cores ? trimmedCores(cores) : cores,
    threads:
      'timeline' in threads && threads.timeline !== null
        ? { ...threads, timeline: trimmedRoles(threads.timeline) }
        : threads,
    ...(schedule !== undefined && {
      schedule: 'cores' in schedule ? totalsOf(schedule) : schedule,
    }),
  };
}

function trimmedCores(cores: CoreTimeline): CoreTimeline {
  return { ...cores, busy: cores.busy.map(shortened) };
}

function trimmedRoles({ sliceMs, roles }: RoleTimeline): RoleTimeline {
  return { sliceMs, roles: roles.map(({ role, busy }) => ({ role, busy: shortened(busy) })) };
}

function shortened(slices: readonly number[]): readonly number[] {
  return pooled(slices, mostSlices).map((share) => rounded(share, 2));
}

/** Twenty thousand slices stay in the database; a reader gets the time of every role on every core. */
function totalsOf({ wallMs, coresBusy, lostEvents, cores }: ScheduleFacts): unknown {
  const roleMs = cores.map((spans) => {
    const sums: Record<string, number> = {};
    for (const { role, fromMs, toMs } of spans) sums[role] = (sums[role] ?? 0) + toMs - fromMs;
    return Object.fromEntries(Object.entries(sums).map(([role, ms]) => [role, rounded(ms, 3)]));
  });
  return { wallMs, coresBusy, lostEvents, roleMs };
}

function bare({ caseName, targetId, wallMs, threads, foreignShare }: CpuFacts): unknown {
  const foreign = foreignShare === null ? null : rounded(foreignShare, 3);
  if ('notSupported' in threads) {
    return { caseName, targetId, wallMs, threads, foreignShare: foreign };
  }
  const { coresBusy, javascriptParallelism, gcShare } = threads;
  const numbers = [coresBusy, javascriptParallelism, gcShare].map((value) => rounded(value, 3));
  const [busy, script, gc] = numbers;
  return {
    caseName,
    targetId,
    wallMs: rounded(wallMs, 2),
    threads: { coresBusy: busy, javascriptParallelism: script, gcShare: gc },
    foreignShare: foreign,
  };
}

function rounded(value: number, decimals: number): number {
  return Number(value.toFixed(decimals));
}
