import { readdirSync, readFileSync } from 'node:fs';
import { sum } from 'simple-statistics';
import type { CoreReading } from '../core/model/reading.ts';
import { defaultProbes } from '../core/probes/index.ts';
import { realFiles } from '../core/system-files.ts';
import { samplingMs, ThreadSampler } from '../core/probes/thread-sampler.ts';
import type { BenchRow } from './row.ts';

const windowMs = 10_000;

/**
 * Measures the cost of sampling every core each 20 ms: by the probe's own account, and by the
 * kernel's account of this process.
 */
export async function samplerBench(): Promise<readonly BenchRow[]> {
  const idle = await cpuOver(windowMs, () => undefined);
  const probe = defaultProbes().find((one) => one.name === 'cpu-core');
  const support = probe?.supports();
  if (probe === undefined || !support?.supported) {
    const why = support?.supported === false ? support.because : 'there is no such probe';
    return [
      { bench: 'sampler', figure: 'not supported', value: 0, unit: '', ratio: null, detail: why },
    ];
  }
  const waking = await wakingOver(windowMs);
  const attached = probe.attach({ browser: 'none', processTree: () => [] });
  const sampling = await cpuOver(windowMs, () => {
    attached.start();
  });
  attached.stop();
  const reading = attached.collect() as CoreReading;
  attached.detach();
  const threads = await threadsOver(windowMs);
  const share = (ms: number): number => (100 * ms) / windowMs;
  const base = { bench: 'sampler', unit: '% of one core', ratio: null };
  return [
    {
      ...base,
      figure: 'a timer of 20 ms that does nothing',
      value: share(waking),
      detail: 'the floor: what waking up alone costs on this machine',
    },
    {
      ...base,
      figure: 'cpu-core at 20 ms, by its own account',
      value: share(reading.costMs),
      detail: `${String(reading.snapshots.length)} snapshots in ${String(windowMs / 1000)} s`,
    },
    {
      ...base,
      figure: 'this process while sampling, by /proc',
      value: share(sampling),
      ratio: sampling / waking,
      detail: `against the empty timer; idle without sampling: ${share(idle).toFixed(2)} %`,
    },
    {
      ...base,
      figure: 'cpu-thread inside the window, by its own account',
      value: share(threads.costMs),
      detail: `every ${String(samplingMs)} ms, ${String(threads.open)} threads known, each read at least once a second`,
    },
  ];
}

/** Samples the threads of all running programs instead of a browser's: they are no fewer. */
async function threadsOver(ms: number): Promise<{ costMs: number; open: number }> {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const sampler = new ThreadSampler(realFiles);
  try {
    sampler.open(pids.map(Number));
    sampler.start();
    await new Promise((resolve) => setTimeout(resolve, ms));
    sampler.stop();
    return { costMs: sampler.window().costMs, open: sampler.size };
  } finally {
    sampler.close();
  }
}

async function wakingOver(ms: number): Promise<number> {
  const timer = setInterval(() => undefined, 20);
  try {
    return await cpuOver(ms, () => undefined);
  } finally {
    clearInterval(timer);
  }
}

async function cpuOver(ms: number, begin: () => void): Promise<number> {
  begin();
  const before = ownCpuMs();
  await new Promise((resolve) => setTimeout(resolve, ms));
  return ownCpuMs() - before;
}

/**
 * Returns the CPU time of every thread of this process, from the scheduler (exact, unlike ticks).
 */
function ownCpuMs(): number {
  const threads = readdirSync('/proc/self/task');
  const nanoseconds = threads.map((tid) => {
    const [onCpu = '0'] = readFileSync(`/proc/self/task/${tid}/schedstat`, 'utf8').split(' ');
    return Number(onCpu);
  });
  return sum(nanoseconds) / 1e6;
}
