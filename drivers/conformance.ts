import { expect, test } from '@playwright/test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isLiving } from './shared/child-program.ts';
import { DriverError, type Capabilities, type Driver } from './driver.ts';
import type { LaunchOptions, Session, Whereabouts } from './driver.ts';
import { startTestPageServer, type TestPageServer } from './doubles/test-page-server.ts';

/** A driver with a browser that it is tried on. */
export interface Subject {
  readonly driver: Driver;
  readonly browser: string;
  /** Null when it is not on this machine: every case is then skipped. */
  readonly executable: string | null;
  /** Left out where the driver needs none; null when it is not on this machine. */
  readonly server?: string | null | (() => string);
  /** The server was started by somebody else, and the browser is beside it. */
  readonly remote?: LaunchOptions['remote'];
  /** The browser is on this phone. */
  readonly phone?: LaunchOptions['phone'];
  /** Address of this machine at which its pages are asked for; loopback when left out, null when there is none. */
  readonly host?: string | null;
  /** DISPLAY and the like. */
  readonly environment?: () => Readonly<Record<string, string>>;
  readonly flags?: readonly string[];
  /** What a runtime runs in place of a page. */
  readonly script?: string;
  /** Told beside the names of driver and browser, where both are tried in two ways. */
  readonly how?: string;
  /** The cases that are tried, where the others would say nothing new; all when left out. */
  readonly only?: readonly CaseName[];
  /** The case that `npm test` tries, too: of one subject of each engine. */
  readonly quick?: CaseName;
  /** Cases that mean nothing here, by name, each with its reason. */
  readonly without?: Readonly<Partial<Record<CaseName, string>>>;
  /** How its death is brought about, where it has no process to kill. */
  readonly crash?: (session: Session, testPages: TestPageServer) => Promise<void>;
}

/** What a case is given. */
interface Setting {
  readonly subject: Subject;
  readonly testPages: TestPageServer;
  /** The folder of the session, carried in the environment of every process of it. */
  readonly mark: string;
  launch(changes?: Partial<LaunchOptions>): Promise<Session>;
}

interface Case {
  /** It leaves the session as alive as it was, with plain options: one browser serves all of these. */
  readonly shares?: true;
  /** The case is skipped, with the declared reason, where this is missing. */
  readonly needs?: keyof Capabilities;
  readonly run: (setting: Setting) => Promise<void>;
}

const never = new AbortController().signal;
/** They bound what hangs: a machine that is busy with something else takes ten times as long. */
const bounds = { signal: never, timeoutMs: 60_000 };
const launchMs = 90_000;
const goneMs = 60_000;
const userAgent = 'crossfarm conformance';

/** Flags that change the user agent, by product: what a page can see of a flag. */
const userAgentFlags: Readonly<Record<string, readonly string[]>> = {
  chromium: [`--user-agent=${userAgent}`],
  chrome: [`--user-agent=${userAgent}`],
  edge: [`--user-agent=${userAgent}`],
  webkitgtk: [`--user-agent=${userAgent}`],
};

/** The one list of what every driver must do. */
const cases = {
  'opens a URL': {
    shares: true,
    run: async ({ launch, testPages }) => {
      const session = await launch();
      await session.open(testPages.page('one'), bounds);
      await testPages.asked('one');
    },
  },
  'a page is visible and, with the right headers, isolated with shared memory': {
    shares: true,
    run: async ({ launch, testPages }) => {
      const session = await launch();
      await session.open(testPages.page('one'), bounds);
      const { isolated, sharedMemory, visible } = await testPages.seen('one');
      expect({ isolated, sharedMemory, visible }).toEqual({
        isolated: true,
        sharedMemory: true,
        visible: true,
      });
    },
  },
  'a second page inherits nothing, is visible, and the first one is closed': {
    shares: true,
    run: async ({ launch, testPages }) => {
      const session = await launch();
      await session.open(testPages.page('one'), bounds);
      await testPages.seen('one');
      await session.open(testPages.page('two'), bounds);
      expect(await testPages.seen('two')).toMatchObject({ inherited: null, visible: true });
      await testPages.gone('one');
    },
  },
  'a second page opens in the same browser': {
    shares: true,
    needs: 'freshPage',
    run: async ({ launch, testPages }) => {
      const session = await launch();
      await session.open(testPages.page('one'), bounds);
      await testPages.asked('one');
      const before = await session.processes();
      await session.open(testPages.page('two'), bounds);
      await testPages.asked('two');
      expect(await session.processes()).toEqual(before);
    },
  },
  'tells the version of the live browser': {
    shares: true,
    needs: 'liveVersion',
    run: async ({ launch }) => {
      const session = await launch();
      expect(await session.version()).toMatch(/^\d+(\.\d+)+/);
    },
  },
  'evaluates an expression in the page': {
    shares: true,
    needs: 'evaluate',
    run: async ({ launch, testPages }) => {
      const session = await launch();
      await session.open(testPages.page('one'), bounds);
      await testPages.asked('one');
      expect(await session.evaluate?.('[1, "two"]')).toEqual([1, 'two']);
    },
  },
  'hands flags to the browser': {
    run: async ({ launch, testPages, subject }) => {
      const flags = userAgentFlags[subject.browser];
      test.skip(flags === undefined, `no flag of ${subject.browser} changes what a page sees`);
      const session = await launch({ flags: flags ?? [] });
      await session.open(testPages.page('one'), bounds);
      expect((await testPages.seen('one')).userAgent).toBe(userAgent);
    },
  },
  'hands preferences to the browser': {
    needs: 'preferences',
    run: async ({ launch, testPages }) => {
      const session = await launch({ preferences: { 'general.useragent.override': userAgent } });
      await session.open(testPages.page('one'), bounds);
      expect((await testPages.seen('one')).userAgent).toBe(userAgent);
    },
  },
  'tells the processes that it started, which carry the given environment': {
    shares: true,
    run: async ({ launch, testPages, mark }) => {
      const session = await launch();
      await session.open(testPages.page('one'), bounds);
      await testPages.asked('one');
      const pids = await session.processes();
      expect(pids.length).toBeGreaterThan(0);
      expect(pids.every(isLiving)).toBe(true);
      test.skip(process.platform !== 'linux', 'only Linux shows the environment of a process');
      expect(findMarked(mark)).toEqual(expect.arrayContaining([...pids]));
    },
  },
  'writes the trace of a session by the time that it is closed': {
    needs: 'trace',
    run: async ({ launch, testPages, mark }) => {
      const trace = join(mark, 'trace.json');
      const session = await launch({ trace });
      await session.open(testPages.page('one'), bounds);
      await testPages.asked('one');
      await session.close();
      expect(typeof JSON.parse(readFileSync(trace, 'utf8'))).toBe('object');
    },
  },
  'a trace that cannot be written keeps nothing from closing': {
    needs: 'trace',
    run: async ({ launch, testPages, mark }) => {
      const session = await launch({ trace: join(mark, 'no', 'such', 'folder', 'trace.json') });
      await session.open(testPages.page('one'), bounds);
      await testPages.asked('one');
      await session.close().catch((error: unknown) => {
        expect(error).toBeInstanceOf(Error);
      });
      await expectNothingLeft(mark);
    },
  },
  'closing leaves nothing running, and is not told as a death': {
    run: async ({ launch, testPages, mark }) => {
      const session = await launch();
      await session.open(testPages.page('one'), bounds);
      await testPages.asked('one');
      await session.close();
      await expectNothingLeft(mark);
      expect(await Promise.race([session.ended, Promise.resolve('alive')])).toBe('alive');
    },
  },
  'closing works before any page was opened': {
    run: async ({ launch, mark }) => {
      const session = await launch();
      await session.close();
      await expectNothingLeft(mark);
    },
  },
  'tells when the browser dies': {
    needs: 'noticesDeath',
    run: async ({ launch, testPages, subject }) => {
      const session = await launch();
      await crash(session, testPages, subject);
      expect(await session.ended).toMatch(/\w+ (ended|died|crashed)/);
    },
  },
  'tells when the driver server before the browser dies': {
    needs: 'noticesDeath',
    run: async ({ launch }) => {
      const session = await launch();
      const [server, ...others] = await session.processes();
      test.skip(others.length === 0, 'no server stands between this driver and the browser');
      kill(server);
      expect(await session.ended).toMatch(/\w+ ended/);
    },
  },
  'closing after a crash comes to an end': {
    run: async ({ launch, testPages, subject }) => {
      const session = await launch();
      await crash(session, testPages, subject);
      await session.close().catch((error: unknown) => {
        expect(error).toBeInstanceOf(Error);
      });
    },
  },
  'a launch that is aborted before it begins starts nothing': {
    run: async ({ launch, mark }) => {
      const reason = new Error('changed my mind');
      await expect(launch({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
      await expectNothingComes(mark);
    },
  },
  'a launch that is aborted on the way leaves nothing running': {
    run: async ({ launch, mark }) => {
      const reason = new Error('changed my mind');
      const controller = new AbortController();
      const launching = launch({ signal: controller.signal });
      // Wherever it is by now, it is under way: the libraries are loaded by the cases before.
      setTimeout(() => {
        controller.abort(reason);
      }, 50);
      await expect(launching).rejects.toBe(reason);
      await expectNothingComes(mark);
    },
  },
  'a launch that takes too long is given up and leaves nothing running': {
    run: async ({ launch, mark }) => {
      await expect(launch({ timeoutMs: 1 })).rejects.toMatchObject({
        name: 'DriverError',
        code: 'timed-out',
      });
      await expectNothingComes(mark);
    },
  },
  'a program that cannot be run is a failed launch': {
    run: async ({ launch }) => {
      const error: unknown = await launch({ executable: '/nowhere/browser' }).catch(
        (one: unknown) => one,
      );
      expect(error).toBeInstanceOf(DriverError);
      expect(error).toMatchObject({ code: 'launch-failed' });
    },
  },
  'opening a page that never answers ends in time': {
    run: async ({ launch, testPages }) => {
      const session = await launch();
      const opening = session.open(testPages.silent, { signal: never, timeoutMs: 2000 });
      // Navigation may have begun in time: then the farm's own deadline for the page counts.
      const ending = await opening.then(
        () => 'begun',
        (error: unknown) => (error instanceof DriverError ? error.code : error),
      );
      expect(['begun', 'timed-out']).toContain(ending);
    },
  },
  'opening with an aborted signal opens nothing': {
    shares: true,
    run: async ({ launch, testPages }) => {
      const session = await launch();
      const reason = new Error('changed my mind');
      const signal = AbortSignal.abort(reason);
      await expect(session.open(testPages.page('one'), { ...bounds, signal })).rejects.toBe(reason);
    },
  },
  'opening can be aborted while the page keeps it waiting': {
    run: async ({ launch, testPages }) => {
      const session = await launch();
      const reason = new Error('changed my mind');
      const controller = new AbortController();
      const opening = session
        .open(testPages.silent, { ...bounds, signal: controller.signal })
        .catch((error: unknown) => error);
      await testPages.asked('silent');
      controller.abort(reason);
      expect([undefined, reason]).toContain(await opening);
    },
  },
} as const satisfies Record<string, Case>;

export type CaseName = keyof typeof cases;

/** Registers every case for one driver on one browser; to be called in a test file. */
export function describeDriver(subject: Subject): void {
  const { driver, browser, how = '', only } = subject;
  test.describe(`${browser} by ${driver.name}${how}`, () => {
    const absent = subject.executable === null || subject.server === null;
    test.skip(absent, `${browser} or its driver server is not on this machine`);
    test.skip(subject.host === null, 'this machine has no address but its loopback');
    const shared = new SharedSession(subject);
    test.afterAll(() => shared.end());
    for (const [name, one] of Object.entries<Case>(cases)) {
      if (only?.includes(name as CaseName) === false) continue;
      test(name, { tag: subject.quick === name ? ['@quick'] : [] }, async () => {
        const reason = reasonToSkip(subject, name as CaseName, one);
        test.skip(reason !== null, reason ?? '');
        await (one.shares ? shared.lend(one.run) : inSetting(subject, one.run));
      });
    }
  });
}

/** The first of these paths that is there, or null. */
export function findInstalled(...paths: readonly string[]): string | null {
  return paths.find((path) => existsSync(path)) ?? null;
}

function reasonToSkip(subject: Subject, name: CaseName, one: Case) {
  const { driver, browser, without } = subject;
  const declared = driver.capabilities(browser, whereaboutsOf(subject));
  const ability = one.needs === undefined ? null : declared[one.needs];
  if (ability?.supported === false) return ability.because;
  return without?.[name] ?? null;
}

function whereaboutsOf({ server, phone }: Subject): Whereabouts {
  const known = typeof server === 'function' ? server() : server;
  return {
    ...(typeof known === 'string' && { server: known }),
    ...(phone !== undefined && { phone }),
  };
}

/** A testPages and a folder for one case; whatever was launched is ended after it. */
async function inSetting(subject: Subject, run: Case['run']): Promise<void> {
  const mark = await newMark();
  const sessions: Session[] = [];
  const launch = async (changes: Partial<LaunchOptions> = {}): Promise<Session> => {
    const options = await launchOptions(subject, mark);
    const session = await subject.driver.launch({ ...options, ...changes });
    sessions.push(session);
    return session;
  };
  try {
    await withTestPages({ subject, mark, launch }, run);
  } finally {
    await endAll(sessions, mark);
  }
}

/** The one browser of the cases that share, launched for the first of them. A case has its own testPages. */
class SharedSession {
  private readonly subject: Subject;
  private live: { readonly mark: string; readonly session: Session } | null = null;

  constructor(subject: Subject) {
    this.subject = subject;
  }

  async lend(run: Case['run']): Promise<void> {
    const { mark, session } = (this.live ??= await this.begin());
    const launch = (): Promise<Session> => Promise.resolve(session);
    await withTestPages({ subject: this.subject, mark, launch }, run);
  }

  async end(): Promise<void> {
    if (this.live !== null) await endAll([this.live.session], this.live.mark);
  }

  private async begin() {
    const mark = await newMark();
    try {
      const options = await launchOptions(this.subject, mark);
      return { mark, session: await this.subject.driver.launch(options) };
    } catch (error) {
      await endAll([], mark);
      throw error;
    }
  }
}

const newMark = (): Promise<string> => mkdtemp(join(tmpdir(), 'conformance-'));

async function withTestPages(setting: Omit<Setting, 'testPages'>, run: Case['run']): Promise<void> {
  const testPages = await startTestPageServer(setting.subject.host ?? undefined);
  try {
    await run({ ...setting, testPages });
  } finally {
    await testPages.close();
  }
}

async function endAll(sessions: readonly Session[], mark: string): Promise<void> {
  // A case may have closed or killed its session already: closing is then refused, rightly.
  await Promise.allSettled(sessions.map((session) => session.close()));
  for (const pid of findMarked(mark)) kill(pid);
  await rm(mark, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

async function launchOptions(subject: Subject, folder: string): Promise<LaunchOptions> {
  const { driver, browser, executable, script, remote, flags = [] } = subject;
  const profile = join(folder, 'profile');
  await mkdir(profile, { recursive: true });
  return {
    browser,
    executable: executable ?? '',
    ...whereaboutsOf(subject),
    ...(script !== undefined && { script }),
    ...(remote !== undefined && { remote }),
    flags,
    preferences: {},
    headless: driver.capabilities(browser, whereaboutsOf(subject)).headless.supported,
    sandbox: process.getuid?.() !== 0,
    environment: {
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      TMPDIR: folder,
      CROSSFARM_SESSION: folder,
      ...subject.environment?.(),
    },
    profile,
    ...bounds,
    timeoutMs: launchMs,
  };
}

async function crash(session: Session, testPages: TestPageServer, subject: Subject): Promise<void> {
  if (subject.crash !== undefined) return subject.crash(session, testPages);
  await session.open(testPages.page('doomed'), bounds);
  await testPages.asked('doomed');
  // The last one is the browser itself where a driver server stands before it.
  kill((await session.processes()).at(-1));
}

/** Ends a process, unless it has just ended by itself. */
function kill(pid: number | undefined): void {
  if (pid === undefined || !isLiving(pid)) return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Living processes whose environment or command line names this test's folder. */
function findMarked(mark: string): readonly number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && names(pid, mark) && isLiving(pid));
}

function names(pid: number, mark: string): boolean {
  try {
    const files = ['environ', 'cmdline'];
    return files.some((file) =>
      readFileSync(`/proc/${String(pid)}/${file}`, 'utf8').includes(mark),
    );
  } catch {
    return false;
  }
}

/** Helpers notice the end of their browser a moment later than we do. */
async function expectNothingLeft(mark: string): Promise<void> {
  await expect.poll(() => findMarked(mark), { timeout: goneMs }).toEqual([]);
}

/**
 * A launch that nobody waits for any more may have its process still to come: one look that finds
 * nothing proves nothing, so four looks in a row over 1.5 s must agree.
 */
async function expectNothingComes(mark: string): Promise<void> {
  let looks = 0;
  const quietLooks = (): number => {
    looks = findMarked(mark).length === 0 ? looks + 1 : 0;
    return looks;
  };
  await expect.poll(quietLooks, { timeout: goneMs, intervals: [500] }).toBeGreaterThanOrEqual(4);
}
