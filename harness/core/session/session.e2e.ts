import { expect, test } from '@playwright/test';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadDriver } from '../../../drivers/index.ts';
import {
  startTestPageServer,
  type TestPageServer,
} from '../../../drivers/doubles/test-page-server.ts';
import { allowedCores } from './pinning.ts';
import type { Device } from '../model/device.ts';
import { findDevice } from '../setup/presence.ts';
import { aDevice } from '../../testing/builders.ts';
import { whyNoSandbox } from './chromium-sandbox.ts';
import { shareDisplay } from './display.ts';
import { farmMark } from './farm-mark.ts';
import { sweepLeftovers } from './leftovers.ts';
import { identify, isAlive, readProcessTable, type ProcessIdentity } from './process-table.ts';
import { startSession, type LiveSession, type SessionOptions } from './session.ts';

const never = new AbortController().signal;
const bounds = { signal: never, timeoutMs: 60_000 };

/** One for all tests, opened by the first browser that shows itself. */
const display = shareDisplay();
test.afterAll(() => display.close());

/** Each engine with the process of its page, known by its command line or name. */
const engines: readonly { device: Device; pageProcess: RegExp }[] = [
  {
    device: aDevice('chromium', { browser: 'chromium', driver: 'playwright' }),
    pageProcess: /--type=renderer/,
  },
  {
    device: aDevice('firefox', { browser: 'firefox', driver: 'puppeteer' }),
    pageProcess: /-contentproc -isForBrowser/,
  },
  {
    device: aDevice('webkitgtk', { browser: 'webkitgtk', driver: 'webdriver' }),
    pageProcess: /WebKitWebProcess/,
  },
  {
    device: aDevice('firefox-open', { browser: 'firefox', driver: 'open' }),
    pageProcess: /-contentproc -isForBrowser/,
  },
];

interface Setting {
  readonly directory: string;
  readonly testPages: TestPageServer;
  readonly session: LiveSession;
}

/** A session with one page that has reported itself. */
async function withSession(
  device: Device,
  work: (setting: Setting) => Promise<void>,
  patience: Pick<SessionOptions, 'closeMs' | 'ending'> = { closeMs: 2000 },
) {
  const driver = await loadDriver(device.driver);
  const presence = await findDevice(device, driver);
  test.skip(presence.status === 'missing', presence.status === 'missing' ? presence.reason : '');
  if (presence.status === 'missing') return;
  // Not in the test's own folder: its path would be too long for the browser's sockets.
  const directory = await mkdtemp(join(tmpdir(), 'farm-'));
  const home = await mkdtemp(join(tmpdir(), 'home-'));
  const environment = { HOME: home };
  const testPages = await startTestPageServer();
  try {
    const target = { ...presence.target, device: { ...device, environment } };
    const session = await startSession(target, driver, {
      directory,
      display: () => display.name(),
      signal: never,
      timeoutMs: 90_000,
      ...patience,
    });
    try {
      await session.open(testPages.page('one'), bounds);
      await testPages.seen('one');
      await work({ directory, testPages, session });
    } finally {
      await session.close();
    }
    expect({ left: await readdir(directory), atHome: await readdir(home) }).toEqual({
      left: [],
      atHome: [],
    });
  } finally {
    await testPages.close();
    for (const folder of [directory, home]) await rm(folder, { recursive: true, force: true });
  }
}

function treeOf(session: LiveSession): readonly ProcessIdentity[] {
  return session
    .processTree()
    .map(identify)
    .filter((one) => one !== null);
}

/**
 * Processes that hold a file of the session open: another kind of evidence than the marks by which
 * the tree is found.
 */
function usersOf(directory: string): readonly number[] {
  return readProcessTable()
    .filter(({ pid, dead }) => !dead && pid !== process.pid)
    .filter(({ pid }) => openFilesOf(pid).some((path) => path.startsWith(directory)))
    .map(({ pid }) => pid);
}

/** A helper that has ended since it was listed needs no stopping. */
function stop(pid: number): void {
  try {
    process.kill(pid, 'SIGSTOP');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Empty for a helper that has ended since it was listed: they come and go while a browser starts. */
function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${String(pid)}/status`, 'utf8');
  } catch {
    return '';
  }
}

function openFilesOf(pid: number): readonly string[] {
  try {
    const folder = `/proc/${String(pid)}/fd`;
    return readdirSync(folder).map((name) => readlinkSync(join(folder, name)));
  } catch {
    return [];
  }
}

test.skip(process.platform !== 'linux', 'only Linux lists every process with its marks');

for (const { device, pageProcess } of engines) {
  test.describe(`${device.browser} by ${device.driver}`, () => {
    test("the tree holds the page's process and ends with the session", async () => {
      let tree: readonly ProcessIdentity[] = [];
      await withSession(device, async ({ session, directory }) => {
        tree = treeOf(session);
        const commands = readProcessTable().filter(({ pid }) =>
          tree.some((one) => one.pid === pid),
        );
        expect(commands.some(({ command }) => pageProcess.test(command))).toBe(true);
        // In this order, and without those that end meanwhile: helpers come and go all the time.
        const users = usersOf(directory).map(identify);
        const found = session.processTree();
        const missed = users.filter((one) => one !== null && !found.includes(one.pid));
        expect(missed.filter((one) => one !== null && isAlive(one))).toEqual([]);
        if (device.driver !== 'open') expect(session.browserVersion).toMatch(/^\d+\.\d+/);
        await Promise.resolve();
      });
      expect(tree.length).toBeGreaterThan(2);
      expect(tree.filter(isAlive)).toEqual([]);
    });

    test('a browser that is killed is noticed, and its helpers are ended', async () => {
      let tree: readonly ProcessIdentity[] = [];
      await withSession(device, async ({ session }) => {
        tree = treeOf(session);
        const root = findBrowser(tree);
        process.kill(root, 'SIGKILL');
        expect(await session.ended).toMatch(/ended|died|crashed/);
      });
      expect(tree.filter(isAlive)).toEqual([]);
    });

    test('a browser that hangs is ended by force', async () => {
      let tree: readonly ProcessIdentity[] = [];
      const hang = async ({ session }: Setting): Promise<void> => {
        tree = treeOf(session);
        // A stopped process does not answer and handles no SIGTERM.
        for (const { pid } of tree) stop(pid);
        await Promise.resolve();
      };
      // No patience is of use.
      await withSession(device, hang, { closeMs: 1, ending: { politeMs: 1, forcedMs: 5000 } });
      expect(tree.filter(isAlive)).toEqual([]);
    });

    test('runs on its one core alone, and is swept once its farm died', async () => {
      await withSession({ ...device, cores: 1 }, async ({ session, directory }) => {
        const tree = treeOf(session);
        const allowed = tree
          .filter(({ pid }) => !/WebKitWebDriver/.test(commandOf(pid)))
          .map(({ pid }) => /^Cpus_allowed_list:\s*(.+)$/m.exec(statusOf(pid))?.[1])
          .filter((cores) => cores !== undefined);
        expect(allowed.length).toBeGreaterThan(1);
        expect(new Set(allowed)).toEqual(new Set([String(allowedCores()[0])]));

        expect(await sweepLeftovers(directory)).toBe(0);
        // Helpers come and go while a browser starts; the browser itself is what must stay.
        expect(tree.filter(isAlive).map(({ pid }) => pid)).toContain(findBrowser(tree));
        await pretendFarmDied(directory, session.id);
        expect(await sweepLeftovers(directory)).toBe(1);
        expect(tree.filter(isAlive)).toEqual([]);
        expect(await readdir(directory)).toEqual([]);
      });
    });
  });
}

test('a launch that is aborted at any moment leaves no process and no file', async () => {
  const device = aDevice('chromium', { browser: 'chromium', driver: 'playwright' });
  const driver = await loadDriver(device.driver);
  const presence = await findDevice(device, driver);
  test.skip(presence.status === 'missing', presence.status === 'missing' ? presence.reason : '');
  if (presence.status === 'missing') return;
  const directory = await mkdtemp(join(tmpdir(), 'farm-'));
  for (const moment of [1, 10, 20, 50, 100, 200, 400]) {
    const signal = AbortSignal.timeout(moment);
    const display = () => Promise.resolve('');
    const options = { directory, display, signal, timeoutMs: 90_000 };
    const launching = startSession(presence.target, driver, options);
    // On a fast machine the last ones may be done before they are aborted.
    await launching.then(
      (session) => session.close(),
      (error: unknown) => {
        expect(error).toBe(signal.reason);
      },
    );
    const left = async () => [...(await readdir(directory)), ...usersOf(directory)];
    expect(await left(), `aborted after ${String(moment)} ms`).toEqual([]);
  }
  const named = readProcessTable().filter(({ command }) => command.includes(directory));
  expect(named).toEqual([]);
  await rm(directory, { recursive: true });
});

/** The browser itself: the oldest of the tree, except the driver server. */
function findBrowser(tree: readonly ProcessIdentity[]): number {
  const pids = new Set(tree.map(({ pid }) => pid));
  const browser = readProcessTable()
    .filter(({ pid, parent, command }) => {
      const root = !pids.has(parent) || /WebKitWebDriver/.test(commandOf(parent));
      return pids.has(pid) && root && /chromium|firefox|MiniBrowser/.test(command);
    })
    .find(({ command }) => !/crash|WebDriver/.test(command.split(' ')[0] ?? ''));
  if (browser === undefined) throw new Error('the tree has no browser');
  return browser.pid;
}

function commandOf(pid: number): string {
  return readProcessTable().find((one) => one.pid === pid)?.command ?? '';
}

/** The record of a farm that had this process' number before it. */
async function pretendFarmDied(directory: string, id: string): Promise<void> {
  const path = join(directory, id, 'session.json');
  const record = JSON.parse(await readFile(path, 'utf8')) as { farm: string };
  expect(record.farm).toBe(farmMark());
  record.farm = record.farm.replace(/^(\d+):[^:]*/, '$1:1');
  await writeFile(path, JSON.stringify(record));
}

test('a root farm starts Chromium as another user in its sandbox', async () => {
  test.skip(process.getuid?.() !== 0, 'only a root farm has to');
  test.skip(whyNoSandbox() !== null, whyNoSandbox() ?? '');
  await withSession(aDevice('chromium', { driver: 'playwright' }), async ({ session }) => {
    const own = readlinkSync('/proc/self/ns/user');
    // A renderer that has only just started has its sandbox in a moment, and helpers come and go.
    await expect(() => {
      const processes = session.processTree().map((pid) => ({
        command: readFileSync(`/proc/${String(pid)}/cmdline`, 'utf8'),
        status: readFileSync(`/proc/${String(pid)}/status`, 'utf8'),
        namespace: readlinkSync(`/proc/${String(pid)}/ns/user`),
      }));
      const renderer = processes.find(({ command }) => command.includes('--type=renderer'));
      expect(renderer?.status).toMatch(/^Seccomp:\s*2$/m);
      expect(renderer?.namespace).not.toBe(own);
      for (const { command, status } of processes) {
        expect(command).not.toContain('--no-sandbox');
        expect(status).toMatch(/^Uid:\s*64321\s/m);
      }
    }).toPass({ timeout: 10_000 });
  });
});
