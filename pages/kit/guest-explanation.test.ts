/** The arithmetic of web-vitals' attribution, on entries as Chromium gives them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { expect, test } from '@playwright/test';
import { explanations } from '../../harness/core/model/explanation.ts';
import { projectRoot } from '../../harness/core/project.ts';
import type { Explanation, GuestMetric } from '../protocol.d.ts';

const script = readFileSync(join(projectRoot(), 'pages/kit/guest-explanation.js'), 'utf8');

const origin = 'http://127.0.0.1:8000';

const lcp: GuestMetric = {
  metric: 'lcp',
  unit: 'ms',
  reader: { by: 'paint', name: 'largest-contentful-paint' },
};
const inp: GuestMetric = { metric: 'inp', unit: 'ms', reader: { by: 'interaction' } };
const tbt: GuestMetric = { metric: 'tbt', unit: 'ms', reader: { by: 'long-tasks' } };

interface Scene {
  /** Entries that the browser has kept, by type. */
  readonly kept?: Readonly<Record<string, readonly object[]>>;
  readonly supported?: readonly string[];
  readonly navigation?: object;
  readonly resources?: readonly { readonly name: string; readonly [key: string]: unknown }[];
  readonly interactions?: ReadonlyMap<number, object>;
  readonly files?: Readonly<Record<string, string>>;
  readonly names?: Readonly<Record<string, unknown>>;
}

/** Explains values in a page whose entries the test decides, as a farm takes them. */
async function explain(
  metrics: readonly GuestMetric[],
  values: Readonly<Record<string, readonly number[]>>,
  scene: Scene,
): Promise<readonly Explanation[]> {
  const {
    kept = {},
    navigation = {},
    resources = [],
    files = {},
    interactions = new Map(),
  } = scene;
  class PerformanceObserver {
    static supportedEntryTypes = scene.supported ?? [
      ...['largest-contentful-paint', 'long-animation-frame', 'event'],
    ];
    private type = '';
    observe({ type }: { type: string }): void {
      this.type = type;
    }
    takeRecords(): readonly object[] {
      return kept[this.type] ?? [];
    }
    disconnect(): void {
      this.type = '';
    }
  }
  const performance = {
    getEntriesByType: () => [navigation],
    getEntriesByName: (name: string) => resources.filter((one) => one.name === name),
  };
  const fetch = (address: string): Promise<object> => {
    const text = files[address];
    return Promise.resolve({ ok: text !== undefined, text: () => Promise.resolve(text) });
  };
  const location = new URL(`${origin}/index.html`);
  const crossfarmGuest = { interactions };
  const context = createContext({
    PerformanceObserver,
    performance,
    fetch,
    location,
    crossfarmGuest,
    URL,
    AbortSignal,
    setTimeout,
    ...scene.names,
  });
  runInContext(script, context);
  const { crossfarmExplanation } = context as {
    crossfarmExplanation: {
      explain: (...args: readonly unknown[]) => Promise<readonly Explanation[]>;
    };
  };
  const told: unknown = await crossfarmExplanation.explain(metrics, values);
  const parsed = explanations.parse(JSON.parse(JSON.stringify(told)));
  expect(parsed).toHaveLength((told as readonly unknown[]).length);
  return parsed ?? [];
}

/** An element of the page. */
function anElement(
  localName: string,
  { id = '', classes = [] as string[], parent = {} } = {},
): object {
  return { nodeType: 1, localName, id, classList: classes, parentNode: parent };
}

const picture = `${origin}/img/hero.png?token=secret`;
const hero = anElement('img', {
  classes: ['wide', 'hero'],
  parent: anElement('main', { id: 'top' }),
});

test('a paint of a picture has four parts, which add up to it', async () => {
  const [found] = await explain(
    [lcp],
    { lcp: [480] },
    {
      kept: {
        'largest-contentful-paint': [
          { startTime: 90, url: '' },
          { startTime: 480, url: picture, element: hero },
        ],
      },
      navigation: { responseStart: 30 },
      resources: [
        { name: picture, requestStart: 200, startTime: 195, responseEnd: 420 } as {
          name: string;
        },
      ],
    },
  );
  expect(found).toEqual({
    metric: 'lcp',
    parts: { firstByte: 30, loadDelay: 170, loadDuration: 220, renderDelay: 60 },
    element: '#top>img.hero.wide',
    // Without its query, which may hold a secret.
    resource: 'img/hero.png',
  });
});

test('a paint of text waits for no resource', async () => {
  const [found] = await explain(
    [lcp],
    { lcp: [90] },
    {
      kept: {
        'largest-contentful-paint': [{ startTime: 90, url: '', element: null, id: 'title' }],
      },
      navigation: { responseStart: 30 },
    },
  );
  expect(found).toEqual({
    metric: 'lcp',
    parts: { firstByte: 30, loadDelay: 0, loadDuration: 0, renderDelay: 60 },
    element: '#title',
  });
});

test('a picture of another origin, and one that goes on after the paint, stay within it', async () => {
  const [found] = await explain(
    [lcp],
    { lcp: [100] },
    {
      kept: { 'largest-contentful-paint': [{ startTime: 100, url: 'https://cdn.test/a.mp4' }] },
      navigation: { responseStart: 20 },
      resources: [
        { name: 'https://cdn.test/a.mp4', requestStart: 0, startTime: 50, responseEnd: 900 },
      ],
    },
  );
  expect(found?.parts).toEqual({ firstByte: 20, loadDelay: 30, loadDuration: 50, renderDelay: 0 });
  expect(found?.resource).toBe('cdn.test/a.mp4');
});

const click = {
  name: 'click',
  startTime: 1000,
  duration: 200,
  processingStart: 1012,
  processingEnd: 1165,
  target: { deref: () => anElement('button', { id: 'go' }) },
};
const interactions = new Map([
  [
    7,
    {
      ms: 200,
      events: [{ ...click, name: 'pointerup', processingStart: 1010, processingEnd: 1011 }, click],
    },
  ],
]);

const handler = {
  duration: 150,
  forcedStyleAndLayoutDuration: 40,
  sourceCharPosition: 15,
  sourceURL: `${origin}/app.js`,
  sourceFunctionName: 'update',
  invoker: 'BUTTON#go.onclick',
};
const frame = { startTime: 1005, duration: 190, blockingDuration: 140, scripts: [handler] };

test('an interaction has the parts of its frame, and the script that ran in it', async () => {
  const [found] = await explain(
    [inp],
    { inp: [200] },
    {
      interactions,
      kept: { 'long-animation-frame': [{ ...frame, startTime: 10, duration: 900 }, frame] },
      files: { [`${origin}/app.js`]: 'const a = 1;\nfunction update() {}' },
    },
  );
  expect(found).toEqual({
    metric: 'inp',
    parts: { inputDelay: 10, processing: 155, presentation: 35 },
    event: 'click',
    element: '#go',
    frame: {
      ms: 190,
      blockedMs: 140,
      frames: 1,
      scripts: [
        {
          ms: 150,
          layoutMs: 40,
          name: 'update',
          source: 'app.js',
          url: `${origin}/app.js`,
          column: 3,
          line: 2,
          invoker: 'BUTTON#go.onclick',
        },
      ],
    },
  });
});

test('of thousands of frames the longest one counts, without scripts of the farm', async () => {
  const frames = Array.from({ length: 20_000 }, (_, index) => ({
    startTime: index * 100,
    duration: 60 + (index % 50),
    blockingDuration: 10,
    scripts: [],
  }));
  const own = { ...handler, sourceURL: `${origin}/.crossfarm/kit/guest.js`, duration: 170 };
  const longest = {
    ...frame,
    scripts: [own, handler, ...Array(9).fill({ ...handler, duration: 1 })],
  };
  const [found] = await explain(
    [tbt],
    { tbt: [9] },
    {
      kept: { 'long-animation-frame': [longest, ...frames] },
    },
  );
  expect(found?.frame?.ms).toBe(190);
  expect(found?.frame?.scripts.map(({ ms }) => ms)).toEqual([150, 1, 1]);
});

test('shortens hostile names to one line', async () => {
  const hostile = {
    ...handler,
    sourceURL: `data:text/javascript,${'x'.repeat(100_000)}`,
    sourceFunctionName: `<img src=x>\n\u001b[31m\u202e${'y'.repeat(10_000)}`,
    invoker: '\u0000'.repeat(5_000),
    duration: NaN,
    forcedStyleAndLayoutDuration: -1,
  };
  const scene = { kept: { 'long-animation-frame': [{ ...frame, scripts: [hostile] }] } };
  const [found] = await explain([tbt], { tbt: [9] }, scene);
  const [seen] = found?.frame?.scripts ?? [];
  expect(seen).toMatchObject({ ms: 0, layoutMs: 0, source: 'data:', invoker: '' });
  expect(seen?.name).toMatch(/^<img src=x> \[31m y+$/);
  expect(seen?.name.length).toBeLessThanOrEqual(80);
});

test('says what a browser does not support, and survives forged entries', async () => {
  const supported = ['largest-contentful-paint'];
  const paint = { startTime: 90, url: '' };
  const kept = { 'largest-contentful-paint': [paint] };
  const [without] = await explain([lcp], { lcp: [90] }, { supported, kept });
  expect(without?.lacksFrame).toMatch(/does not tell/);
  const Broken = Object.assign(
    () => {
      throw new Error('mine');
    },
    { supportedEntryTypes: ['largest-contentful-paint'] },
  );
  const [broken] = await explain([lcp], { lcp: [90] }, { names: { PerformanceObserver: Broken } });
  expect(broken).toEqual({ metric: 'lcp', lacks: 'the page does not let it be read' });
  const forged = { startTime: 90, url: { toString: null }, element: 7 };
  const [odd] = await explain(
    [lcp],
    { lcp: [90] },
    { kept: { 'largest-contentful-paint': [forged] } },
  );
  expect(odd?.metric).toBe('lcp');
});

test("a measure of the page's own is not explained, even if it is called lcp", async () => {
  const own: GuestMetric = { metric: 'lcp', unit: 'ms', reader: { by: 'measure', name: 'lcp' } };
  expect(await explain([own], { lcp: [90] }, {})).toEqual([]);
});
