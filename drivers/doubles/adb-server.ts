import { execa } from 'execa';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import getPort from 'get-port';

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
export async function startAdbServer(adb: string): Promise<AdbServer> {
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
