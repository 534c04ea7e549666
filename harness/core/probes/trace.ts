import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { requireOwnLinks } from '../own-path.ts';
import { besideTrace } from '../../../drivers/driver.ts';
import { caseName, type Isolation } from '../model/case.ts';
import type { Capability } from '../model/device.ts';
import type { Job } from '../model/plan.ts';
import type {
  DeclaredProbe,
  DeclaredReading,
  NotSupported,
  TraceFormat,
  TraceReading,
} from '../model/reading.ts';
import type { TrialResult } from '../model/trial.ts';
import { findEngine } from './processes.ts';

/**
 * The browser's own trace of a trial. It is not an observer like the other probes: the browser gets
 * the order at its launch and writes when it ends, so the trial's session closes before the trial
 * ends.
 */

/** The folder for the traces of one run. */
export interface TraceFolder {
  /** Absolute path of the folder of the database. */
  readonly root: string;
  readonly run: number;
  /** Makes a profile of each trace; none is made when left out. */
  readonly makeProfile?: MakeProfile;
  /** Traces only serve for profiles, and are not kept. */
  readonly onlyProfiles?: true;
}

/**
 * Makes a profile of what the browser wrote, and keeps it next to the database.
 * @returns its reading, or why it is missing
 */
export type MakeProfile = (trace: RawTrace) => Promise<DeclaredReading | NotSupported>;

export interface RawTrace extends Pick<TraceOrder, 'written' | 'format' | 'root'> {
  /** Name of the profile's file without its ending, relative to the folder of the database. */
  readonly kept: string;
  /** Product. */
  readonly browser: string;
  readonly result: TrialResult;
  /** True for an address at the page's own server on this machine, whose answers may be read. */
  readonly servesPage: (url: string) => boolean;
  readonly signal: AbortSignal;
}

/** A file that the browser was asked to write. */
export interface TraceOrder {
  /** Absolute path, as the browser writes it. */
  readonly written: string;
  /** Where it is kept, relative to the folder of the database. */
  readonly file: string;
  readonly format: TraceFormat;
  readonly root: string;
  /** The same for a profile, without its ending. */
  readonly profile: string;
  /** It is of one page, in a browser that goes on. */
  readonly ofPage?: true;
}

export interface TraceCircumstances {
  readonly folder: TraceFolder;
  /** Product. */
  readonly browser: string;
  readonly capabilities: readonly Capability[];
  readonly isolation: Isolation;
}

/** The probe that a feature makes of the browsers' traces. */
export const profileProbe = 'profile' as DeclaredProbe;

/** Makes the folder for a trial's trace and names its file, or returns why there will be none. */
export async function orderTrace(
  job: Job,
  { folder, browser, capabilities, isolation }: TraceCircumstances,
): Promise<TraceOrder | NotSupported> {
  const engine = findEngine(browser);
  // Only Chromium traces one page of many.
  const isShared = isolation === 'page';
  const because =
    isShared && engine !== 'chromium' ? sharedBrowser : findTraceObstacle(capabilities);
  if (because !== null) return noTrace(because);
  const format = engine === 'firefox' ? 'firefox-profile' : 'chrome-trace';
  const place = placeOf(folder.onlyProfiles === true ? 'profiles' : 'traces', folder.run);
  requireOwnLinks(join(folder.root, place));
  await mkdir(join(folder.root, place), { recursive: true });
  const file = `${place}/${fileName(job)}.json`;
  return {
    written: join(folder.root, file),
    file: `${file}.gz`,
    format,
    root: folder.root,
    profile: `${placeOf('profiles', folder.run)}/${fileName(job)}`,
    ...(isShared && { ofPage: true }),
  };
}

function placeOf(kind: 'traces' | 'profiles', run: number): string {
  return `${kind}/run-${String(run)}`;
}

export function isOrdered(order: TraceOrder | NotSupported): order is TraceOrder {
  return !('notSupported' in order);
}

/** Why one trial lacks a trace. */
export const sharedBrowser =
  'a browser writes its trace when it ends, and with isolation "page" trials share one browser';

/** Finds why a browser writes no trace; null where it does. */
export function findTraceObstacle(capabilities: readonly Capability[]): string | null {
  const trace = capabilities.find(({ name }) => name === 'trace');
  if (trace?.supported === true) return null;
  return trace?.because ?? 'its driver declares no ability to write a trace';
}

function noTrace(notSupported: string): NotSupported {
  return { probe: 'trace', notSupported };
}

/** File systems allow 255 bytes; a case has as many parameters as its author likes. */
const longestName = 150;

/** The ordinal makes it the only one of its run, also for a repeat. */
function fileName({ deviceId, case: one, block, ordinal }: Job): string {
  const name = `${deviceId}-${caseName(one)}`.replace(/[^A-Za-z0-9.]+/g, '-');
  return `${name.slice(0, longestName)}-block-${String(block)}-cell-${String(ordinal)}`;
}

/**
 * Packs what the browser wrote, after it has ended: a trace of one second has tens of megabytes and
 * shrinks to a tenth; the tools that open it unpack it themselves. A trace that is missing or breaks
 * off gives a reason instead, and is not kept.
 */
export async function takeTrace(
  order: TraceOrder,
  signal: AbortSignal,
): Promise<TraceReading | NotSupported> {
  const flaw = await findFlaw(order.written);
  try {
    if (flaw !== null) return noTrace(flaw);
    await pack(order.written, join(order.root, order.file), signal);
    return { probe: 'trace', file: order.file, format: order.format, costMs: 0 };
  } finally {
    await discardTrace(order);
  }
}

/** Removes a packed file that could not be finished, as on a full disk. */
async function pack(from: string, to: string, signal: AbortSignal): Promise<void> {
  const kept = createWriteStream(to, { mode: 0o600 });
  try {
    await pipeline(createReadStream(from), createGzip({ level: 3 }), kept, { signal });
  } catch (error) {
    await rm(to, { force: true });
    throw error;
  }
}

/** Removes the files of a trial that gave no result. */
export async function discardTrace({ written }: TraceOrder): Promise<void> {
  const { part, why } = besideTrace(written);
  for (const path of [written, part, why]) await rm(path, { force: true });
}

/**
 * A trace of Chromium is there only when it is whole. Firefox writes its file by itself: both are
 * one JSON object, of which a browser that was ended while it wrote leaves a part.
 */
async function findFlaw(path: string): Promise<string | null> {
  const file = await open(path, 'r').catch(() => null);
  if (file === null) return findReason(path);
  try {
    const { size } = await file.stat();
    if (size === 0) return 'the browser wrote an empty trace';
    const tail = Buffer.alloc(Math.min(size, 64));
    await file.read(tail, 0, tail.length, size - tail.length);
    return /[}\]]\s*$/.test(tail.toString('latin1')) ? null : 'the trace breaks off in the middle';
  } finally {
    await file.close();
  }
}

/** The reason may quote a browser: as long as a sentence may be, and escaped where it is shown. */
const longestReason = 400;

async function findReason(path: string): Promise<string> {
  const { part, why } = besideTrace(path);
  const reason = await readFile(why, 'utf8').catch(() => null);
  if (reason !== null) return `the browser wrote no trace: ${reason.slice(0, longestReason)}`;
  return existsSync(part) ? 'the trace breaks off in the middle' : 'the browser wrote no trace';
}
