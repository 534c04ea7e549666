import {
  can,
  cannot,
  DriverError,
  type Capabilities,
  type Driver,
  type LaunchOptions,
  type Session,
} from '../driver.ts';
import { runStep, watchEnding } from '../shared/step.ts';
import { npxCrossfarm } from '../../harness/core/model/typed-command.ts';

/**
 * A browser that a person holds in hand. It has joined by opening an address, and its page asks
 * again and again what to open next; nothing can be done to it but to answer.
 */
export interface Attendance {
  /** For sentences: what its owner calls it. */
  readonly name: string;
  /** Secret that the requests of its pages carry. */
  readonly client: string;
  /** From its user agent; null when that does not say. */
  readonly version: string | null;
  /** What its page told last of how it draws: see `Session`. */
  readonly drawing: () => unknown;
  /** Resolves when it is there and asks for a page. @throws the signal's reason. */
  arrived(signal: AbortSignal): Promise<void>;
  /** Answers with this page. @returns a promise of why the page was lost; it may stay open for ever. */
  hand(url: string): Promise<string>;
  /** The page that it has is done with. */
  release(): void;
}

const noLibrary = 'nobody automates a device that is attended by a person';

function capabilities(): Capabilities {
  return {
    evaluate: cannot(noLibrary),
    input: cannot(noLibrary),
    dialogs: cannot(`${noLibrary}: its owner closes a dialog`),
    firstScript: cannot(noLibrary),
    freshPage: can,
    liveVersion: can,
    headless: cannot('a person has it in hand'),
    preferences: cannot(`${noLibrary}: its owner sets its preferences`),
    noticesDeath: cannot(
      'a phone that is gone says nothing: its next request tells, or the deadline',
    ),
    trace: cannot(noLibrary),
  };
}

const serves = ['chromium', 'chrome', 'edge', 'firefox', 'webkit', 'safari', 'samsung', 'program'];

/** Describes attended devices before one has joined; this driver cannot launch one, a device joins. */
export const attendedDriver: Driver = {
  name: 'attended',
  serves,
  joins: true,
  capabilities,
  ownerSteps: () => [
    'Open the address that is shown, or scan its code, and keep that page in front.',
    'Keep the screen on: set Auto-Lock or the screen’s timeout to Never while it measures.',
    'Switch its battery saver off, charge it, and close other apps and tabs.',
  ],
  launch: () =>
    Promise.reject(
      new DriverError(
        'not-supported',
        `An attended device joins by "${npxCrossfarm} devices attend"`,
      ),
    ),
};

/** The driver of one device that has joined. A launch is to wait until it is there. */
export function driverFor(attendance: Attendance): Driver {
  return { ...attendedDriver, launch: (options) => launch(options, attendance) };
}

async function launch(
  { signal, timeoutMs }: LaunchOptions,
  attendance: Attendance,
): Promise<Session> {
  const what = `Waiting for ${attendance.name}`;
  const bounds = { signal, timeoutMs };
  await runStep((abandoned) => attendance.arrived(abandoned), {
    what,
    code: 'launch-failed',
    ...bounds,
  });
  const ending = watchEnding();
  const open = async (url: string, abandoned: AbortSignal): Promise<void> => {
    await attendance.arrived(abandoned);
    void attendance.hand(url).then((why) => {
      ending.tell(why);
    });
  };
  return {
    ended: ending.ended,
    client: attendance.client,
    drawing: attendance.drawing,
    open: (url, how) =>
      runStep((abandoned) => open(url, abandoned), {
        what: `Handing a page to ${attendance.name}`,
        code: 'navigation-failed',
        ...how,
      }),
    version: () => Promise.resolve(attendance.version),
    processes: () => Promise.resolve([]),
    close: () => {
      ending.expect();
      attendance.release();
      return Promise.resolve();
    },
  };
}
