import { connect } from 'node:net';
import { join } from 'node:path';
import { askProgram } from './ask-program.ts';
import { findOnPath, isExecutable } from './executable.ts';

/** An Android device as `adb devices -l` lists it. */
export interface ListedDevice {
  readonly serial: string;
  /** `device` when it can be used; else `unauthorized`, `offline`, `no permissions`, … */
  readonly state: string;
  /** The maker's name, such as `Pixel_7`; known only of a usable device. */
  readonly model?: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The adb of the Android SDK where there is one, else the one on PATH; null when it is missing. */
export function findAdb(environment: Environment = process.env): string | null {
  const sdk = environment['ANDROID_HOME'] ?? environment['ANDROID_SDK_ROOT'];
  const own = sdk === undefined ? null : join(sdk, 'platform-tools', 'adb');
  return own !== null && isExecutable(own) ? own : findOnPath(['adb']);
}

const adbMs = 10_000;

/** Questions to devices while adb's server runs. */
export interface AdbVisit {
  /** Null when adb gave no list in time. */
  devices(): Promise<readonly ListedDevice[] | null>;
  /** Output of a command line on the device; null when there was no answer. */
  shell(serial: string, command: string): Promise<string | null>;
}

/** Those who ask at the same time share one server and one list. */
interface Visiting {
  visitors: number;
  readonly wasRunning: Promise<boolean>;
  devices: Promise<readonly ListedDevice[] | null> | null;
}

const underWay = new Map<string, Visiting>();

/** adb leaves a server running; one that was not there before is not left behind. */
export async function visitAdb<T>(adb: string, work: (visit: AdbVisit) => Promise<T>): Promise<T> {
  const visiting = underWay.get(adb) ?? { visitors: 0, wasRunning: isListening(), devices: null };
  underWay.set(adb, visiting);
  visiting.visitors += 1;
  try {
    const wasRunning = await visiting.wasRunning;
    const devices = (): Promise<readonly ListedDevice[] | null> => (visiting.devices ??= list(adb));
    const shell = (serial: string, command: string): Promise<string | null> =>
      runAdb(adb, ['-s', serial, 'shell', command]);
    try {
      return await work({ devices, shell });
    } finally {
      if (visiting.visitors === 1 && !wasRunning) await runAdb(adb, ['kill-server']);
    }
  } finally {
    visiting.visitors -= 1;
    if (visiting.visitors === 0) underWay.delete(adb);
  }
}

async function list(adb: string): Promise<readonly ListedDevice[] | null> {
  const text = await runAdb(adb, ['devices', '-l']);
  return text === null ? null : parseDevices(text);
}

async function runAdb(adb: string, args: readonly string[]): Promise<string | null> {
  const { stdout, failed } = await askProgram(adb, args, { timeoutMs: adbMs });
  return failed ? null : stdout;
}

/** The lines of `adb devices`, short or long, at most a hundred. */
export function parseDevices(text: string): readonly ListedDevice[] {
  return text
    .split('\n')
    .slice(0, 100)
    .flatMap((line) => {
      const found = /^([\w.:-]{1,200})\s+(no permissions|\w{1,40})\b(.*)$/.exec(line.trim());
      const [, serial, state, rest = ''] = found ?? [];
      if (serial === undefined || state === undefined || serial === 'List') return [];
      const model = / model:(\S{1,100})/.exec(rest)?.[1];
      return [{ serial, state, ...(model !== undefined && { model }) }];
    });
}

function isListening(): Promise<boolean> {
  const port = Number(process.env['ANDROID_ADB_SERVER_PORT'] ?? 5037);
  const socket = connect({ host: '127.0.0.1', port });
  return new Promise((answer) => {
    const tell = (listening: boolean): void => {
      socket.destroy();
      answer(listening);
    };
    socket.setTimeout(1000, () => {
      tell(false);
    });
    socket.once('connect', () => {
      tell(true);
    });
    socket.once('error', () => {
      tell(false);
    });
  });
}
