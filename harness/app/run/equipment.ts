import { errorText } from '../../errors.ts';
import type { EventEmitter } from 'node:events';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Driver, RemoteShell } from '../../../drivers/driver.ts';
import { loadDriver } from '../../../drivers/index.ts';
import { findHost, type Host, type Target } from '../../model/device.ts';
import type { OptInProbe } from '../../model/reading.ts';
import { chooseProbes } from '../../probes/index.ts';
import { quietGate } from '../../probes/quiet-gate.ts';
import { askByAdb } from '../../probes/remote/phone/adb.ts';
import type { PhoneState } from '../../probes/remote/phone/dumpsys.ts';
import { phoneProbes } from '../../probes/remote/phone/phone-probes.ts';
import { untilReady } from '../../probes/remote/phone/readiness.ts';
import { openSampleStream } from '../../probes/remote/phone/sample-stream.ts';
import { sweepTracefs, type TracefsSweep } from '../../probes/tracefs/leftovers.ts';
import { defaultLimits, type Limits } from '../../run/limits.ts';
import type { Equipment } from '../../run/runner.ts';
import type { RunnerSession } from '../../run/session-keeper.ts';
import type { ExternalFolders } from '../../server/files.ts';
import { type PageServer, startPageServer } from '../../server/page-server.ts';
import { shareDisplay } from '../../session/display.ts';
import { sweepLeftovers } from '../../session/leftovers.ts';
import { startSession } from '../../session/session.ts';
import { startWatchdog } from '../../session/watchdog.ts';
import { findAdb } from '../../setup/adb.ts';
import { isNear } from '../../setup/appium.ts';
import type { DriverLoader } from '../../setup/presence.ts';
import { freeDiskBytes } from '../../setup/surroundings.ts';
import { hostLock } from './host-lock.ts';
import { boundByDisk } from './disk-bound.ts';
import { RemoteSessions, refuseUnknownPort } from './remote-sessions.ts';
import { lanAddress } from './lan-address.ts';

export interface EquipmentOptions {
  /** Folder that the page server serves. */
  readonly pages: string;
  readonly port: number;
  /** Folders of pages that are not ours; none when left out. */
  readonly externals?: ExternalFolders;
  /** Addresses at which browsers of other machines ask for the pages; none when left out. */
  readonly publicOrigins?: readonly string[];
  /** Deadline of one trial, in milliseconds. */
  readonly deadline: number;
  /** False switches off the probes that watch every trial. */
  readonly probes: boolean;
  /** Others, by name; none when left out. */
  readonly probe?: readonly OptInProbe[];
  /** Where sessions keep their profiles while they live. */
  readonly directory: string;
  /** Whether a trial begins only when the machine is quiet; so when left out. */
  readonly waitsForQuiet?: boolean;
  /** Whether it waits for another farm that measures on this machine, or refuses; it waits when left out. */
  readonly wait?: boolean | undefined;
  readonly signal: AbortSignal;
  readonly say: (sentence: string) => void;
  /** A page server that runs already; its owner ends it. */
  readonly server?: PageServer;
  /** Loads the driver of a device; one of the farm's own when left out. */
  readonly loadDriver?: DriverLoader;
  /** Moves a target that no driver of the list can; the usual one when left out. */
  readonly driverOf?: (target: Target) => Promise<Driver>;
  /** Limits that are not the usual ones. */
  readonly limits?: Partial<Limits>;
}

export type OpenEquipment = Omit<Equipment, 'listener'>;

/**
 * Lends everything that a run needs beside its plan: the machine, page server, probes, sessions, and one
 * display if any target wants it. All of it is ended when the work ends, however that is.
 * @throws FarmError `machine-in-use` where another farm measures on this machine and is not waited for.
 */
export function withEquipment<T>(
  options: EquipmentOptions,
  work: (equipment: OpenEquipment) => Promise<T>,
): Promise<T> {
  return hostLock.hold(options, () => openEquipment(options, work));
}

async function openEquipment<T>(
  options: EquipmentOptions,
  work: (equipment: OpenEquipment) => Promise<T>,
): Promise<T> {
  const swept = await sweepLeftovers(options.directory, { say: options.say });
  if (swept > 0) options.say(`ended what ${String(swept)} crashed session(s) had left running`);
  sayTracefs(sweepTracefs(), options.say);
  const pages = resolve(options.pages);
  const server = options.server ?? (await startOwnServer(options));
  const display = shareDisplay();
  const remoteSessions = new RemoteSessions({
    server,
    startLanServer: () => startLanServer(options),
    signal: options.signal,
  });
  const unguard = guardUnhandledRejections(options.say);
  const limits = { ...defaultLimits, ...options.limits, trialMs: options.deadline };
  const load = options.loadDriver ?? loadDriver;
  const { driverOf, now } = withClock(options.driverOf ?? (({ device }) => load(device.driver)));
  const phones = phoneEquipment(options);
  const diskBound = { freeBytes: () => freeDiskBytes(options.directory), everyMs: 2_000 };
  const startOn: Equipment['startSession'] = async (target, { trace, access } = {}) => {
    const driver = await driverOf(target);
    const session = await remoteSessions.equip(target, () =>
      startSession(target, driver, {
        directory: options.directory,
        display: () => display.name(),
        script: join(pages, 'kit', scriptFor(target)),
        signal: options.signal,
        timeoutMs: limits.launchMs,
        ...(trace !== undefined && { trace }),
        ...(access !== undefined && { access }),
      }),
    );
    const equipped = await phones.equip(session, target);
    // A remote browser writes its profile on its own machine.
    return session.unseen === undefined ? boundByDisk(equipped, diskBound) : equipped;
  };
  const { makeReady } = phones;
  const untilQuiet = options.waitsForQuiet === false ? null : openQuietGate(options.signal);
  const watchdog = startWatchdog(options.directory);
  try {
    const probes = chooseProbes({ defaults: options.probes, named: options.probe ?? [] });
    return await work({
      server,
      probes,
      startSession: startOn,
      makeReady,
      now,
      limits,
      signal: options.signal,
      ...(untilQuiet !== null && { untilQuiet }),
    });
  } finally {
    await display.close();
    await remoteSessions.close();
    if (options.server === undefined) await server.close();
    watchdog.close();
    unguard();
  }
}

type DriverOf = (target: Target) => Promise<Driver>;

/** With the clock of the driver that was last asked for; this machine's before, and where it has none. */
function withClock(find: DriverOf): Required<Pick<Equipment, 'now'>> & { driverOf: DriverOf } {
  let now = (): number => performance.now();
  return {
    now: () => now(),
    driverOf: async (target) => {
      const driver = await find(target);
      if (driver.now !== undefined) now = driver.now;
      return driver;
    },
  };
}

function openQuietGate(signal: AbortSignal): ReturnType<typeof quietGate> {
  return quietGate({
    now: () => performance.now(),
    rest: (ms) => pause(ms, undefined, { signal }),
  });
}

async function startOwnServer(options: EquipmentOptions): Promise<PageServer> {
  const { pages, port, externals = new Map(), publicOrigins = [] } = options;
  refuseUnknownPort(publicOrigins, port);
  return startPageServer({ pages, port, guests: externals, publicOrigins });
}

/** Beside the run's own, so that the pages of this machine's browsers stay secure contexts. */
async function startLanServer({
  pages,
  externals = new Map(),
}: EquipmentOptions): Promise<PageServer> {
  return startPageServer({
    pages: resolve(pages),
    port: 0,
    host: lanAddress(true),
    guests: externals,
  });
}

/** Names what stands in for a page: of a program it is the bridge that starts it and speaks for it. */
const scripts: Readonly<Partial<Record<Host, string>>> = {
  shell: 'shell-bridge.js',
  program: 'program.js',
};

function scriptFor({ device }: Target): string {
  return scripts[findHost(device.browser)] ?? 'runtime.js';
}

function sayTracefs({ removed, left }: TracefsSweep, say: (sentence: string) => void): void {
  if (removed > 0)
    say(`ended ${String(removed)} tracing instance(s) or mount(s) of a crashed farm`);
  for (const what of left) say(`a crashed farm's tracing could not be removed: ${what}`);
}

interface PhoneEquipment {
  readonly makeReady: NonNullable<Equipment['makeReady']>;
  /** The session with the probes that see its phone. */
  readonly equip: (session: RunnerSession, target: Target) => Promise<RunnerSession>;
}

interface PhoneSetting {
  /** Whether phones are watched. */
  readonly probes: boolean;
  readonly signal: AbortSignal;
}

/** Equipment that a run needs for phones, besides that of every target. */
function phoneEquipment({ probes, signal }: PhoneSetting): PhoneEquipment {
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

/**
 * Keeps a run alive when a library lets a promise fail that nobody waits for: Node.js ends the
 * process for it, and so the night. webdriverio 9.32 was seen to do so when its server was killed
 * between two commands (`npm run bench -- faults`). The trial fails by itself when it has to; the
 * failure is said. An exception that nobody catches still ends the farm: it is a bug of ours.
 * @returns what takes the guard away again.
 */
export function guardUnhandledRejections(
  say: (sentence: string) => void,
  source: Pick<EventEmitter, 'on' | 'off'> = process,
): () => void {
  const onStray = (reason: unknown): void => {
    const words = reason instanceof Error ? `${reason.name}: ${reason.message}` : String(reason);
    const line = words.split('\n')[0] ?? '';
    say(`something failed that nobody was waiting for, and the run goes on: ${line.slice(0, 300)}`);
  };
  source.on('unhandledRejection', onStray);
  return () => {
    source.off('unhandledRejection', onStray);
  };
}
