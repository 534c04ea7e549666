import { test, expect } from '@playwright/test';
import type { Assignment } from '../protocol.d.ts';
import { execute } from './execution.js';

const assignment: Assignment = {
  protocol: 1,
  benchmark: 'example',
  parameters: {},
  measurement: {
    iterations: 2,
    minIterations: 1,
    maxTimedMs: 100,
    minGranules: 1,
    warmUp: { minIterations: 1, maxIterations: 1, maxMs: 1 },
  },
};

/** A benchmark's module made of text, as a page would load it from a file; it logs into `said`. */
function aModule(preparation: string, said: string): string {
  const body = `
    const said = (globalThis[${JSON.stringify(said)}] = []);
    export const id = 'example';
    export const prepare = () => (${preparation});
  `;
  return `data:text/javascript,${encodeURIComponent(body)}`;
}

function saidBy(name: string): unknown {
  return (globalThis as Record<string, unknown>)[name];
}

function run(benchmarkUrl: string) {
  const quiet = { mark: async () => undefined, onPhase: () => undefined };
  return execute({ benchmarkUrl, assignment, ...quiet });
}

test('posts what was measured besides the duration, and tidies up at the end', async () => {
  const module = aModule(
    `{
      also: [{ metric: 'wait', unit: 'µs', values: said }],
      firstRun: true,
      asynchronous: false,
      once: () => said.push(7),
      check: () => undefined,
      counters: () => ({ calls: said.length }),
      end: () => void said.push('end'),
    }`,
    'measured',
  );
  const result = await run(module);
  expect(result.samples.map(({ metric }) => metric)).toEqual(['duration', 'wait']);
  expect(result.samples[1]).toEqual({ metric: 'wait', unit: 'µs', warmUp: [], timed: [7] });
  expect(result).toMatchObject({ steadiness: 'first run', repeats: 1, counters: { calls: 1 } });
  expect(saidBy('measured')).toEqual([7, 'end']);
});

test('tidies up when the check fails, and reports the check', async () => {
  const module = aModule(
    `{
      asynchronous: true,
      firstRun: true,
      once: async () => 1,
      check: () => { throw new Error('1 is not 2'); },
      end: async () => { said.push('end'); throw new Error('and this too'); },
    }`,
    'failing',
  );
  await expect(run(module)).rejects.toMatchObject({ phase: 'check', message: 'Error: 1 is not 2' });
  expect(saidBy('failing')).toEqual(['end']);
});

test('a check that takes its time is waited for', async () => {
  const module = aModule(
    `{
      asynchronous: false,
      firstRun: true,
      once: () => 1,
      check: async () => { throw new Error('1 is not 2'); },
    }`,
    'slow check',
  );
  await expect(run(module)).rejects.toMatchObject({ phase: 'check', message: 'Error: 1 is not 2' });
});

test('fails the trial when its cleanup leaves something behind', async () => {
  const module = aModule(
    `{
      asynchronous: false,
      firstRun: true,
      once: () => 1,
      check: () => undefined,
      end: () => { throw new Error('the server still runs'); },
    }`,
    'leaving',
  );
  const fault = { phase: 'finish', message: 'Error: the server still runs' };
  await expect(run(module)).rejects.toMatchObject(fault);
});
