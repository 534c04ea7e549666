import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import type { LaunchOptions } from '../driver.ts';
import { firstLine } from './step.ts';

/** A phone as adb addresses it. */
export interface AdbPhone {
  /** The only one that is connected when left out. */
  readonly udid?: string | undefined;
  /** The complete environment of adb. */
  readonly environment: LaunchOptions['environment'];
}

/** Of an environment what decides which phone adb reaches; it holds no secret. */
export function adbVariables(
  environment: LaunchOptions['environment'],
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => /^(ADB|ANDROID)_/.test(name)),
  );
}

/** Program and arguments by which adb speaks with the phone; what it is to do follows. */
export function adbCommand({ udid, environment }: AdbPhone): readonly [string, ...string[]] {
  return [findAdb(environment), ...(udid === undefined ? [] : ['-s', udid])];
}

/** Has the phone take a port of its loopback to ours. @throws an Error in adb's own words. */
export function reversePort(phone: AdbPhone, port: string): Promise<void> {
  return runAdb(phone, ['reverse', `tcp:${port}`, `tcp:${port}`]);
}

/** @throws an Error in adb's own words. */
export function removeReverse(phone: AdbPhone, port: string): Promise<void> {
  return runAdb(phone, ['reverse', '--remove', `tcp:${port}`]);
}

const adbMs = 10_000;

/** @throws an Error in adb's own words: "device offline", "device unauthorized", … */
async function runAdb(phone: AdbPhone, args: readonly string[]): Promise<void> {
  const [program, ...which] = adbCommand(phone);
  const options = {
    env: phone.environment,
    extendEnv: false,
    timeout: adbMs,
    stdin: 'ignore',
    reject: false,
  } as const;
  const ran = await execa(program, [...which, ...args], options);
  if (!ran.failed) return;
  const { stderr, timedOut } = ran;
  const why = timedOut ? `no answer for ${String(adbMs / 1000)} s` : stderr;
  throw new Error(`adb: ${firstLine(why === '' ? ran : why).replace(/^adb: /, '')}`);
}

function findAdb(environment: LaunchOptions['environment']): string {
  const home = environment['ANDROID_HOME'] ?? environment['ANDROID_SDK_ROOT'];
  const own = home === undefined ? null : join(home, 'platform-tools', 'adb');
  return own !== null && existsSync(own) ? own : 'adb';
}
