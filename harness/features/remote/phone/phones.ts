import { setTimeout as pause } from 'node:timers/promises';
import type { RemoteShell } from '../../../../drivers/driver.ts';
import type { MachineKind } from '../../../core/app/other-machines.ts';
import { errorText } from '../../../core/errors.ts';
import type { Target } from '../../../core/model/device.ts';
import type { RunnerSession } from '../../../core/run/session-keeper.ts';
import { findAdb } from '../../../core/setup/adb.ts';
import { isNear } from '../../../core/setup/appium.ts';
import { askByAdb } from './adb.ts';
import type { PhoneState } from './dumpsys.ts';
import { phoneProbes } from './phone-probes.ts';
import { FirstSessions } from './first-sessions.ts';
import { untilReady } from './readiness.ts';
import { openSampleStream } from './sample-stream.ts';

/** Waits for phones that are not fit for a trial, and watches those whose session has a shell. */
export const openPhones: Awaited<ReturnType<MachineKind>> = ({ probes, signal, say }) => {
  const sessions = new FirstSessions(say);
  const states = new Map<string, PhoneState>();
  return {
    makeReady: async (target, tell) => {
      const { device } = target;
      sessions.announce(device);
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
        ask,
        signal,
        tell,
        now: () => performance.now(),
        rest: async (ms, until) => {
          await pause(ms, undefined, { signal: until });
        },
      });
      states.set(device.id, state);
    },
    equip: async ({ device }, begin) => {
      const session = await sessions.time(device, begin);
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
    close: () => Promise.resolve(),
  };
};

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
    return errorText(error);
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
