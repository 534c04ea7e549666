import { test } from '@playwright/test';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { abilityCases } from './conformance/abilities.cases.ts';
import { boundCases } from './conformance/bounds.cases.ts';
import {
  bounds,
  visibleOptions,
  type Case,
  type Setting,
  type BrowserUnderTest,
} from './conformance/case.ts';
import { endingCases } from './conformance/endings.cases.ts';
import { pageCases } from './conformance/pages.cases.ts';
import { findMarked, kill } from './conformance/session-processes.ts';
import type { Capabilities, Driver, LaunchOptions, Session, Whereabouts } from './driver.ts';
import { startTestPageServer } from './doubles/test-page-server.ts';

/** A driver with a browser that it is tried on. */
export interface Subject extends BrowserUnderTest {
  readonly driver: Driver;
  /** Null when it is not on this machine: every case is then skipped. */
  readonly executable: string | null;
  /** Left out where the driver needs none; null when it is not on this machine. */
  readonly server?: string | null | (() => string);
  /** The farm did not start the server, and the browser is next to it. */
  readonly remote?: LaunchOptions['remote'];
  /** The browser is on this phone. */
  readonly phone?: LaunchOptions['phone'];
  /**
   * Address of this machine at which its pages are asked for; loopback when left out, null without
   * one.
   */
  readonly host?: string | null;
  /** DISPLAY and the like. */
  readonly environment?: () => Readonly<Record<string, string>>;
  readonly flags?: readonly string[];
  /** Path of the script that a runtime runs in place of a page. */
  readonly script?: string;
  /** Added to the names of driver and browser, where both are tried in two ways. */
  readonly how?: string;
  /** Topics that are left out, because another subject ends its sessions in the same way. */
  readonly covered?: readonly Topic[];
  /** The cases that are tried, where the others would say nothing new; all when left out. */
  readonly only?: readonly CaseName[];
  /** The case that `npm test` tries, too: of one subject of each engine. */
  readonly quick?: CaseName;
  /** Cases that mean nothing here, by name, each with its reason. */
  readonly without?: Readonly<Partial<Record<CaseName, string>>>;
}

const launchMs = 90_000;

/** Every case that a driver must pass, by topic, in the order in which they are tried. */
const topics = {
  pages: pageCases,
  abilities: abilityCases,
  bounds: boundCases,
  endings: endingCases,
};

type Topic = keyof typeof topics;

export type CaseName = { [topic in Topic]: keyof (typeof topics)[topic] }[Topic];

/**
 * The driver bounds a launch and ends a session: one subject tries these for all browsers whose
 * sessions the driver ends in the same way. The others leave these topics out.
 */
export const ofTheDriver = ['bounds', 'endings'] as const satisfies readonly Topic[];

/** Registers every case for one driver on one browser; to be called in a test file. */
export function describeDriver(subject: Subject): void {
  const { driver, browser, how = '' } = subject;
  test.describe(`${browser} by ${driver.name}${how}`, () => {
    const absent = subject.executable === null || subject.server === null;
    test.skip(absent, `${browser} or its driver server is not on this machine`);
    test.skip(subject.host === null, 'this machine has no address but its loopback');
    const shared = new SharedSession(subject);
    test.afterAll(() => shared.end());
    for (const [name, one] of casesFor(subject)) {
      test(name, { tag: subject.quick === name ? ['@quick'] : [] }, async () => {
        const reason = reasonToSkip(subject, name, one);
        test.skip(reason !== null, reason ?? '');
        if (one.shares !== undefined) return shared.lend(one);
        // A phone shows one browser at a time, and so does a person.
        await shared.end();
        await inSetting(subject, one.run);
      });
    }
  });
}

function casesFor({ covered = [], only }: Subject): readonly (readonly [CaseName, Case])[] {
  return Object.entries(topics)
    .filter(([topic]) => !covered.includes(topic as Topic))
    .flatMap(([, cases]) => Object.entries<Case>(cases) as [CaseName, Case][])
    .filter(([name]) => only?.includes(name) !== false);
}

/** The first of these paths that is there, or null. */
export function findInstalled(...paths: readonly string[]): string | null {
  return paths.find((path) => existsSync(path)) ?? null;
}

function reasonToSkip(subject: Subject, name: CaseName, one: Case) {
  const ability = one.needs === undefined ? null : capabilitiesOf(subject)[one.needs];
  if (ability?.supported === false) return ability.because;
  return subject.without?.[name] ?? null;
}

function capabilitiesOf(subject: Subject): Capabilities {
  return subject.driver.capabilities(subject.browser, whereaboutsOf(subject));
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

  async lend({ run, shares }: Case): Promise<void> {
    const { mark, session } = (this.live ??= await this.begin());
    const launch = (): Promise<Session> => Promise.resolve(session);
    try {
      await withTestPages({ subject: this.subject, mark, launch }, run);
    } finally {
      if (shares === 'ends') await this.end();
    }
  }

  async end(): Promise<void> {
    const { live } = this;
    this.live = null;
    if (live !== null) await endAll([live.session], live.mark);
  }

  private async begin() {
    const mark = await newMark();
    try {
      const options = await launchOptions(this.subject, mark);
      const { flags, preferences } = visibleOptions(
        this.subject.browser,
        capabilitiesOf(this.subject),
      );
      const session = await this.subject.driver.launch({
        ...options,
        flags: [...options.flags, ...flags],
        preferences,
        first: true,
      });
      return { mark, session };
    } catch (error) {
      await endAll([], mark);
      throw error;
    }
  }
}

const newMark = (): Promise<string> => mkdtemp(join(tmpdir(), 'conformance-'));

async function withTestPages(
  setting: Omit<Setting, 'testPages' | 'capabilities'> & { readonly subject: Subject },
  run: Case['run'],
): Promise<void> {
  const testPages = await startTestPageServer(setting.subject.host ?? undefined);
  const capabilities = capabilitiesOf(setting.subject);
  try {
    await run({ ...setting, capabilities, testPages });
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
  const { browser, executable, script, remote, flags = [] } = subject;
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
    headless: capabilitiesOf(subject).headless.supported,
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
