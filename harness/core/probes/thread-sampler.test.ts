import { expect, test } from '@playwright/test';
import { realFiles } from '../system-files.ts';
import { ThreadSampler } from './thread-sampler.ts';

/** As many processes as a browser has, of which this one alone is there. */
const manyPids = [process.pid, -1, -2, -3];

interface Ticking {
  readonly sampler: ThreadSampler;
  readonly tick: () => void;
  /** How often the tasks of a process were listed. */
  readonly listings: () => number;
}

/** A sampler of this very process, whose ticks come when the test wants them. */
function aTickingSampler(pids: readonly number[] = manyPids): Ticking {
  let listings = 0;
  const sampler = new ThreadSampler({
    read: realFiles.read,
    list: (path) => {
      if (path !== '/proc') listings += 1;
      return realFiles.list(path);
    },
  });
  const ticks: (() => void)[] = [];
  const { setInterval: set } = globalThis;
  globalThis.setInterval = ((tick: () => void) => {
    ticks.push(tick);
    return set(() => undefined, 1e6);
  }) as typeof set;
  try {
    sampler.open(pids);
    sampler.start();
  } finally {
    globalThis.setInterval = set;
  }
  return { sampler, tick: () => ticks[0]!(), listings: () => listings };
}

test('looks for new threads once a second, first after one second', () => {
  test.skip(process.platform !== 'linux', 'reads /proc, which only Linux has');
  const { sampler, tick, listings } = aTickingSampler();
  try {
    expect(sampler.size).toBeGreaterThan(1);
    const before = listings();
    const listed = Array.from({ length: 20 }, () => {
      tick();
      return listings() - before;
    });
    const nine = (count: number): number[] => Array<number>(9).fill(count);
    expect(listed).toEqual([...nine(0), 4, ...nine(4), 8]);
    expect(sampler.window().instants).toHaveLength(20);
  } finally {
    sampler.close();
  }
});

test('in a session of few processes new threads are looked for at every tick', () => {
  test.skip(process.platform !== 'linux', 'reads /proc, which only Linux has');
  const { sampler, tick, listings } = aTickingSampler([process.pid]);
  try {
    const before = listings();
    tick();
    tick();
    expect(listings() - before).toBe(2);
  } finally {
    sampler.close();
  }
});
