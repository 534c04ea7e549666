import type { EventEmitter } from 'node:events';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Driver } from '../../../../drivers/driver.ts';
import { loadDriver } from '../../../../drivers/index.ts';
import { findHost, type Host, type Target } from '../../model/device.ts';
import type { OptInProbe } from '../../model/reading.ts';
import { chooseProbes } from '../../probes/index.ts';
import { quietGate } from '../../probes/quiet-gate.ts';
import { sweepTracefs, type TracefsSweep } from '../../probes/tracefs/leftovers.ts';
import { defaultLimits, findLimits, type Limits } from '../../run/limits.ts';
import type { Equipment } from '../../run/runner.ts';
import type { RunnerSession } from '../../run/session-keeper.ts';
import type { ExternalFolders } from '../../server/files.ts';
import { type PageServer, startPageServer } from '../../server/page-server.ts';
import { shareDisplay } from '../../session/display.ts';
import { sweepLeftovers } from '../../session/leftovers.ts';
import { startSession } from '../../session/session.ts';
import { startWatchdog } from '../../session/watchdog.ts';
import type { DriverLoader } from '../../setup/presence.ts';
import { freeDiskBytes } from '../../setup/surroundings.ts';
import { listMachineKinds } from '../extensions.ts';
import { hostLock } from './host-lock.ts';
import { startLanServer } from './lan-server.ts';
import { openOtherMachines } from '../other-machines.ts';
import type { TlsOptions } from '../tls/certificate.ts';
import { ReachablePages, refuseUnknownPort } from './reachable-pages.ts';

export interface EquipmentOptions extends TlsOptions {
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
  /** True if a trial begins only when the machine is quiet; so when left out. */
  readonly waitsForQuiet?: boolean;
  /**
   * True if it waits for another farm that measures on this machine, instead of refusing; it waits
   * when left out.
   */
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
 * Lends everything that a run needs besides its plan: the machine, page server, probes, sessions,
 * and one display if any target wants it. All of it ends with the work, also after a failure.
 * @throws FarmError `machine-in-use` where another farm measures on this machine and is not waited
 * for.
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
  const others = await openOtherMachines(listMachineKinds(), options);
  const server = options.server ?? (await startOwnServer(options));
  const display = shareDisplay();
  const reachable = new ReachablePages({
    server,
    startLanServer: (towards) => startLanServer(options, towards),
  });
  const unguard = guardUnhandledRejections(options.say);
  const limits = { ...defaultLimits, ...options.limits, trialMs: options.deadline };
  const load = options.loadDriver ?? loadDriver;
  const { driverOf, now } = withClock(options.driverOf ?? (({ device }) => load(device.driver)));
  const diskBound = { freeBytes: () => freeDiskBytes(options.directory), everyMs: 2_000 };
  const startOn: Equipment['startSession'] = async (target, { trace, access, first } = {}) => {
    const driver = await driverOf(target);
    const start = (): Promise<RunnerSession> =>
      startSession(target, driver, {
        directory: options.directory,
        display: () => display.name(),
        script: join(pages, 'kit', scriptFor(target)),
        signal: options.signal,
        timeoutMs: findLimits(target.device, limits).launchMs,
        ...(trace !== undefined && { trace: trace.path }),
        ...(trace?.stacks && { stacks: true }),
        ...(access !== undefined && { access }),
        ...(first && { first }),
      });
    const session = await reachable.equip(target, () => others.equip(target, start));
    // A remote browser writes its profile on its own machine.
    return session.unseen === undefined ? boundByDisk(session, diskBound) : session;
  };
  const untilQuiet = options.waitsForQuiet === false ? null : openQuietGate(options.signal);
  const watchdog = startWatchdog(options.directory);
  try {
    const probes = chooseProbes({ defaults: options.probes, named: options.probe ?? [] });
    return await work({
      server,
      probes,
      startSession: startOn,
      makeReady: others.makeReady,
      now,
      limits,
      signal: options.signal,
      ...(untilQuiet !== null && { untilQuiet }),
    });
  } finally {
    await display.close();
    await others.close();
    await reachable.close();
    if (options.server === undefined) await server.close();
    watchdog.close();
    unguard();
  }
}

type DriverOf = (target: Target) => Promise<Driver>;

/**
 * With the clock of the driver that was last asked for; this machine's before, and where it is
 * missing.
 */
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

/**
 * Keeps a run alive when a library lets an unawaited promise fail: Node.js ends the process for it,
 * and so the night. webdriverio 9.32 was seen to do so when its server was killed between two
 * commands (`npm run bench -- faults`). The trial fails by itself when it has to; the failure is
 * reported. An uncaught exception still ends the farm: it is a bug of ours.
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

interface DiskBound {
  /** Bytes that may still be written where the profile is; null where that is not known. */
  readonly freeBytes: () => Promise<number | null>;
  readonly everyMs: number;
}

/** Space that is left for the database and for everybody else. */
const leastBytes = 512 * 2 ** 20;

/**
 * A session that counts as dead once its disk is almost full, so that the runner ends it, its
 * profile goes, and the run goes on: a page can write gigabytes within one trial. A disk that was as
 * full when the session began is not its fault, and bounds nothing.
 */
export function boundByDisk(session: RunnerSession, bound: DiskBound): RunnerSession {
  const watching = new AbortController();
  return {
    ...session,
    ended: Promise.race([session.ended, untilFull(bound, watching.signal)]),
    close: async () => {
      watching.abort();
      await session.close();
    },
  };
}

/** Resolves with a sentence when the disk is almost full, and else never. */
async function untilFull({ freeBytes, everyMs }: DiskBound, signal: AbortSignal): Promise<string> {
  const isFull = (bytes: number | null): bytes is number => bytes !== null && bytes < leastBytes;
  if (isFull(await freeBytes())) return never();
  while (!signal.aborted) {
    // It rejects when the session is closed, which the loop then sees.
    await pause(everyMs, undefined, { signal, ref: false }).catch(() => undefined);
    const bytes = await freeBytes();
    if (!signal.aborted && isFull(bytes)) {
      const left = `${String(Math.round(bytes / 2 ** 20))} MiB`;
      return `its profile filled the disk, or something else did: ${left} were left`;
    }
  }
  return never();
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}
