import type { Browser } from 'webdriverio';
import { adbCommand, adbVariables, removeReverse, reversePort } from '../shared/adb-reverse.ts';
import {
  DriverError,
  type LaunchOptions,
  type Phone,
  type RemoteShell,
  type Session,
} from '../driver.ts';
import { runStep } from '../shared/step.ts';

/** Everything that a phone needs to load a page of this machine. */
export interface Bridge {
  /** Shell of an Android phone on this machine; left out for all other phones. */
  readonly shell?: RemoteShell;
  /** @throws DriverError `not-supported` when the phone cannot reach the page. */
  reach(url: string): Promise<void>;
  end(): Promise<void>;
}

export interface PhoneParts {
  readonly browser: Browser;
  readonly bridge: Bridge;
  /** Called with every further session that the server has begun. */
  readonly begun: (session: string) => Promise<void>;
}

/** Around a session on a phone: it has one tab, and does not see this machine's loopback. */
export function onPhone(session: Session, { browser, bridge, begun }: PhoneParts): Session {
  let opened = false;
  return {
    ...session,
    ...(bridge.shell !== undefined && { shell: bridge.shell }),
    open: (url, bounds) =>
      runStep(
        async () => {
          await bridge.reach(url);
          // The former page goes with its whole browser, so the next one starts clean.
          if (opened) {
            await browser.reloadSession();
            await begun(browser.sessionId);
          }
          opened = true;
          await browser.navigateTo(url);
        },
        { what: 'Opening a page on a phone by Appium', code: 'navigation-failed', ...bounds },
      ),
    navigate: async (url, bounds) => {
      await bridge.reach(url);
      await session.navigate?.(url, bounds);
    },
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
  readonly remember: LaunchOptions['remember'];
}

/**
 * By USB an Android phone can forward ports of its loopback to ours (`adb reverse`); then
 * the page is also a secure context, as it must be to have shared memory.
 */
export function buildBridge({ phone, near, app, ...options }: BridgeOptions): Bridge {
  const ports = new Set<string>();
  const { environment, remember } = options;
  const on = { udid: phone.udid, environment };
  return {
    ...(near &&
      app !== null && { shell: { command: [...adbCommand(on), 'shell'], environment, app } }),
    reach: async (url) => {
      const { hostname, port } = new URL(url);
      if (!isLoopback(hostname) || ports.has(port)) return;
      if (phone.platform === 'ios' || !near) throw unreachable(phone);
      const which = { ...(phone.udid !== undefined && { udid: phone.udid }), port };
      // Before it is made: a farm that is killed in between leaves nothing unknown.
      await remember?.({ kind: 'adb-reverse', ...which, environment: adbVariables(environment) });
      await reversePort(on, port);
      ports.add(port);
    },
    end: async () => {
      const removals = [...ports].map((port) => removeReverse(on, port));
      ports.clear();
      // Each is tried before the first failure is reported: a phone that is gone took them with it.
      await Promise.allSettled(removals);
      await Promise.all(removals);
    },
  };
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
