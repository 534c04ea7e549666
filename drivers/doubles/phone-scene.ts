import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { type AdbDevice, type AdbDeviceOptions, startAdbDevice } from './adb-device.ts';
import { execa } from 'execa';
import getPort from 'get-port';

/** The first of these names that is on PATH. */
export function findProgram(...names: readonly string[]): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const paths = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return paths.find((path) => existsSync(path)) ?? null;
}

/** The real Appium, which npm installs with what else the tests need. */
export function findAppium(): string | null {
  const path = resolve('node_modules/appium/index.js');
  return existsSync(path) ? path : null;
}

/** Why no double of an Android phone can run here, as a reason to skip; null when one can. */
export function absentForAndroid(): string | null {
  if (process.platform !== 'linux') return 'the double of a phone needs Linux';
  const absent = ['adb', 'bash', 'awk', 'ps'].filter((name) => findProgram(name) === null);
  return absent.length === 0 ? null : `not on this machine: ${absent.join(', ')}`;
}

export interface PhoneScene {
  readonly server: AdbServer;
  /** Variables by which a client finds the phones: ANDROID_HOME, the port of adb's server, PATH. */
  readonly environment: Readonly<Record<string, string>>;
  /** Another phone, connected by `adb connect`. */
  phone(changes?: Partial<AdbDeviceOptions>): Promise<AdbDevice>;
  close(): Promise<void>;
}

/** A server of adb's, and doubles of phones behind it. All of it ends with `close`. */
export async function startPhoneScene(): Promise<PhoneScene> {
  const adb = findProgram('adb');
  if (adb === null) throw new Error('adb is not installed');
  const folder = await mkdtemp(join(tmpdir(), 'phones-'));
  await mkdir(join(folder, 'sdk/platform-tools'), { recursive: true });
  await symlink(adb, join(folder, 'sdk/platform-tools/adb'));
  const server = await startAdbServer(adb);
  const phones: AdbDevice[] = [];
  return {
    server,
    environment: {
      PATH: process.env['PATH'] ?? '',
      ...server.environment,
      ANDROID_HOME: join(folder, 'sdk'),
    },
    phone: async (changes = {}) => {
      const number = phones.length;
      const device = await startAdbDevice({
        folder: join(folder, `phone-${String(number)}`),
        name: 'panther',
        model: 'Pixel 7',
        loopback: `127.0.0.${String(number + 2)}`,
        shell: findProgram('mksh', 'bash') ?? 'bash',
        ...changes,
      });
      phones.push(device);
      await server.run('connect', device.serial);
      return device;
    },
    close: async () => {
      await server.close();
      for (const phone of phones) await phone.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

/** A server of the real adb, on its own port: a user's server is never touched. */
export interface AdbServer {
  readonly adb: string;
  /** Environment variables that a client needs to find it. */
  readonly environment: Readonly<Record<string, string>>;
  /** Runs adb with these arguments. @returns what it printed, its complaints too. */
  run(...args: readonly string[]): Promise<string>;
  close(): Promise<void>;
}

/** Starts it with its own keys, in a folder that is removed with it. */
async function startAdbServer(adb: string): Promise<AdbServer> {
  const home = await mkdtemp(join(tmpdir(), 'adb-home-'));
  const environment = await listen(adb, home);
  const run = async (...args: readonly string[]): Promise<string> =>
    (await runAdb(adb, args, environment)).all;
  return {
    adb,
    environment,
    run,
    close: async () => {
      await run('kill-server');
      await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

/**
 * Starts it on a port that was free a moment ago. Another program may have taken that since; then
 * another one is tried. @returns its environment.
 */
async function listen(adb: string, home: string): Promise<AdbServer['environment']> {
  for (let tries = 1; ; tries += 1) {
    const environment = {
      ANDROID_ADB_SERVER_PORT: String(await getPort({ host: '127.0.0.1' })),
      HOME: home,
      ANDROID_USER_HOME: home,
      // Do not look for emulators: they are not the farm's.
      ADB_LOCAL_TRANSPORT_MAX_PORT: '5554',
      ADB_MDNS_AUTO_CONNECT: '0',
      TMPDIR: home,
    };
    const { exitCode, all } = await runAdb(adb, ['start-server'], environment);
    if (exitCode === 0) return environment;
    if (tries === 3) throw new Error(`adb start-server: ${all}`);
  }
}

function runAdb(adb: string, args: readonly string[], env: Readonly<Record<string, string>>) {
  return execa(adb, args, {
    env,
    reject: false,
    stdin: 'ignore',
    all: true,
    timeout: 60_000,
  });
}
