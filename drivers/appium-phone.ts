import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import type { Browser } from 'webdriverio';
import { DriverError, type LaunchOptions, type Phone, type Session } from './driver.ts';
import { runStep } from './step.ts';

/** What a page of this machine needs to be seen on a phone. */
export interface Bridge {
  /** @throws DriverError `not-supported` when the phone cannot reach the page. */
  reach(url: string): Promise<void>;
  end(): Promise<void>;
}

/** Around a session on a phone: it has one tab, and does not see this machine's loopback. */
export function onPhone(session: Session, browser: Browser, bridge: Bridge): Session {
  let opened = false;
  return {
    ...session,
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
}

/**
 * By USB an Android phone can be told to take ports of its loopback to ours (`adb reverse`); then
 * the page is also a secure context, as it must be to have shared memory.
 */
export function buildBridge({ phone, near, environment }: BridgeOptions): Bridge {
  const ports = new Set<string>();
  const adb = async (...args: readonly string[]): Promise<void> => {
    const which = phone.udid === undefined ? [] : ['-s', phone.udid];
    const options = {
      env: environment,
      extendEnv: false,
      timeout: adbMs,
      stdin: 'ignore',
    } as const;
    await execa(findAdb(environment), [...which, 'reverse', ...args], options);
  };
  return {
    reach: async (url) => {
      const { hostname, port } = new URL(url);
      if (!isLoopback(hostname) || ports.has(port)) return;
      if (phone.platform === 'ios' || !near) throw unreachable(phone);
      await adb(`tcp:${port}`, `tcp:${port}`);
      ports.add(port);
    },
    end: async () => {
      for (const port of ports) await adb('--remove', `tcp:${port}`);
    },
  };
}

const adbMs = 10_000;

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
    `The page server listens on this machine alone: ${because}`,
  );
}
