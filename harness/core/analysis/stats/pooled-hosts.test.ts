import { expect, test } from '@playwright/test';
import { mean } from 'simple-statistics';
import { type HostComparison, decideHosts, poolComparisons } from './pooled-hosts.ts';
import { type NoiseShape, noiseShapes, simulateBlock, slotNoise } from './noise.ts';
import { seededGenerator, type SeededGenerator } from './random.ts';
import { rateInterval } from './rate-interval.ts';
import { type Comparison, decide, logDecisiveness } from './verdict.ts';

const campaign = { tag: '@campaign' };
const rules = { better: 'lower', margin: 0.02, alpha: 0.05 } as const;

interface Machine {
  readonly shape: NoiseShape;
  readonly spread: number;
  readonly ratio: number;
  /** Blocks that it measures while the fastest one measures one. */
  readonly pace: number;
}

/** Blocks of each machine, measured side by side: each at its own pace, with its own noise. */
class Fleet {
  readonly #hosts: readonly {
    readonly machine: Machine;
    readonly noise: () => number;
    readonly differences: number[];
    due: number;
  }[];
  readonly #generator: SeededGenerator;

  constructor(machines: readonly Machine[], generator: SeededGenerator) {
    this.#generator = generator;
    this.#hosts = machines.map((machine) => ({
      machine,
      noise: slotNoise(machine.shape, { spread: machine.spread, generator }),
      differences: [],
      due: 0,
    }));
  }

  /** The time in which the fastest machine measures one block. */
  step(): readonly HostComparison[] {
    for (const host of this.#hosts) {
      host.due += host.machine.pace;
      for (; host.due >= 1; host.due -= 1) {
        const { ratio } = host.machine;
        const { a, b } = simulateBlock(host.noise, { ratio, generator: this.#generator });
        host.differences.push(Math.log(a / b));
      }
    }
    return this.#hosts.map(({ differences }, index) => ({
      host: `host-${String(index)}`,
      comparison: compared(differences),
    }));
  }
}

/** No look lies before the end of a first round of five blocks. */
function compared(differences: readonly number[]): Comparison {
  return { differences, firstRound: { blocks: 5 } };
}

function unlikeMachines(count: number, ratio = 1): readonly Machine[] {
  return Array.from({ length: count }, (_, index) => ({
    shape: noiseShapes[(2 * index + noiseShapes.indexOf('drifting')) % noiseShapes.length]!,
    spread: [0.05, 0.01, 0.1][index % 3]!,
    ratio,
    pace: [1, 0.5, 0.8][index % 3]!,
  }));
}

function provesAtMost(rate: number, count: number, of: number): boolean {
  return rateInterval({ count, of, confidence: 0.998 }).high <= rate;
}

/** Decides like `decideHosts`, without computing intervals: a simulation asks often. */
function findsDifference(measured: readonly HostComparison[]): boolean {
  const pooled = poolComparisons(measured.map(({ comparison }) => comparison));
  return logDecisiveness(pooled, rules.margin).different >= -Math.log(rules.alpha);
}

for (const hosts of [1, 3, 10]) {
  const runs = 400;
  const lane = hosts === 3 ? {} : campaign;
  test(
    `A/A over ${String(hosts)} drifting, unlike hosts: at most 5 % false at any stop`,
    lane,
    () => {
      const generator = seededGenerator(400 + hosts);
      let differences = 0;
      let unlike = 0;
      for (let run = 0; run < runs; run += 1) {
        const fleet = new Fleet(unlikeMachines(hosts), generator);
        let isFalse = false;
        let isUnlike = false;
        for (let look = 0; look < 40; look += 1) {
          const measured = fleet.step();
          if (look < 9) continue;
          isFalse ||= findsDifference(measured);
          if (look % 20 === 19) isUnlike ||= decideHosts(measured, rules).differ;
        }
        differences += Number(isFalse);
        unlike += Number(isUnlike);
      }
      expect(provesAtMost(0.05, differences, runs), `${String(differences)} differences`).toBe(
        true,
      );
      expect(provesAtMost(0.05, unlike, runs), `${String(unlike)} differing hosts`).toBe(true);
    },
  );
}

test('three hosts find 5 % in at most 0.45 of the time of one', () => {
  const generator = seededGenerator(410);
  const timeOf = (hosts: number): number => {
    const machine = { shape: 'normal', spread: 0.05, ratio: 1.05, pace: 1 } as const;
    const fleet = new Fleet(
      Array.from({ length: hosts }, () => machine),
      generator,
    );
    for (let time = 1; ; time += 1) {
      const measured = fleet.step();
      if (time < 5 || !findsDifference(measured)) continue;
      expect(decideHosts(measured, rules).verdict).toBe('slower');
      return time;
    }
  };
  const runs = 200;
  const meanTime = (hosts: number): number =>
    mean(Array.from({ length: runs }, () => timeOf(hosts)));
  const [one, three] = [meanTime(1), meanTime(3)];
  expect(three / one, `${three.toFixed(1)} of ${one.toFixed(1)} blocks`).toBeLessThanOrEqual(0.45);
});

test(
  'the mean of hosts like these holds at any stop, with three hosts that differ',
  campaign,
  () => {
    const generator = seededGenerator(411);
    let missed = 0;
    for (let run = 0; run < 400; run += 1) {
      const machines = unlikeMachines(3).map((machine) => ({
        ...machine,
        ratio: Math.exp(0.03 * generator.normal()),
      }));
      const fleet = new Fleet(machines, generator);
      const misses = Array.from({ length: 60 }, (_, look) => {
        const measured = fleet.step();
        const bounds = look % 5 === 0 && look > 8 ? decideHosts(measured, rules).likeThese : null;
        return bounds !== null && (bounds.low > 1 || bounds.high < 1);
      });
      missed += Number(misses.includes(true));
    }
    expect(provesAtMost(0.05, missed, 400), `${String(missed)} of 400`).toBe(true);
  },
);

/** Makes blocks with a small noise of either sign. */
function blocksAround(ratio: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => Math.log(ratio) + (i % 2 === 0 ? 1e-3 : -1e-3));
}

test('says that hosts differ, and what holds on all of them', () => {
  const [none, some, much] = [1, 1.05, 1.1].map((ratio, index) => ({
    host: `host-${String(index)}`,
    comparison: compared(blocksAround(ratio, 40)),
  })) as [HostComparison, HostComparison, HostComparison];
  const mixed = decideHosts([none, some], rules);
  expect(mixed).toMatchObject({ verdict: 'undecided', differ: true });
  expect(mixed.hosts.map(({ decision }) => decision.verdict)).toEqual(['equivalent', 'slower']);
  expect(decideHosts([some, much], rules)).toMatchObject({ verdict: 'slower', differ: true });
  expect(decideHosts([some, some], rules)).toMatchObject({ verdict: 'slower', differ: false });
});

test('takes the blocks round by round, and a host only when its first round is over', () => {
  const pooled = poolComparisons([
    { differences: [1, 2, 3], share: 0.5 },
    { differences: [10], resolution: 0.01, share: 0.5 },
  ]);
  expect(pooled).toEqual({ differences: [1, 10, 2, 3], resolution: 0.01, share: 0.25 });
  const begun = { host: 'begun', comparison: compared(blocksAround(1.05, 20)) };
  const fresh = { host: 'fresh', comparison: compared(blocksAround(0.5, 4)) };
  expect(decideHosts([begun, fresh], rules).hosts.map(({ host }) => host)).toEqual(['begun']);
  expect(decideHosts([begun], rules).pooled).toEqual(
    decide(begun.comparison, { ...rules, looks: 'last' }),
  );
});

test('calls nothing equivalent that lies beyond the margin on a host', () => {
  const same = compared(blocksAround(1, 60));
  const apart = compared(
    [...blocksAround(1.03, 1), ...blocksAround(0.97, 1)].flatMap((d) => [d, d, d]),
  );
  const hosts = [
    { host: 'a', comparison: same },
    { host: 'b', comparison: same },
    { host: 'c', comparison: { ...apart, differences: apart.differences.map((d) => d + 0.03) } },
  ];
  const { pooled, outlier, verdict } = decideHosts(hosts, rules);
  expect({ pooled: pooled.verdict, outlier, verdict }).toEqual({
    pooled: 'equivalent',
    outlier: true,
    verdict: 'undecided',
  });
});
