import { setTimeout as pause } from 'node:timers/promises';
import type { Target } from '../model/device.ts';
import { askByAdb } from '../phones/adb.ts';
import type { PhoneState } from '../phones/dumpsys.ts';
import { phoneProbes } from '../phones/phone-probes.ts';
import { untilReady } from '../phones/readiness.ts';
import { openSampleStream } from '../phones/sample-stream.ts';
import type { Equipment } from '../runner/runner.ts';
import type { RunnerSession } from '../runner/session-keeper.ts';
import type { LiveSession } from '../session/session.ts';
import { findAdb } from '../setup/adb.ts';
import { isNear } from '../setup/appium.ts';

export interface PhoneEquipment {
  readonly makeReady: NonNullable<Equipment['makeReady']>;
  /** Has the cores and threads of a phone watched through the session's shell, where it has one. */
  readonly watch: (session: LiveSession, target: Target) => Promise<RunnerSession>;
}

/** What a run needs for Android phones on this machine's cable. */
export function phoneEquipment(signal: AbortSignal): PhoneEquipment {
  const states = new Map<string, PhoneState>();
  return {
    makeReady: async (target, tell) => {
      const { device } = target;
      const environment = { ...process.env, ...device.environment };
      const adb = isOnCable(target) ? findAdb(environment) : null;
      // Without adb the launch says what is missing.
      if (adb === null) return;
      const serial = device.phone?.udid;
      const ask = askByAdb({ id: device.id, adb, environment, ...(serial !== undefined && { serial }) });
      const state = await untilReady(device.id, {
        ...{ ask, signal, tell },
        now: () => performance.now(),
        rest: async (ms, until) => {
          await pause(ms, undefined, { signal: until });
        },
      });
      states.set(device.id, state);
    },
    watch: async (session, { device }) => {
      const { shell } = session;
      if (shell === undefined) return session;
      const stream = await openSampleStream(shell, signal).catch(async (error: unknown) => {
        if (signal.aborted) await session.close();
        signal.throwIfAborted();
        return error instanceof Error ? error.message : String(error);
      });
      if (typeof stream === 'string') return { ...session, unseen: `no probe sees it: ${stream}` };
      return {
        ...session,
        probes: phoneProbes({
          ...{ stream, browser: device.browser, app: shell.app },
          state: () => states.get(device.id) ?? null,
        }),
        // A phone that was unplugged says nothing by itself; its shell ends at once.
        ended: Promise.race([session.ended, stream.lost]),
        close: async () => {
          await stream.close();
          await session.close();
        },
      };
    },
  };
}

function isOnCable({ device, server }: Target): boolean {
  const isAndroid = device.driver === 'appium' && device.phone?.platform === 'android';
  return isAndroid && (server === undefined || !/^https?:/.test(server) || isNear(server));
}
