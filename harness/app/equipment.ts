import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Driver } from '../../drivers/driver.ts';
import { loadDriver } from '../../drivers/index.ts';
import { hostOf, type Target } from '../model/device.ts';
import type { OptInProbe } from '../model/reading.ts';
import { chooseProbes } from '../probes/index.ts';
import { quietGate } from '../probes/quiet-gate.ts';
import { sweepTracefs, type TracefsSweep } from '../probes/tracefs/leftovers.ts';
import { defaultLimits, type Limits } from '../run/limits.ts';
import type { Equipment } from '../run/runner.ts';
import { startPageServer, type PageServer } from '../server/page-server.ts';
import { freeDiskBytes } from '../setup/surroundings.ts';
import { shareDisplay } from '../session/display.ts';
import { sweepLeftovers } from '../session/leftovers.ts';
import { startSession } from '../session/session.ts';
import type { RunnerSession } from '../run/session-keeper.ts';
import { boundByDisk } from './disk-bound.ts';
import { Elsewhere, refuseUnknownPort } from './elsewhere.ts';
import { lanAddress } from './lan-address.ts';
import { phoneEquipment } from './phone-equipment.ts';
import { tellStrayFailures } from './stray-failures.ts';

export interface EquipmentOptions {
  /** Folder that the page server serves. */
  readonly pages: string;
  readonly port: number;
  /** Folders of pages that are not ours; none when left out. */
  readonly guests?: ReadonlyMap<string, string>;
  /** Addresses at which browsers of other machines ask for the pages; none when left out. */
  readonly publicOrigins?: readonly string[];
  /** Deadline of one trial, in milliseconds. */
  readonly deadline: number;
  /** Whether the probes that watch every trial do. */
  readonly probes: boolean;
  /** Others, by name; none when left out. */
  readonly probe?: readonly OptInProbe[];
  /** Where sessions keep their profiles while they live. */
  readonly directory: string;
  readonly signal: AbortSignal;
  readonly say: (sentence: string) => void;
  /** A page server that is there already, which whoever lends it ends. */
  readonly server?: PageServer;
  /** Moves a target that no driver of the list can; the usual one when left out. */
  readonly driverOf?: (target: Target) => Promise<Driver>;
  /** What is not as usual. */
  readonly limits?: Partial<Limits>;
}

export type OpenEquipment = Omit<Equipment, 'listener'>;

/**
 * Lends everything that a run needs beside its plan: page server, probes, sessions, and one
 * display if any target wants it. All of it is ended when the work ends, however that is.
 */
export async function withEquipment<T>(
  options: EquipmentOptions,
  work: (equipment: OpenEquipment) => Promise<T>,
): Promise<T> {
  const swept = await sweepLeftovers(options.directory, { say: options.say });
  if (swept > 0) options.say(`ended what ${String(swept)} crashed session(s) had left running`);
  tellOfTracefs(sweepTracefs(), options.say);
  const pages = resolve(options.pages);
  const server = options.server ?? (await startOwnServer(options));
  const display = shareDisplay();
  const elsewhere = new Elsewhere({
    server,
    startLanServer: () => startLanServer(options),
    signal: options.signal,
  });
  const unguard = tellStrayFailures(options.say);
  const limits = { ...defaultLimits, ...options.limits, trialMs: options.deadline };
  const driverOf = options.driverOf ?? (({ device }) => loadDriver(device.driver));
  const phones = phoneEquipment(options);
  const diskBound = { freeBytes: () => freeDiskBytes(options.directory), everyMs: 2_000 };
  const startOn = async (target: Target, trace?: string): Promise<RunnerSession> => {
    const driver = await driverOf(target);
    const session = await elsewhere.equip(target, () =>
      startSession(target, driver, {
        directory: options.directory,
        display: () => display.name(),
        script: join(pages, 'kit', scriptFor(target)),
        signal: options.signal,
        timeoutMs: limits.launchMs,
        ...(trace !== undefined && { trace }),
      }),
    );
    const equipped = await phones.equip(session, target);
    // A browser elsewhere writes its profile there.
    return session.unseen === undefined ? boundByDisk(equipped, diskBound) : equipped;
  };
  const { makeReady } = phones;
  const untilQuiet = quietGate({
    now: () => performance.now(),
    rest: async (ms) => {
      await pause(ms, undefined, { signal: options.signal });
    },
  });
  try {
    const probes = chooseProbes({ defaults: options.probes, named: options.probe ?? [] });
    const { signal } = options;
    return await work({
      ...{ server, probes, startSession: startOn, makeReady, limits, signal },
      ...(untilQuiet !== null && { untilQuiet }),
    });
  } finally {
    await display.close();
    await elsewhere.close();
    if (options.server === undefined) await server.close();
    unguard();
  }
}

async function startOwnServer(options: EquipmentOptions): Promise<PageServer> {
  const { pages, port, guests = new Map(), publicOrigins = [] } = options;
  refuseUnknownPort(publicOrigins, port);
  return startPageServer({ pages, port, guests, publicOrigins });
}

/** Beside the run's own, so that the pages of this machine's browsers stay secure contexts. */
async function startLanServer({
  pages,
  guests = new Map(),
}: EquipmentOptions): Promise<PageServer> {
  return startPageServer({ pages: resolve(pages), port: 0, host: lanAddress(true), guests });
}

/** What stands in for a page: of a program it is the bridge that starts it and speaks for it. */
function scriptFor({ device }: Target): string {
  return hostOf(device.browser) === 'program' ? 'program.js' : 'runtime.js';
}

function tellOfTracefs({ removed, left }: TracefsSweep, say: (sentence: string) => void): void {
  if (removed > 0)
    say(`ended ${String(removed)} tracing instance(s) or mount(s) of a crashed farm`);
  for (const what of left) say(`a crashed farm's tracing could not be removed: ${what}`);
}
