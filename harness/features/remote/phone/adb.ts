import { DriverError } from '../../../../drivers/driver.ts';

/** One phone, asked through the real `adb`. */
export interface AdbPhone {
  /** Name of the device in sentences. */
  readonly id: string;
  /** Absolute path of adb. */
  readonly adb: string;
  /** Serial number; the only one that is connected when left out. */
  readonly serial?: string;
  /** The complete environment of adb. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Runs a command line on the phone, and gives what it printed. @throws DriverError, or the signal's reason. */
export type AskPhone = (command: string, signal: AbortSignal) => Promise<string>;

const answerMs = 15_000;

export function askByAdb(phone: AdbPhone): AskPhone {
  return async (command, signal) => {
    const { execa } = await import('execa');
    const which = phone.serial === undefined ? [] : ['-s', phone.serial];
    const ran = await execa(phone.adb, [...which, 'shell', command], {
      env: phone.environment,
      extendEnv: false,
      reject: false,
      stdin: 'ignore',
      timeout: answerMs,
      maxBuffer: 2 ** 20,
      cancelSignal: signal,
    });
    signal.throwIfAborted();
    // A command that fails on the phone has said something; when adb fails there is its complaint alone.
    if (!ran.failed || ran.stdout !== '') return ran.stdout;
    throw unanswered(phone.id, ran.timedOut ? null : ran.stderr);
  };
}

const advice: readonly (readonly [pattern: RegExp, sentence: string])[] = [
  [
    /unauthorized|authorizing/,
    'it has not authorised this computer: unlock it and accept "Allow USB debugging"',
  ],
  [/offline|connecting/, 'it is offline: disconnect it and connect it again'],
  [
    /not found|no devices/,
    'it is not connected any more: look at its cable, and at what adb devices lists',
  ],
  [/more than one/, 'several are connected: give it the "udid" of one of them in devices.json'],
];

/** In words that say what to do; in adb's own where they are others. */
function unanswered(id: string, complaint: string | null): DriverError {
  if (complaint === null) {
    const seconds = String(answerMs / 1000);
    return new DriverError('timed-out', `The phone ${id} did not answer adb for ${seconds} s`);
  }
  const [, known] = advice.find(([pattern]) => pattern.test(complaint)) ?? [];
  const own = complaint.trim().split('\n')[0]?.slice(0, 200) ?? '';
  return new DriverError('launch-failed', `The phone ${id} cannot be used: ${known ?? own}`);
}
