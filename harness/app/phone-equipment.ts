import { setTimeout as pause } from 'node:timers/promises';
import type { RemoteShell } from '../../drivers/driver.ts';
import type { Target } from '../model/device.ts';
import { askByAdb } from '../probes/remote/phone/adb.ts';
import type { PhoneState } from '../probes/remote/phone/dumpsys.ts';
import { phoneProbes } from '../probes/remote/phone/phone-probes.ts';
import { untilReady } from '../probes/remote/phone/readiness.ts';
import { openSampleStream } from '../probes/remote/phone/sample-stream.ts';
import type { Equipment } from '../run/runner.ts';
import type { RunnerSession } from '../run/session-keeper.ts';
import { findAdb } from '../setup/adb.ts';
import { isNear } from '../setup/appium.ts';

export interface PhoneEquipment {
  readonly makeReady: NonNullable<Equipment['makeReady']>;
  /** The session with the probes that see its phone. */
  readonly equip: (session: RunnerSession, target: Target) => Promise<RunnerSession>;
}

interface Lent {
  /** Whether phones are watched. */
  readonly probes: boolean;
  readonly signal: AbortSignal;
}

/** What a run needs for phones, beside what every target needs. */
export function phoneEquipment({ probes, signal }: Lent): PhoneEquipment {
  const states = new Map<string, PhoneState>();
  return {
    makeReady: async (target, tell) => {
      const { device } = target;
      const environment = { ...process.env, ...device.environment };
      const adb = isOnCable(target) ? findAdb(environment) : null;
      // Without adb the launch says what is missing.
      if (adb === null) return;
      const serial = device.phone?.udid;
      const ask = askByAdb({
        id: device.id,
        adb,
        environment,
        ...(serial !== undefined && { serial }),
      });
      const state = await untilReady(device.id, {
        ...{ ask, signal, tell },
        now: () => performance.now(),
        rest: async (ms, until) => {
          await pause(ms, undefined, { signal: until });
        },
      });
      states.set(device.id, state);
    },
    equip: async (session, { device }) => {
      const { shell } = session;
      if (!probes || shell === undefined) return session;
      const state = (): PhoneState | null => states.get(device.id) ?? null;
      try {
        return await watch(session, { shell, browser: device.browser, state, signal });
      } catch (error) {
        await session.close();
        throw error;
      }
    },
  };
}

interface Watching {
  readonly shell: RemoteShell;
  readonly browser: string;
  readonly state: () => PhoneState | null;
  readonly signal: AbortSignal;
}

/** Has the cores and threads of a phone watched through the session's shell. */
async function watch(
  session: RunnerSession,
  { shell, browser, state, signal }: Watching,
): Promise<RunnerSession> {
  const stream = await openSampleStream(shell, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    return error instanceof Error ? error.message : String(error);
  });
  if (typeof stream === 'string') return { ...session, unseen: `no probe sees it: ${stream}` };
  return {
    ...session,
    probes: phoneProbes({ stream, browser, app: shell.app, state }),
    // A phone that was unplugged says nothing by itself; its shell ends at once.
    ended: Promise.race([session.ended, stream.lost]),
    close: async () => {
      await stream.close();
      await session.close();
    },
  };
}

function isOnCable({ device, server }: Target): boolean {
  const isAndroid = device.driver === 'appium' && device.phone?.platform === 'android';
  return isAndroid && (server === undefined || !/^https?:/.test(server) || isNear(server));
}
