import { expect, test } from '@playwright/test';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc, { type Arbitrary } from 'fast-check';
import { describeRun } from '../../core/analysis/findings.ts';
import { FarmError } from '../../core/errors.ts';
import { isCredible } from '../../core/model/bounded-value.ts';
import { loadInventory } from '../../core/plan/inventory/inventory.ts';
import { ClientRegistry } from '../remote/join/client-registry.ts';
import { addJoin } from '../remote/join/join-routes.ts';
import { type PageServer, startPageServer } from '../../core/server/page-server.ts';
import { type PageReply, TrialRegistry } from '../../core/server/trial-registry.ts';
import { completed, makeFacts, makeJobs } from '../../core/store/fixtures/example.ts';
import { openForeignStore } from '../../core/store/foreign.ts';
import { openStore } from '../../core/store/store.ts';
import { aTestApi } from '../../testing/api.ts';
import {
  aFoundDevice,
  aJob,
  aMeasurement,
  anEnvironment,
  aRecord,
  aResult,
  aTrial,
} from '../../testing/builders.ts';
import { parts, writePages } from '../../testing/bundle-example.ts';
import { aFolder } from '../../testing/folder.ts';
import { hostileVariants, hostileVersionsOfBytes } from '../../testing/hostile-json.ts';
import { aZip } from '../../testing/zip.ts';
import { unpackArchive } from './bundle/archive.ts';
import { bundleLimits, Refusal } from './bundle/format.ts';
import { sha256 } from './bundle/pages.ts';
import { readBundle } from './bundle/read.ts';
import { writeBundle } from './bundle/write.ts';
import { packRun } from './exchange/pack.ts';
import { readRunDocument } from './exchange/read.ts';

/**
 * Everything that the farm takes from others, 10,000 times with something wrong in it: it is refused
 * in words, or taken and right; nothing hangs, and nothing grows.
 */

/** A bound for what hangs: no case takes a tenth of it. */
const longestMs = 10_000;
const mostGrowth = 200 * 2 ** 20;

interface Attack<T> {
  readonly cases: number;
  readonly input: Arbitrary<T>;
  readonly meet: (input: T) => Promise<void> | void;
}

async function attack<T>({ cases, input, meet }: Attack<T>): Promise<void> {
  const before = process.memoryUsage().rss;
  const bounded = fc.asyncProperty(input, async (one) => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(new Error(`it hangs: longer than ${String(longestMs)} ms`));
      }, longestMs);
    });
    try {
      await Promise.race([meet(one), late]);
    } finally {
      clearTimeout(timer);
    }
  });
  await fc.assert(bounded, { numRuns: cases, endOnFailure: true });
  expect(process.memoryUsage().rss - before).toBeLessThan(mostGrowth);
}

/** Not `expect`, which notes each of ten thousand calls as a step of the test. */
function demand(isRight: boolean, what: string): void {
  if (!isRight) throw new Error(what);
}

/** Refused in words, which may go to a terminal. */
function expectRefusal(error: unknown): void {
  if (!(error instanceof FarmError) && !(error instanceof Refusal)) throw error;
  const { message } = error;
  demand(!/[\u0000-\u0008\u000b-\u001f]/.test(message), `it moves the cursor: ${message}`);
  demand(message.length < 5_000, `it is ${String(message.length)} characters long`);
}

const assignment = {
  protocol: 1,
  benchmark: 'x',
  parameters: {},
  measurement: aMeasurement,
} as const;
const listener = { onStart: () => undefined, onEnd: () => undefined };
const aMessage = {
  ...aResult([1, 2, 3], { counters: { calls: 3 } }),
  steadyState: {
    firstMs: 1,
    steadyAfterMs: 2,
    noisy: false,
    disturbed: [1],
    windowAtMs: 2,
    warmUpEndMs: [1],
    segments: [{ fromMs: 0, toMs: 3, level: 1 }],
  },
};

test('trial messages of every form, in every order @campaign', async () => {
  const call = fc.oneof(
    fc.constantFrom('assign', 'start', 'end', 'error'),
    fc.record({ result: fc.oneof(fc.constant<unknown>(aMessage), hostileVariants(aMessage)) }),
    fc.record({ text: fc.string({ unit: 'binary', maxLength: 50 }) }),
  );
  await attack({
    cases: 4_000,
    input: fc.tuple(fc.boolean(), fc.array(call, { minLength: 1, maxLength: 8 })),
    meet: async ([inOrder, calls]) => {
      const registry = new TrialRegistry();
      const { token, outcome } = registry.register(assignment, listener);
      const mark = (which: string): PageReply =>
        registry.mark(token, JSON.stringify({ mark: which }));
      if (inOrder) {
        registry.assign(token);
        mark('start');
        mark('end');
      }
      for (const one of calls) {
        const { status } =
          one === 'assign'
            ? registry.assign(token)
            : one === 'error'
              ? registry.fail(token, '{"phase":"timed","message":"x"}')
              : typeof one === 'string'
                ? mark(one)
                : 'result' in one
                  ? registry.finish(token, JSON.stringify(one.result) ?? '')
                  : registry.finish(token, one.text);
        demand([200, 400, 404, 409].includes(status), `it answers ${String(status)}`);
      }
      registry.fail(token, '{"phase":"timed","message":"the end"}');
      registry.refuse(token, { status: 400, why: 'the end' });
      const ended = await outcome;
      if (ended.kind !== 'result') return;
      const numbers = ended.result.samples.flatMap(({ warmUp, timed }) => [...warmUp, ...timed]);
      demand(numbers.every(isCredible), 'a number was taken that no clock gives');
    },
  });
});

async function withServer(
  work: (server: PageServer, registry: ClientRegistry) => Promise<void>,
): Promise<void> {
  const pages = join(await aFolder(), 'pages');
  await mkdir(join(pages, 'kit'), { recursive: true });
  for (const name of ['join.js', 'page.css', 'trial.js'])
    await writeFile(join(pages, 'kit', name), '');
  const registry = new ClientRegistry({ inviteMs: 60_000, now: () => 0 });
  const invite = { secret: 'the-owner', show: () => Promise.resolve('<svg></svg>') };
  const server = await startPageServer({
    pages,
    port: 0,
    door: (app) => addJoin(app, { registry, invite }),
  });
  try {
    await work(server, registry);
  } finally {
    await server.close();
  }
}

const segment = fc.oneof(
  fc.constantFrom(
    'join',
    'trial',
    'kit',
    'invite',
    'ask',
    '..',
    '.',
    '%2e%2e',
    '%2f',
    '%00',
    'window',
  ),
  fc.string({ maxLength: 12 }).map(encodeURIComponent),
);
const path = fc.array(segment, { maxLength: 5 }).map((all) => `/${all.join('/')}`);

test('messages of devices that join @campaign', async () => {
  await withServer(async (server, registry) => {
    await attack({
      cases: 1_000,
      input: fc.record({
        path: fc.oneof(path, fc.constant('INVITED')),
        body: fc.option(hostileVariants({ name: 'Pixel' })),
        cookie: fc.string({ maxLength: 30 }).map(encodeURIComponent),
      }),
      meet: async ({ path: asked, body, cookie }) => {
        const answer = await fetch(
          `${server.origin}${asked === 'INVITED' ? `/join/${registry.invite()}` : asked}`,
          {
            method: body === null ? 'GET' : 'POST',
            ...(body === null ? {} : { body: JSON.stringify(body) }),
            headers: { cookie: `crossfarm-client=${cookie}` },
          },
        );
        const text = await answer.text();
        demand(answer.status < 500, `${asked}: ${String(answer.status)} ${text.slice(0, 300)}`);
        demand(!text.includes('root:'), `${asked} gives a file of the system`);
      },
    });
  });
});

test('questions to the API @campaign', async () => {
  const api = await aTestApi();
  try {
    const document = (await api.get('/api/openapi.json')).json<{
      paths: Record<string, { get: { parameters?: { name: string; in: string }[] } }>;
    }>();
    const routes = Object.entries(document.paths).filter(([route]) => !route.endsWith('/events'));
    const names = [
      ...new Set(routes.flatMap(([, { get }]) => (get.parameters ?? []).map(({ name }) => name))),
    ];
    const value = fc.oneof(fc.string({ unit: 'binary', maxLength: 30 }), fc.integer().map(String));
    await attack({
      cases: 1_000,
      input: fc.record({
        route: fc.oneof(fc.constantFrom(...routes.map(([route]) => route)), path),
        id: value,
        query: fc.array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 4 }),
        accept: fc.constantFrom('application/json', 'text/csv', '*/*', ';;q=9', '\t'),
      }),
      meet: async ({ route, id, query, accept }) => {
        const url = `${route.replaceAll(/\{\w+\}/g, encodeURIComponent(id))}?${String(new URLSearchParams(query))}`;
        const answer = await api.get(url, { accept });
        demand(answer.statusCode < 500, `${url}: ${answer.body.slice(0, 300)}`);
      },
    });
  } finally {
    await api.close();
  }
});

test('bundles with changed bytes, manifests and trials @campaign', async () => {
  const file = join(await aFolder(), 'bundle.zip');
  await writeBundle(file, parts(await writePages(join(file, '..'))));
  const whole = await readFile(file);
  const entries = unpackArchive(whole, bundleLimits);
  const textOf = (name: string): string => Buffer.from(entries.get(name) ?? []).toString();
  const manifest = JSON.parse(textOf('bundle.json')) as object;
  const trials = JSON.parse(textOf('trials.json')) as unknown;
  /** With the hashes of what is there, so that more than those is met. */
  const packed = (head: unknown, all: unknown): Uint8Array => {
    const contents = [...entries.keys()]
      .filter((name) => name !== 'bundle.json')
      .map((name) => ({ name, data: name === 'trials.json' ? JSON.stringify(all) : textOf(name) }));
    const files = contents.map(({ name, data }) => ({
      path: name,
      bytes: Buffer.byteLength(data),
      sha256: sha256(Buffer.from(data)),
    }));
    const isRecord = typeof head === 'object' && head !== null && !Array.isArray(head);
    const data = JSON.stringify(isRecord ? { ...head, files } : head) ?? '';
    return aZip([{ name: 'bundle.json', data }, ...contents]);
  };
  await attack({
    cases: 1_500,
    input: fc.oneof(
      hostileVersionsOfBytes(whole),
      hostileVariants(manifest).map((head) => packed(head, trials)),
      hostileVariants(trials).map((all) => packed(manifest, all)),
    ),
    meet: async (bytes) => {
      await writeFile(file, bytes);
      await readBundle(file).catch(expectRefusal);
    },
  });
});

const jobs = [0, 1, 2, 3, 4, 5, 6, 7].map((index) =>
  aJob({ ordinal: index, block: Math.floor(index / 2), deviceId: index % 2 === 0 ? 'one' : 'two' }),
);
const record = aRecord(
  [aFoundDevice('one'), aFoundDevice('two')],
  jobs.map((job) =>
    aTrial(job, {
      kind: 'completed',
      result: aResult([1, 1.01, 0.99]),
      readings: [anEnvironment()],
      quarantine: [],
    }),
  ),
);
const writing = { writtenAt: '2026-01-02T00:00:00.000Z', farmVersion: '0.1.0' };

test('refuses a damaged exported run or gives numeric verdicts @campaign', async () => {
  const valid: unknown = JSON.parse(JSON.stringify(packRun(record, 'which-run')));
  await attack({
    cases: 1_500,
    input: hostileVariants(valid),
    meet: (document) => {
      try {
        const taken = readRunDocument(document);
        const { pairs } = describeRun(taken.record, writing).verdicts;
        for (const { ratio, low, high } of pairs) {
          demand([ratio, low ?? 1, high ?? 1].every(Number.isFinite), 'a ratio is no number');
        }
      } catch (error) {
        expectRefusal(error);
      }
    },
  });
});

test('databases with changed bytes @campaign', async () => {
  const folder = await aFolder();
  const [whole, file] = [join(folder, 'whole.db'), join(folder, 'changed.db')];
  const store = await openStore(whole);
  const planned = makeJobs(4);
  const run = await store.createRun(makeFacts(planned));
  for (const job of planned) await store.writeTrial(run, completed(job, [1 / 3, 2, 3]));
  await store.finishRun(run, 'finished', '2026-11-21T01:00:00.000Z');
  await store.close();
  await attack({
    cases: 300,
    input: hostileVersionsOfBytes(await readFile(whole)),
    meet: async (bytes) => {
      await writeFile(file, bytes);
      const opened = await openForeignStore(file).catch((error: unknown) => {
        expectRefusal(error);
        return null;
      });
      if (opened === null) return;
      try {
        for (const { id } of await opened.listRuns()) {
          const read = await opened.readRun(id);
          if (read !== null) readRunDocument(packRun(read, await opened.readIdentity(id)));
        }
      } catch (error) {
        // Answers of `importFiles`: a column whose JSON is broken, or of another form.
        if (!(error instanceof SyntaxError) && !(error instanceof TypeError)) expectRefusal(error);
      } finally {
        await opened.close();
      }
    },
  });
});

test('devices.json with anything in it @campaign', async () => {
  const file = join(await aFolder(), 'devices.json');
  const valid = {
    devices: [
      { id: 'a', name: 'A', browser: 'chromium', driver: ['playwright', 'open'], flags: ['--x'] },
      { id: 'b', browser: 'firefox', driver: 'webdriver', server: 'http://hub:4444', node: 'n' },
      { id: 'c', browser: 'chrome', driver: 'appium', platform: 'android', udid: 'R58' },
    ],
  };
  await attack({
    cases: 700,
    input: fc.oneof(
      hostileVariants(valid).map((value) => JSON.stringify(value) ?? ''),
      fc.string({ unit: 'binary', maxLength: 200 }),
    ),
    meet: async (text) => {
      await writeFile(file, text);
      await loadInventory(file).catch(expectRefusal);
    },
  });
});
