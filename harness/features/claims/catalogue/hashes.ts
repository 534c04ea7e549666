import type { AssertionTemplate, Claim, ArmTemplate, Product } from '../judging/claim.ts';
import { about, exactly, inWords } from './fib-arms.ts';

export const source = '“Threaded JavaScript!”, John Costa';

const millions = 1_000_000;
const few = 10_000;

/** The threads of the source. */
const threadsOfSource = 8;

type Run = 'first' | 'warm';

interface Hashing {
  readonly calls: number;
  readonly threads: number;
  readonly run?: Run;
}

/** Runtimes hash with their own crypto, as the source did; browsers have none and use JavaScript. */
function hashArm(
  product: Product,
  { calls, threads, run = 'first' }: Hashing,
  implementation = runtimes.includes(product) ? 'native' : 'javascript',
): ArmTemplate {
  return {
    product,
    benchmark: 'worker-hash',
    parameters: { calls, threads, implementation, run },
  };
}

const runtimes: readonly Product[] = ['node', 'deno', 'bun'];
const products: readonly Product[] = [...runtimes, 'chromium', 'firefox', 'safari'];

const hostNames: readonly (readonly [Product, string])[] = [
  ['deno', 'Deno'],
  ['bun', 'Bun'],
  ['chromium', 'Chromium'],
  ['firefox', 'Firefox'],
  ['safari', 'Safari'],
];

/** Asks the same of every other host, which the source did not measure. */
function elsewhere(
  sentence: string,
  ask: (
    arm: (threads: number) => ArmTemplate,
  ) => Pick<Extract<AssertionTemplate, { kind: 'ratio' }>, 'a' | 'b'>,
  calls: number,
): readonly AssertionTemplate[] {
  return hostNames.map(([product, name]) => ({
    kind: 'ratio',
    role: 'explanation',
    sentence: `${name}: ${sentence}`,
    quantity: 'duration',
    ...ask((threads) => hashArm(product, { calls, threads })),
    expected: { above: 1 },
    published: inWords('not looked at'),
  }));
}

const sameWork =
  'The two published listings disagree: the one without threads makes 10,000,000 hashes, the one with threads 1,000,000; the text says one million of both. Here both sides make the same number.';

const howTimed =
  'As in the source, a value is the first run of a fresh process; so is each of the explanations, where nothing else is said. Its clock began when all workers had been constructed and ended when they had exited; here it begins before the first is constructed, because that is a part of what they cost. The text is turned into bytes before, and the hash is not turned into text.';

const otherHosts =
  'Node.js decides, because the source is about it. Deno and Bun hash with their own crypto as well; browsers have no MD5, so it is one in JavaScript there.';

/** C1 and C2: the same hash on one thread and on eight. */
export const hashClaims: readonly Claim[] = [
  {
    id: 'C1',
    sentence: '1,000,000 MD5 hashes: 8 worker threads are about 3.4 times as fast as one thread.',
    source,
    published: '1.139 s against 335 ms',
    ask: {
      leastCores: 2,
      coresToJudge: 4,
      products,
      assertions: [
        {
          kind: 'ratio',
          sentence: '8 worker threads are about 3.4 times as fast as one thread',
          quantity: 'duration',
          a: hashArm('node', { calls: millions, threads: 0 }),
          b: hashArm('node', { calls: millions, threads: threadsOfSource }),
          expected: about(3.4),
          published: exactly(3.4, '1.139 s / 335 ms ≈ 3.4×'),
        },
        {
          kind: 'ratio',
          role: 'explanation',
          sentence: 'as many worker threads as there are cores are faster than one thread',
          quantity: 'duration',
          a: hashArm('node', { calls: millions, threads: 0 }),
          b: { ...hashArm('node', { calls: millions, threads: 0 }), coresAs: 'threads' },
          expected: { above: 1 },
          published: inWords('not looked at'),
        },
        {
          kind: 'ratio',
          role: 'explanation',
          sentence: '8 worker threads are faster than one thread with an MD5 in JavaScript',
          quantity: 'duration',
          a: hashArm('node', { calls: millions, threads: 0 }, 'javascript'),
          b: hashArm('node', { calls: millions, threads: threadsOfSource }, 'javascript'),
          expected: { above: 1 },
          published: inWords('not looked at'),
        },
        ...elsewhere(
          '8 workers are faster than one thread',
          (arm) => ({ a: arm(0), b: arm(threadsOfSource) }),
          millions,
        ),
      ],
      counterfactuals: [
        {
          cause: 'cores',
          sentence: 'Node.js with 8 worker threads on one core',
          quantity: 'duration',
          of: hashArm('node', { calls: millions, threads: threadsOfSource }),
          effect: {
            kind: 'ratio',
            against: hashArm('node', { calls: millions, threads: 0 }),
          },
        },
      ],
      notes: [
        '“About 3.4 times” is taken as 2.72 to 4.25 times: the sentence says how large, so its size decides. It follows the number of cores: k of them cannot make it more than k times as fast, so on two the sentence cannot hold, and what can be confirmed there is its direction.',
        sameWork,
        howTimed,
        otherHosts,
      ],
    },
  },
  {
    id: 'C2',
    sentence: '10,000 hashes: the threads lose about three times, to their own start-up.',
    source,
    published: '23.5 ms against 70.3 ms',
    ask: {
      products,
      assertions: [
        {
          kind: 'ratio',
          sentence: '8 worker threads take about three times as long as one thread',
          quantity: 'duration',
          a: hashArm('node', { calls: few, threads: threadsOfSource }),
          b: hashArm('node', { calls: few, threads: 0 }),
          expected: about(3, 4),
          published: exactly(3, '70.3 ms / 23.5 ms ≈ 3.0×'),
        },
        {
          kind: 'ratio',
          sentence:
            '8 worker threads with one hash each take more than half as long as with 10,000 in all',
          quantity: 'duration',
          a: hashArm('node', { calls: threadsOfSource, threads: threadsOfSource }),
          b: hashArm('node', { calls: few, threads: threadsOfSource }),
          expected: { above: 0.5 },
          published: inWords('“it is costly to create a thread”'),
        },
        {
          kind: 'ratio',
          role: 'explanation',
          sentence: '8 worker threads take longer than one thread when the process is warm',
          quantity: 'duration',
          a: hashArm('node', { calls: few, threads: threadsOfSource, run: 'warm' }),
          b: hashArm('node', { calls: few, threads: 0, run: 'warm' }),
          expected: { above: 1 },
          published: inWords('not looked at'),
        },
        {
          kind: 'ratio',
          role: 'explanation',
          sentence: '8 worker threads take longer than one thread with an MD5 in JavaScript',
          quantity: 'duration',
          a: hashArm('node', { calls: few, threads: threadsOfSource }, 'javascript'),
          b: hashArm('node', { calls: few, threads: 0 }, 'javascript'),
          expected: { above: 1 },
          published: inWords('not looked at'),
        },
        ...elsewhere(
          '8 workers take longer than one thread',
          (arm) => ({ a: arm(threadsOfSource), b: arm(0) }),
          few,
        ),
      ],
      counterfactuals: [],
      notes: [
        '“About three times” is taken as 2.4 to 5 times, which takes in the “almost 4×” of its source: the sentence says how large, so its size decides. It follows the number of cores, on which eight threads start beside each other, and what the version of Node.js does for each.',
        '“To their own start-up” is taken as: threads that have next to nothing to do take more than half of the time.',
        sameWork,
        howTimed,
        otherHosts,
        'When a process is warm, the thread that asks has compiled code, and every worker still begins anew.',
      ],
    },
  },
];
