import type { Capabilities, LaunchOptions, Session } from '../driver.ts';
import type { TestPageServer } from '../doubles/test-page-server.ts';

/** The browser that a case tries. */
export interface BrowserUnderTest {
  readonly browser: string;
  /** Makes it die, where it has no process to kill. */
  readonly crash?: (session: Session, testPages: TestPageServer) => Promise<void>;
  /** A launch has nothing to wait for, so that none is given up on the way; false when left out. */
  readonly launchesAtOnce?: boolean;
}

/** The surroundings of a case. */
export interface Setting {
  readonly subject: BrowserUnderTest;
  /** The driver's declaration for this browser where it is. */
  readonly capabilities: Capabilities;
  readonly testPages: TestPageServer;
  /** The folder of the session, carried in the environment of every process of it. */
  readonly mark: string;
  launch(changes?: Partial<LaunchOptions>): Promise<Session>;
}

export interface Case {
  /**
   * One browser, launched with `visibleOptions`, serves all cases that keep it: they leave it as alive
   * as it was. The case that ends it is the last one to have it. A case without this launches its own,
   * with plain options.
   */
  readonly shares?: 'keeps' | 'ends';
  /** The case is skipped, with the declared reason, where this is missing. */
  readonly needs?: keyof Capabilities;
  readonly run: (setting: Setting) => Promise<void>;
}

export const never = new AbortController().signal;
/** They bound what hangs: a machine that is busy with something else takes ten times as long. */
export const bounds = { signal: never, timeoutMs: 60_000 };

/** The effect of a flag or preference that a page can see: another user agent. */
export const userAgent = 'crossfarm conformance';

const userAgentFlags: Readonly<Record<string, readonly string[]>> = {
  chromium: [`--user-agent=${userAgent}`],
  chrome: [`--user-agent=${userAgent}`],
  edge: [`--user-agent=${userAgent}`],
  webkitgtk: [`--user-agent=${userAgent}`],
};

/** True if a flag of this product changes what a page sees. */
export function hasVisibleFlag(browser: string): boolean {
  return userAgentFlags[browser] !== undefined;
}

/** Flags and preferences whose effect a page can see; none where the product has no such flag. */
export function visibleOptions(
  browser: string,
  { preferences }: Pick<Capabilities, 'preferences'>,
): Pick<LaunchOptions, 'flags' | 'preferences'> {
  return {
    flags: userAgentFlags[browser] ?? [],
    preferences: preferences.supported ? { 'general.useragent.override': userAgent } : {},
  };
}
