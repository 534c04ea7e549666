import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import type { Browser } from 'webdriverio';
import {
  DriverError,
  type LaunchOptions,
  type Phone,
  type RemoteShell,
  type Session,
} from './driver.ts';
import { firstLine, runStep } from './step.ts';

/** What a page of this machine needs to be seen on a phone. */
export interface Bridge {
  /** By which the phone can be looked into; left out where it hangs on another machine, or is none of Android's. */
  readonly shell?: RemoteShell;
  /** @throws DriverError `not-supported` when the phone cannot reach the page. */
  reach(url: string): Promise<void>;
  end(): Promise<void>;
}

/** Around a session on a phone: it has one tab, and does not see this machine's loopback. */
export function onPhone(session: Session, browser: Browser, bridge: Bridge): Session {
  let opened = false;
  return {
    ...session,
    ...(bridge.shell !== undefined && { shell: bridge.shell }),
    open: (url, bounds) =>
      runStep(
        async () => {
          await bridge.reach(url);
          // The former page goes with its whole browser: nothing of it is there for the next one.
          if (opened) await browser.reloadSession();
          opened = true;
          await browser.navigateTo(url);
        },
        { what: 'Opening a page on a phone by Appium', code: 'navigation-failed', ...bounds },
      ),
    close: async () => {
      try {
        await session.close();
      } finally {
        await bridge.end();
      }
    },
  };
}

export interface BridgeOptions {
  readonly phone: Phone;
  /** The Appium server is on this machine, and so is the phone's cable. */
  readonly near: boolean;
  readonly environment: LaunchOptions['environment'];
  /** Package of the browser's app, on Android. */
  readonly app: string | null;
}

/**
 * By USB an Android phone can be told to take ports of its loopback to ours (`adb reverse`); then
 * the page is also a secure context, as it must be to have shared memory.
 */
export function buildBridge({ phone, near, environment, app }: BridgeOptions): Bridge {
  const ports = new Set<string>();
  const which = phone.udid === undefined ? [] : ['-s', phone.udid];
  const adb = findAdb(environment);
  const reverse = (...args: readonly string[]): Promise<void> =>
    runAdb([adb, ...which, 'reverse', ...args], environment);
  const command = [adb, ...which, 'shell'];
  return {
    ...(near && app !== null && { shell: { command, environment, app } }),
    reach: async (url) => {
      const { hostname, port } = new URL(url);
      if (!isLoopback(hostname) || ports.has(port)) return;
      if (phone.platform === 'ios' || !near) throw unreachable(phone);
      await reverse(`tcp:${port}`, `tcp:${port}`);
      ports.add(port);
    },
    end: async () => {
      const removals = [...ports].map((port) => reverse('--remove', `tcp:${port}`));
      ports.clear();
      // Each is tried before the first failure is told: a phone that is gone took them with it.
      await Promise.allSettled(removals);
      await Promise.all(removals);
    },
  };
}

const adbMs = 10_000;

/** @throws an Error in adb's own words: "device offline", "device unauthorized", … */
async function runAdb(
  [program = 'adb', ...args]: readonly string[],
  env: LaunchOptions['environment'],
): Promise<void> {
  const options = {
    env,
    extendEnv: false,
    timeout: adbMs,
    stdin: 'ignore',
    reject: false,
  } as const;
  const ran = await execa(program, args, options);
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

export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}

function unreachable({ platform }: Phone): DriverError {
  const because =
    platform === 'ios'
      ? 'an iPhone has no way to the loopback of this machine'
      : 'the phone hangs on another machine, and has no way to the loopback of this one';
  return new DriverError(
    'not-supported',
    `The page server listens on this machine alone: ${because}; "pages": "lan" in devices.json has it listen in the local network`,
  );
}
