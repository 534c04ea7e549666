import type {
  AssertionTemplate,
  Claim,
  CounterfactualTemplate,
  ArmTemplate,
  Product,
} from '../judging/claim.ts';
import { about } from './fib-arms.ts';

/**
 * D1 and D2: an Express server that hashes a password for each request, on its JavaScript thread or
 * on the pool of its runtime. The source measured Node.js; Deno and Bun are shown as well.
 */

export const source = '“Async vs Sync, a benchmark”, Express and bcrypt under ab';

const products: readonly Product[] = ['node', 'deno', 'bun'];

type Route = 'sync' | 'async';

interface Load {
  readonly quantity: string;
  readonly threadPool?: number;
}

/**
 * Latencies by ab, as the source: its 20 connections ask whenever they have an answer. autocannon divides
 * the requests among them beforehand, and those that are done fall silent: requests per second times mean
 * latency was 14.5 with it, where 20 requests always wait, and 19.2 with ab.
 */
const latencyLoad = { requests: 250, generator: 'ab' } as const;

function arm(product: Product, route: Route, { quantity, threadPool = 0 }: Load): ArmTemplate {
  const own = quantity.startsWith('latency') ? latencyLoad : { requests: 50 };
  const load = { ...own, concurrency: 20, cost: 10 };
  return { product, benchmark: 'password-server', parameters: { ...load, route, threadPool } };
}

/** The throughput of Node.js. */
function served(route: Route, threadPool = 0): ArmTemplate {
  return arm('node', route, { quantity: 'throughput', threadPool });
}

type ComparisonTemplate = Pick<
  AssertionTemplate,
  'sentence' | 'quantity' | 'expected' | 'published'
>;

/** Asynchronous over synchronous, in one runtime. */
function compareRoutes(
  product: Product,
  { role, ...compared }: ComparisonTemplate & { readonly role?: 'explanation' },
): AssertionTemplate {
  return {
    kind: 'ratio',
    ...(role === undefined ? {} : { role }),
    ...compared,
    a: arm(product, 'async', compared),
    b: arm(product, 'sync', compared),
  };
}

const notLookedAt = { text: 'not looked at' };

/** Shows the same in a runtime that the source did not measure. */
function showBeside(product: Product, quantity: string, what: string): AssertionTemplate {
  return compareRoutes(product, {
    role: 'explanation',
    sentence: what,
    quantity,
    expected: {},
    published: notLookedAt,
  });
}

/** Against the synchronous route, which uses no pool. */
function poolOf(threads: number, expected: AssertionTemplate['expected']): AssertionTemplate {
  const pool = threads === 1 ? 'one thread' : `${String(threads)} threads`;
  const gone = threads === 1 ? 'the gain is gone' : 'this many times the requests are served';
  return {
    kind: 'ratio',
    role: 'explanation',
    sentence: `Node.js: with a pool of ${pool} ${gone}`,
    quantity: 'throughput',
    a: served('async', threads),
    b: served('sync'),
    expected,
    published: notLookedAt,
  };
}

/** Within a tenth: no gain from a pool of one thread. */
const none = { above: 0.9, below: 1.1 };

function withoutPool(quantity: string): CounterfactualTemplate {
  return {
    cause: 'thread-pool',
    sentence: 'Node.js with one thread in its pool',
    quantity,
    of: arm('node', 'async', { quantity }),
    effect: { kind: 'ratio', against: arm('node', 'sync', { quantity }) },
  };
}

const notes: readonly string[] = [
  'The source used ab -k -c 20 -n 250, on a server of the same machine. Latencies are asked the same way here. Throughput is asked of autocannon, within the process of the trial, with 50 requests; “--param generator=ab” asks it of ab. Server and generator share the cores, as they did in the source.',
  'With 20 requests always waiting, requests per second and mean latency say the same (their product is 20): neither can improve by more than the number of cores that hash. The source does not say how many cores it had; 2.29 takes more than two.',
  'The source says that asynchronous functions are better “when performing I/O”. Hashing is no I/O: the gain is that of the pool’s threads, which hash on other cores.',
];

/** The counterfactuals change the pool of the whole trial; the generator does not use it. */
export const serverClaims: readonly Claim[] = [
  {
    id: 'D1',
    sentence:
      'Of a server that hashes passwords, the asynchronous route serves about 2.3 times the requests per second of the synchronous one.',
    source,
    published: '24.65 against 10.75 requests per second (ab -k -c 20 -n 250, cost 10)',
    ask: {
      leastCores: 2,
      products,
      assertions: [
        compareRoutes('node', {
          sentence:
            'Node.js: the asynchronous route serves about 2.3 times the requests per second',
          quantity: 'throughput',
          expected: about(2.29),
          published: { text: '2.29× (24.65 against 10.75)', low: 2.29, high: 2.29 },
        }),
        {
          kind: 'level',
          role: 'explanation',
          sentence: 'Node.js: the asynchronous route keeps more than one core busy',
          quantity: 'cores-busy',
          of: served('async'),
          expected: { above: 1.2 },
          published: notLookedAt,
        },
        {
          kind: 'level',
          role: 'explanation',
          sentence: 'Node.js: JavaScript takes less than a quarter of a core meanwhile',
          quantity: 'javascript-parallelism',
          of: served('async'),
          expected: { below: 0.25 },
          published: notLookedAt,
        },
        poolOf(1, none),
        poolOf(2, {}),
        poolOf(4, {}),
        poolOf(8, {}),
        showBeside('deno', 'throughput', 'Deno: this many times the requests are served'),
        showBeside('bun', 'throughput', 'Bun: this many times the requests are served'),
      ],
      counterfactuals: [
        withoutPool('throughput'),
        {
          cause: 'cores',
          sentence: 'Node.js on one core',
          quantity: 'throughput',
          of: served('async'),
          effect: { kind: 'ratio', against: served('sync') },
        },
      ],
      notes: [
        '“About 2.3 times” is taken as 1.83 to 2.86 times: the sentence says how large, so its size decides.',
        ...notes,
      ],
    },
  },
  {
    id: 'D2',
    sentence:
      'Its latency is less than half of that of the synchronous route, and its spread far smaller.',
    source,
    published: 'mean 811 ms (standard deviation 120) against 1860 ms (414)',
    ask: {
      leastCores: 2,
      coresToJudge: 4,
      products,
      assertions: [
        compareRoutes('node', {
          sentence: 'Node.js: the mean latency of the asynchronous route is less than half',
          quantity: 'latency-mean',
          expected: { below: 0.5 },
          published: { text: '0.44× (811 against 1860 ms)', low: 0.436, high: 0.436 },
        }),
        compareRoutes('node', {
          sentence: 'Node.js: the standard deviation of its latency is less than half',
          quantity: 'latency-sd',
          expected: { below: 0.5 },
          published: { text: '0.29× (120 against 414 ms)', low: 0.29, high: 0.29 },
        }),
        compareRoutes('node', {
          role: 'explanation',
          sentence: 'Node.js: the mean latency of the asynchronous route is shorter',
          quantity: 'latency-mean',
          expected: { below: 1 },
          published: notLookedAt,
        }),
        compareRoutes('node', {
          role: 'explanation',
          sentence: 'Node.js: the standard deviation of its latency is smaller',
          quantity: 'latency-sd',
          expected: { below: 1 },
          published: notLookedAt,
        }),
        showBeside('deno', 'latency-mean', 'Deno: its mean latency is this share'),
        showBeside('bun', 'latency-mean', 'Bun: its mean latency is this share'),
      ],
      counterfactuals: [withoutPool('latency-mean')],
      notes: [
        '“Far smaller” is taken as less than half. Two cores can at best halve the latency, and the generator takes its part of them: on such a machine the claim cannot hold, however much shorter the latency is.',
        ...notes,
      ],
    },
  },
];
