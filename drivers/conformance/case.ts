import type { Capabilities, LaunchOptions, Session } from '../driver.ts';
import type { TestPageServer } from '../doubles/test-page-server.ts';

/** The browser that a case tries. */
export interface Tried {
  readonly browser: string;
  /** Makes it die, where it has no process to kill. */
  readonly crash?: (session: Session, testPages: TestPageServer) => Promise<void>;
}

/** The surroundings of a case. */
export interface Setting {
  readonly subject: Tried;
  readonly testPages: TestPageServer;
  /** The folder of the session, carried in the environment of every process of it. */
  readonly mark: string;
  launch(changes?: Partial<LaunchOptions>): Promise<Session>;
}

export interface Case {
  /** It leaves the session as alive as it was, with plain options: one browser serves all of these. */
  readonly shares?: true;
  /** The case is skipped, with the declared reason, where this is missing. */
  readonly needs?: keyof Capabilities;
  readonly run: (setting: Setting) => Promise<void>;
}

export const never = new AbortController().signal;
/** They bound what hangs: a machine that is busy with something else takes ten times as long. */
export const bounds = { signal: never, timeoutMs: 60_000 };
