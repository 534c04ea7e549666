import { test } from '@playwright/test';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { abilityCases } from './conformance/abilities.cases.ts';
import { boundCases } from './conformance/bounds.cases.ts';
import { bounds, type Case, type Setting, type Tried } from './conformance/case.ts';
import { endingCases } from './conformance/endings.cases.ts';
import { pageCases } from './conformance/pages.cases.ts';
import { findMarked, kill } from './conformance/session-processes.ts';
import type { Driver, LaunchOptions, Session, Whereabouts } from './driver.ts';
import { startTestPageServer } from './doubles/test-page-server.ts';

/** A driver with a browser that it is tried on. */
export interface Subject extends Tried {
  readonly driver: Driver;
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
  /** Path of the script that a runtime runs in place of a page. */
  readonly script?: string;
  /** Added to the names of driver and browser, where both are tried in two ways. */
  readonly how?: string;
  /** The cases that are tried, where the others would say nothing new; all when left out. */
  readonly only?: readonly CaseName[];
  /** The case that `npm test` tries, too: of one subject of each engine. */
  readonly quick?: CaseName;
  /** Cases that mean nothing here, by name, each with its reason. */
  readonly without?: Readonly<Partial<Record<CaseName, string>>>;
}

const launchMs = 90_000;

/** Every case that a driver must pass. */
const cases = { ...pageCases, ...abilityCases, ...endingCases, ...boundCases };

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

/** Gives one case its server of test pages and its folder; ends all its sessions after it. */
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

/** The browser of the cases that share one, launched for the first. Test pages are not shared. */
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

async function withTestPages(
  setting: Omit<Setting, 'testPages'> & { readonly subject: Subject },
  run: Case['run'],
): Promise<void> {
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
