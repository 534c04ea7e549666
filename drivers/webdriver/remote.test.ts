import { expect, test } from '@playwright/test';
import type { LaunchOptions, Orphan, Session } from '../driver.ts';
import { startGridDouble, type GridDouble, type GridScript } from '../doubles/grid.ts';
import { awaitSlot, watchNode } from './grid-session.ts';
import { parseStatus, whyNoSlot, type WantedSlot } from '../shared/grid-status.ts';
import { watchEnding } from '../shared/step.ts';
import { webdriverDriver } from './webdriver.ts';

const never = new AbortController().signal;

/** For a launch that is in vain: four fifths of it for the waiting, the rest for a busy machine. */
const briefMs = 4000;

async function withGrid(
  script: GridScript,
  work: (
    grid: GridDouble,
    launch: (changes?: Partial<LaunchOptions>) => Promise<Session>,
  ) => Promise<void>,
): Promise<void> {
  const grid = await startGridDouble(script);
  const launch = (changes: Partial<LaunchOptions> = {}): Promise<Session> =>
    webdriverDriver.launch({
      browser: 'chromium',
      executable: '',
      server: grid.address,
      remote: {},
      flags: ['--mute-audio'],
      preferences: {},
      headless: true,
      sandbox: true,
      environment: {},
      profile: '/nowhere',
      signal: never,
      timeoutMs: 60_000,
      ...changes,
    });
  try {
    await work(grid, launch);
  } finally {
    await grid.close();
  }
}

/** The wait for a slot whose patience is over with the first look. That a launch waits longer is tested once. */
const lookOnce = (address: string, wanted: WantedSlot): Promise<boolean> =>
  awaitSlot(address, wanted, { patienceMs: 0, abandoned: never, lost: new Set() });

test('gives the node of a session, and ends the session at the hub', async () => {
  await withGrid({ name: 'a' }, async (grid, launch) => {
    const session = await launch({ remote: { node: 'a' } });
    expect(session.node).toEqual({ id: '7f', uri: `${grid.address}/node`, name: 'a' });
    expect(await session.version()).toBe('9.8');
    expect(await session.processes()).toEqual([]);
    await session.close();
    expect(grid.asked.at(-1)).toBe('DELETE /session/c0ffee');
  });
});

test("requests the owner's node and capabilities, and no local path", async () => {
  await withGrid({ name: 'a' }, async (grid, launch) => {
    const capabilities = { platformName: 'linux', 'se:name': 'mine' };
    const session = await launch({ remote: { node: 'a', capabilities } });
    const [asked] = grid.wanted;
    expect(asked).toMatchObject({ ...capabilities, 'crossfarm:node': 'a', browserName: 'chrome' });
    const chrome = asked!['goog:chromeOptions'] as { binary?: string; args: string[] };
    expect(chrome.binary).toBeUndefined();
    expect(chrome.args).toEqual(expect.arrayContaining(['--headless', '--mute-audio']));
    expect(chrome.args.join(' ')).not.toContain('/nowhere');
    await session.close();
  });
});

test('accepts a plain WebDriver server elsewhere; it has no node', async () => {
  await withGrid({ isGrid: false }, async (_grid, launch) => {
    const session = await launch();
    expect(session.node).toBeUndefined();
    await session.close();
  });
});

test("waits for a full grid within the launch's limit and queues nothing", async () => {
  await withGrid({}, async (grid, launch) => {
    grid.taken = true;
    await expect(launch({ timeoutMs: briefMs })).rejects.toThrow(
      /within 3 s.*no free slot.*chrome/,
    );
    expect(grid.wanted).toEqual([]);
    grid.taken = false;
    await (await launch()).close();
  });
});

test('gives up a session that never begins and requests the next one', async () => {
  await withGrid({}, async (grid, launch) => {
    grid.silent = true;
    await expect(launch({ timeoutMs: briefMs })).rejects.toMatchObject({
      code: 'timed-out',
      message: expect.stringContaining('took longer than 4 s'),
    });
    expect(grid.wanted).toHaveLength(1);
    grid.silent = false;
    await (await launch()).close();
  });
});

test('names a node that is not declared, and a browser that no node has', async () => {
  await withGrid({ name: 'a' }, async ({ address }) => {
    await expect(lookOnce(address, { browserName: 'chrome', node: 'b' })).rejects.toThrow(
      /no node .*"crossfarm:node": "b"/,
    );
    await expect(lookOnce(address, { browserName: 'firefox', node: null })).rejects.toThrow(
      /the grid offers no firefox/,
    );
  });
});

test('refuses a missing node at once, though its hub still lists it', async () => {
  await withGrid({}, async (grid, launch) => {
    // A port without a listener: the grid holds its own until it ends.
    const gone = await startGridDouble();
    await gone.close();
    grid.nodeAddress = gone.address;
    await expect(launch()).rejects.toMatchObject({
      code: 'launch-failed',
      message: expect.stringMatching(/lists a node that is gone: .*ECONNREFUSED/),
    });
    expect(grid.wanted).toEqual([]);
  });
});

test('reports a hub that does not answer, when the time is up', async () => {
  await withGrid({}, async (grid) => {
    await grid.close();
    await expect(
      lookOnce(grid.address, { browserName: 'chrome', node: null }),
    ).rejects.toMatchObject({
      code: 'timed-out',
      message: expect.stringMatching(/no WebDriver server answers at .* \(ECONNREFUSED\)/),
    });
  });
});

test('a session that its hub has forgotten is ended by its node', async () => {
  await withGrid({ name: 'a' }, async (grid, launch) => {
    const session = await launch();
    grid.forgetful = true;
    await session.close();
    expect(grid.asked.slice(-2)).toEqual([
      'DELETE /session/c0ffee',
      'DELETE /node/se/grid/node/session/c0ffee',
    ]);
  });
});

test('records a remote session before it begins, then with what ends it', async () => {
  await withGrid({ name: 'a' }, async (grid, launch) => {
    const told: Orphan[] = [];
    const asked: number[] = [];
    const remember = (orphan: Orphan): Promise<void> => {
      told.push(orphan);
      asked.push(grid.wanted.length);
      return Promise.resolve();
    };
    const session = await launch({ remember });
    const known = { kind: 'webdriver', server: grid.address, session: 'c0ffee' };
    expect(told).toEqual([
      { kind: 'grid', server: grid.address, name: grid.wanted[0]!['se:name'] },
      known,
      { ...known, nodeUri: `${grid.address}/node` },
    ]);
    expect(asked).toEqual([0, 1, 1]);
    await session.close();
  });
});

test("finds a dying hub's unanswered session by name and frees its slot", async () => {
  await withGrid({}, async (grid, launch) => {
    grid.breaksOff = true;
    await expect(launch()).rejects.toMatchObject({ code: 'launch-failed' });
    expect(grid.holds).toBe(true);
    Object.assign(grid, { breaksOff: false, forgetful: true });
    const session = await launch();
    expect(grid.asked).toContain('DELETE /node/se/grid/node/session/c0ffee');
    expect(grid.wanted).toHaveLength(2);
    await session.close();
  });
});

test('never ends a session of another user', async () => {
  await withGrid({}, async (grid, launch) => {
    await launch();
    await expect(launch({ timeoutMs: briefMs })).rejects.toThrow(/no free slot/);
    expect(grid.holds).toBe(true);
    expect(grid.asked.filter((one) => one.startsWith('DELETE'))).toEqual([]);
  });
});

test('a node that does not answer any more ends the session', async () => {
  await withGrid({}, async (grid) => {
    const ending = watchEnding();
    const stop = watchNode({ id: '7f', uri: `${grid.address}/node` }, ending, { everyMs: 20 });
    // The first look is what says that the node can be reached from here at all.
    await expect.poll(() => grid.looks).toBeGreaterThan(0);
    grid.nodeLives = false;
    const reason = await ending.ended;
    expect(reason).toContain(`${grid.address}/node`);
    expect(reason).toMatch(/not answer/);
    stop();
  });
});

test('looks at the server of an address before a run, and starts nothing', async () => {
  await withGrid({ name: 'a' }, async (grid) => {
    const look = (browser: string, node?: string) =>
      webdriverDriver.look!(grid.address, browser, node === undefined ? {} : { node });
    expect(await look('chromium', 'a')).toMatchObject({ node: { name: 'a' } });
    expect(await look('chromium')).toMatchObject({ node: { id: '7f' } });
    grid.taken = true;
    expect(await look('chromium', 'a')).toMatchObject({ node: { name: 'a' } });
    expect(await look('firefox', 'a')).toEqual({
      refusal: expect.stringMatching(/"a" .*no firefox$/),
    });
    expect(await look('chromium', 'b')).toEqual({
      refusal: expect.stringMatching(/no node .*"b"$/),
    });
    expect(grid.wanted).toEqual([]);
  });
});

test('refuses a server that does not speak WebDriver', () => {
  for (const text of ['{}', '[]', '{"value":{"ready":"yes"}}', 'Welcome!']) {
    expect(() => parseStatus(text), text).toThrow();
  }
});

test('leaves out nodes of an unknown form', () => {
  const value = { ready: true, nodes: [null, { id: 7 }, { id: 'x', uri: 'u', slots: [{}] }] };
  const { slots } = parseStatus(JSON.stringify({ value }));
  expect(slots).toMatchObject([{ node: { id: 'x', uri: 'u' }, browserName: '', session: null }]);
  expect(whyNoSlot(slots!, { browserName: 'chrome', node: null })).toBe(
    'the grid offers no chrome',
  );
});
