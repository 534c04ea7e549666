import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { requireOwnLinks } from '../../../core/own-path.ts';
import { errorText } from '../../../core/errors.ts';
import type { DeclaredReading, NotSupported } from '../../../core/model/reading.ts';
import { besideTrace } from '../../../../drivers/driver.ts';
import type { TrialResult } from '../../../core/model/trial.ts';
import { profileProbe, type RawTrace } from '../../../core/probes/trace.ts';
import {
  type ChromiumTrace,
  type ProfileReading,
  readChromiumTrace,
  type ReadingFacts,
} from './from-chromium.ts';
import { type GeckoProfile, readFirefoxProfile } from './from-firefox.ts';
import type { Profile } from './profile.ts';
import { locateFunctions } from './locate-functions.ts';
import { makeTextReader } from './sources/page-text.ts';

/** A larger file than the longest text that JavaScript has cannot be read. */
const mostRawBytes = 400 * 2 ** 20;

/** Of a packed profile, for each second of its window; a short one may take as much as one second. */
const mostBytesPerSecond = 10 ** 6;

/** Fewer than a profile may have: cutting stacks adds one. */
const mostNotes = 19;

/** Titles of the values in a declared reading of a profile, by name. */
export const profileValues = {
  file: 'Profile',
  intervalMs: 'Time between two samples',
  seconds: 'Profiled time',
  samples: 'Samples',
  thinnedBy: 'Samples for each that was kept',
} as const;

/**
 * Makes the compact profile of a trial from what its browser wrote, and keeps it packed next to the
 * database. A trace that is missing, breaks off, or holds no window gives a reason instead.
 */
export async function makeProfile(trace: RawTrace): Promise<DeclaredReading | NotSupported> {
  const start = process.cpuUsage();
  const read = await readRaw(trace);
  if ('missing' in read) return { probe: profileProbe, notSupported: read.missing };
  const notes = await locateFunctions(read.builder, makeTextReader(trace));
  const { builder, facts } = read;
  const { profile, packed } = await fit({
    builder,
    facts: { ...facts, notes: [...facts.notes, ...notes].slice(0, mostNotes) },
  });
  const file = `${trace.kept}.json.gz`;
  await keep(join(trace.root, file), packed);
  const used = process.cpuUsage(start);
  return {
    probe: profileProbe,
    values: {
      file: { title: profileValues.file, unit: null, value: file },
      intervalMs: { title: profileValues.intervalMs, unit: 'ms', value: profile.intervalMs },
      seconds: { title: profileValues.seconds, unit: 's', value: lengthOf(profile) },
      samples: { title: profileValues.samples, unit: null, value: countSamples(profile) },
      thinnedBy: { title: profileValues.thinnedBy, unit: null, value: profile.thinnedBy },
    },
    costMs: (used.user + used.system) / 1000,
  };
}

async function readRaw(trace: RawTrace): Promise<ProfileReading> {
  const { written } = trace;
  const found = await stat(written).catch(() => null);
  if (found === null) return { missing: await findReason(written) };
  if (found.size > mostRawBytes) return { missing: 'what the browser wrote is too large to read' };
  const raw = parseOrNull(await readFile(written, 'utf8'));
  if (raw === null) return { missing: 'what the browser wrote breaks off in the middle' };
  try {
    return readTrace(raw, trace);
  } catch (error) {
    return { missing: `what the browser wrote has another form: ${errorText(error)}` };
  }
}

function readTrace(raw: object, { format, browser, result }: RawTrace): ProfileReading {
  const operations = countOperations(result);
  const facts: Pick<ReadingFacts, 'operations'> = { operations };
  if (format === 'firefox-profile') {
    return readFirefoxProfile(raw as GeckoProfile, {
      ...facts,
      engine: 'firefox',
      intervalMs: 0.25,
    });
  }
  const { traceEvents } = raw as Partial<ChromiumTrace>;
  if (!Array.isArray(traceEvents)) return { missing: 'what the browser wrote is no trace' };
  const engine = browser === 'node' ? 'node' : 'chromium';
  return readChromiumTrace({ traceEvents }, { ...facts, engine, intervalMs: 0.1 });
}

async function findReason(written: string): Promise<string> {
  const why = await readFile(besideTrace(written).why, 'utf8').catch(() => null);
  return why === null
    ? 'the browser wrote no profile'
    : `the browser wrote no profile: ${why.slice(0, 400)}`;
}

function parseOrNull(text: string): object | null {
  try {
    return Object(JSON.parse(text)) as object;
  } catch {
    return null;
  }
}

/** Counts how often the page did its work in the window: the iterations of its first metric times its repeats. */
export function countOperations({
  samples,
  repeats,
}: Pick<TrialResult, 'samples' | 'repeats'>): number {
  return Math.max(1, (samples[0]?.timed.length ?? 1) * repeats);
}

const pack = promisify(gzip);

interface Fitted {
  readonly profile: Profile;
  readonly packed: Buffer;
}

/** Thins a profile until it is small enough. */
async function fit({
  builder,
  facts,
}: Exclude<ProfileReading, { missing: string }>): Promise<Fitted> {
  for (let factor = 1; ; factor *= 2) {
    const profile = builder.finish(facts, factor);
    const packed = await pack(JSON.stringify(profile), { level: 6 });
    const most = mostBytesPerSecond * Math.max(1, lengthOf(profile));
    if (packed.length <= most || countSamples(profile) < 100) return { profile, packed };
  }
}

/** In seconds. */
function lengthOf({ startMs, endMs }: Profile): number {
  return Math.round(endMs - startMs) / 1000;
}

function countSamples({ threads }: Profile): number {
  return threads.reduce((sum, { stacks }) => sum + stacks.length, 0);
}

async function keep(path: string, packed: Buffer): Promise<void> {
  requireOwnLinks(dirname(path));
  await mkdir(dirname(path), { recursive: true });
  try {
    await writeFile(path, packed, { mode: 0o600 });
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}
