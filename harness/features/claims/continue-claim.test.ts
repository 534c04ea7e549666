import { expect, test } from '@playwright/test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fakeDriver, type FakeAssignment } from '../../../drivers/fake/fake.ts';
import { judge } from './judging/judge.ts';
import { seededGenerator, type SeededGenerator } from '../../core/analysis/stats/random.ts';
import type { RunRecord } from '../../core/model/run.ts';
import type { Continuation } from '../../core/app/extensions.ts';
import { withStore } from '../../core/app/records.ts';
import { pagesFolder } from '../../core/project.ts';
import { aFolder } from '../../testing/folder.ts';
import { chooseClaims } from './catalogue/index.ts';
import type { ClaimAnswer } from './claims.ts';
import { findContinuation } from './find-continuation.ts';
import { type ClaimOptions, reproduceClaims } from './reproduce-claims.ts';

// Dozens of trials by HTTP, on a machine that may be busy.
test.describe.configure({ timeout: 180_000 });

type MeasuredAnswer = Extract<ClaimAnswer, { kind: 'measured' }>;

const typical: Readonly<Record<string, number>> = {
  'asyncFib 20': 10,
  'asyncMemoFib 20': 10.2,
  'asyncMemoFib 10': 1,
  'asyncPromiseMemoFib 20': 0.2,
  'asyncPromiseMemoFib 10': 0.1,
};

/** A farm with one browser whose pages take as long as `typical` says, and noise on the logarithm. */
class Farm {
  readonly said: string[] = [];
  flags: readonly string[] = [];
  readonly #noise: number;
  readonly #folder: string;
  readonly #generators = new Map<string, SeededGenerator>();

  constructor(folder: string, noise: number) {
    this.#folder = folder;
    this.#noise = noise;
  }

  /** How its newest run is continued. */
  async continuation(): Promise<Continuation | null> {
    return withStore(join(this.#folder, 'farm.db'), async (store) => {
      const [newest] = await store.listRuns();
      return findContinuation(newest!, store);
    });
  }

  async reproduce(asked: Partial<ClaimOptions> = {}): Promise<MeasuredAnswer> {
    const inventory = join(this.#folder, 'devices.json');
    const device = { id: 'one', browser: 'chromium', driver: 'playwright', headless: true };
    const executable = process.execPath;
    await writeFile(
      inventory,
      JSON.stringify({ devices: [{ ...device, executable, flags: this.flags }] }),
    );
    const driver = fakeDriver({
      trial: {
        does: 'completes',
        metrics: (assignment) => [
          { metric: 'duration', unit: 'ms', timed: [this.#durationOf(assignment)] },
        ],
        result: { counters: { calls: 39 } },
      },
    });
    const options: ClaimOptions = {
      inventory,
      database: join(this.#folder, 'farm.db'),
      pages: pagesFolder(),
      port: 0,
      device: [],
      param: {},
      without: [],
      cores: [],
      repeat: true,
      deadline: 60_000,
      probes: false,
      measurement: 'fast',
      maxBlocks: 24,
      ...asked,
    };
    const caller = {
      signal: new AbortController().signal,
      say: (sentence: string) => {
        if (/ run \d/.test(sentence)) this.said.push(sentence);
      },
      loadDriver: () => Promise.resolve(driver),
    };
    for await (const answer of reproduceClaims(chooseClaims(['A14']), options, caller)) {
      if (answer.kind === 'measured') return answer;
    }
    throw new Error('the claim was not measured');
  }

  #durationOf({ parameters }: FakeAssignment): number {
    const arm = `${String(parameters['function'])} ${String(parameters['n'])}`;
    const seed = 5 + Object.keys(typical).indexOf(arm);
    const generator = this.#generators.get(arm) ?? seededGenerator(seed);
    this.#generators.set(arm, generator);
    return typical[arm]! * Math.exp(this.#noise * generator.normal());
  }
}

async function aFarm(noise: number): Promise<Farm> {
  return new Farm(await aFolder(), noise);
}

function completed({ trials }: RunRecord): RunRecord['trials'] {
  return trials.filter(({ outcome }) => outcome.kind === 'completed');
}

const isExplanation = ({ job }: RunRecord['trials'][number]): boolean =>
  job.case.parameters['function'] === 'asyncPromiseMemoFib';

test('what decides is measured first, and explanations when there is a verdict; what is answered is asked from nothing', async () => {
  const farm = await aFarm(0.02);
  const { evidence, answer } = await farm.reproduce({ seed: 3 });
  expect(evidence.verdict).toBe('confirmed');
  expect(evidence.assertions.map(({ outcome }) => outcome)).toEqual(Array(5).fill('holds'));
  const { question } = answer.record;
  const trials = completed(answer.record);
  const first = trials.findIndex(isExplanation);
  expect(first).toBeGreaterThan(0);
  expect(
    judge(question!, answer.record.trials.slice(0, answer.record.trials.indexOf(trials[first]!)))
      .verdict,
  ).toBe('confirmed');
  const blocks = new Set(trials.map(({ job }) => job.block)).size;
  expect(trials.length).toBeLessThan(blocks * Object.keys(typical).length);
  expect((await farm.reproduce()).answer.record.run.id).toBe(2);
  expect(farm.said).toEqual([]);
  expect(await farm.continuation()).toBeNull();
});

test('an open claim continues as if it were measured in one run', async () => {
  const [farm, other] = [await aFarm(0.25), await aFarm(0.25)];
  const open = await farm.reproduce({ seed: 3, maxBlocks: 8 });
  expect(open.evidence.verdict).toBe('inconclusive');
  const asOpen = ['claims', 'reproduce', 'A14', '--inventory'];
  expect((await farm.continuation())?.args.slice(0, 4)).toEqual(asOpen);
  const further = await farm.reproduce({ maxBlocks: 8 });
  expect(farm.said).toEqual([expect.stringMatching(/^going on with run 1: 8 blocks so far/)]);

  const whole = await other.reproduce({ seed: 3, maxBlocks: 16 });
  expect(further.answer.record.run.id).toBe(1);
  expect(further.evidence.assertions).toEqual(whole.evidence.assertions);
  const orderOf = ({ answer }: MeasuredAnswer) => answer.record.trials.map(({ job }) => job);
  expect(orderOf(further)).toEqual(orderOf(whole));
  expect(further.answer.record.run.command).toMatch(/ --max-blocks 16 .* --seed 3$/);
});

test('another build or deadline, --anew and a seed begin a new run', async () => {
  const farm = await aFarm(0.25);
  const ids: number[] = [];
  const measure = async (asked: Partial<ClaimOptions>) => {
    ids.push((await farm.reproduce({ maxBlocks: 8, ...asked })).answer.record.run.id);
  };
  await measure({});
  await measure({ anew: true });
  await measure({ seed: 9 });
  expect(farm.said).toEqual([]);
  await measure({ deadline: 30_000 });
  expect(farm.said.splice(0)).toEqual([expect.stringMatching(/run 3: .*deadline/)]);
  farm.flags = ['--another'];
  await measure({ deadline: 30_000 });
  expect(farm.said).toEqual([expect.stringMatching(/run 4: one is another build/)]);
  expect(ids).toEqual([1, 2, 3, 4, 5]);
});

test('a claim asked of two builds in turn continues the run of each', async () => {
  const farm = await aFarm(0.25);
  const ids: number[] = [];
  for (const flags of [['--old'], ['--new'], ['--old'], ['--new']]) {
    farm.flags = flags;
    ids.push((await farm.reproduce({ maxBlocks: 8 })).answer.record.run.id);
  }
  expect(ids).toEqual([1, 2, 1, 2]);
});
