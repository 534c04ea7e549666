import type { TrialFacts } from '../../harness/core/results/index.ts';
import { someCpu } from './example-cpu.ts';
import { generator } from './example.ts';
import { aWarmUp } from './example-warm-up.ts';

/** A trial that completed with its second attempt, watched by the usual probes. */
export function aTrialExample(changes: Partial<TrialFacts> = {}): TrialFacts {
  const { caseName, target, writtenAt, farmVersion, run, block } = aWarmUp();
  return {
    trial: 42,
    caseName,
    target,
    writtenAt,
    farmVersion,
    run,
    block,
    outcome: 'completed',
    startedAt: '2026-11-21T01:02:03.000Z',
    wallMs: 2_345,
    message: null,
    quarantine: [],
    attempts: [{ number: 1, code: 'browser-died', message: 'The browser ended by itself.' }],
    values: [
      { metric: 'duration', unit: 'ms', value: 0.1547, resolution: 0.00125, iterations: 40 },
      { metric: 'heap', unit: 'bytes', value: null, resolution: 0, iterations: 0 },
    ],
    explained: [],
    warmUp: aWarmUp(),
    cpu: [someCpu({ caseName, targetId: target.id, cores: 2, slices: 20, random: generator(5) })],
    environment: {
      load1: 0.5,
      cpuPressure: 0.1,
      freeMemoryBytes: 8_000_000_000,
      governor: null,
      frequencyMhz: 2_600,
      foreignShare: 0.012,
      stealShare: 0,
      throttleEvents: null,
    },
    links: [{ text: 'Run 12', href: '/runs/12' }],
    ...changes,
  };
}

/** One that ran out of time, of which nothing was read. */
export function aTimedOutTrial(): TrialFacts {
  return aTrialExample({
    outcome: 'timed-out',
    message: 'timed-out: The page said nothing for 30 s.',
    values: [],
    warmUp: null,
    cpu: [],
    environment: null,
  });
}
