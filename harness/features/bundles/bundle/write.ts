import type { z } from 'zod';
import { FarmError } from '../../../core/errors.ts';
import { describeIssue } from '../../../core/json-file.ts';
import { withoutSecrets } from './redaction.ts';
import { type Manifest, manifestDeclaration, trialsDeclaration } from './declaration.ts';
import {
  bundleLimits,
  type BundleLimits,
  evidenceName,
  manifestName,
  pagesPrefix,
  readMeName,
  trialsName,
} from './format.ts';
import {
  armsToPack,
  type Packing,
  packManifest,
  packTrial,
  placeIn,
  type UnlistedManifest,
} from './pack.ts';
import { collectPages, sha256 } from './pages.ts';
import { writeWholeFile } from '../../../core/own-path.ts';
import { npxCrossfarm } from '../../../core/model/typed-command.ts';

export interface BundleParts extends Packing {
  /** The evidence report, as one HTML file. */
  readonly evidenceHtml: string;
  /** The folder of benchmark pages that the run was served from. */
  readonly pagesFolder: string;
  /** For tests; a bundle that we write can always be read again. */
  readonly limits?: BundleLimits;
}

/**
 * Writes one ZIP file from which the run can be judged again and repeated anywhere. The same parts
 * give the same bytes: order, dates and compression are fixed. The file is there whole or not at all.
 * Values that may be secrets stay behind, except in `evidenceHtml`, which is taken as it is.
 * @returns the size of the file, in bytes.
 * @throws FarmError `cannot-write`, also for what would be too large to read again; `bad-benchmark`.
 */
export async function writeBundle(path: string, parts: BundleParts): Promise<number> {
  const archive = await packArchive(path, { ...parts, record: withoutSecrets(parts.record) });
  await writeWhole(path, archive);
  return archive.length;
}

async function packArchive(path: string, parts: BundleParts): Promise<Uint8Array> {
  const { limits = bundleLimits } = parts;
  const files = await listFiles(parts);
  const sizes = files.map(({ bytes }) => bytes.length);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (Math.max(...sizes) > limits.entryBytes || total > limits.totalBytes) {
    throw tooLarge(path, total, limits.totalBytes);
  }
  const { zipSync } = await import('fflate');
  // The year 1980 in any time zone: the first that the format can say.
  const options = { level: 9, mtime: new Date(1980, 0, 1) } as const;
  const archive = zipSync(Object.fromEntries(files.map((one) => [one.path, one.bytes])), options);
  if (archive.length > limits.archiveBytes) {
    throw tooLarge(path, archive.length, limits.archiveBytes);
  }
  return archive;
}

interface ArchiveFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** The manifest comes first, the others in the order in which it lists them. */
async function listFiles(parts: BundleParts): Promise<readonly ArchiveFile[]> {
  const lanes = armsToPack(parts);
  const place = placeIn(lanes);
  const manifest = packManifest(parts, lanes);
  const trials = { trials: parts.record.trials.map((trial) => packTrial(trial, place)) };
  const benchmarks = [...new Set(lanes.map((lane) => lane.case.benchmark.id))].sort();
  const pages = await collectPages(parts.pagesFolder, benchmarks);
  const files: readonly ArchiveFile[] = [
    { path: readMeName, bytes: encode(composeReadMe(manifest)) },
    { path: evidenceName, bytes: encode(parts.evidenceHtml) },
    { path: trialsName, bytes: encode(`${JSON.stringify(trials)}\n`) },
    ...pages.map((page) => ({ path: `${pagesPrefix}${page.path}`, bytes: page.bytes })),
  ];
  const listed = files.map((one) => ({
    path: one.path,
    bytes: one.bytes.length,
    sha256: sha256(one.bytes),
  }));
  const whole: Manifest = { ...manifest, files: listed };
  requireReadable(trialsName, trials, trialsDeclaration);
  requireReadable(manifestName, whole, manifestDeclaration);
  const head = encode(`${JSON.stringify(whole, null, 2)}\n`);
  return [{ path: manifestName, bytes: head }, ...files];
}

/** Checks what is written by the form in which it is read: a bundle must open. */
function requireReadable(name: string, document: unknown, schema: z.ZodType): void {
  const checked = schema.safeParse(document);
  if (checked.success) return;
  const issues = checked.error.issues.slice(0, 3);
  const list = issues.map(describeIssue).join('; ');
  throw new FarmError('cannot-write', {
    what: `No bundle can be made of this run: its ${name} would not be valid: ${list}.`,
    next: 'A bundle holds 500 blocks, 40 lanes and 60 assertions at most: ask for fewer.',
  });
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function tooLarge(path: string, bytes: number, most: number): FarmError {
  return new FarmError('cannot-write', {
    what: `The bundle ${path} would have ${String(bytes)} bytes, and the limit is ${String(most)}: no farm could read it.`,
    next: 'Measure fewer blocks, or send the database instead.',
  });
}

async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  try {
    await writeWholeFile(path, bytes);
  } catch (error) {
    throw new FarmError('cannot-write', {
      what: `The bundle cannot be written to ${path}: ${(error as Error).message}.`,
      next: 'Name another file with --bundle.',
      cause: error,
    });
  }
}

/** The README of a bundle, for a person who has only the file. */
function composeReadMe(manifest: UnlistedManifest): string {
  const { question, numbers, machine, devices, seed, farmVersion, startedAt } = manifest;
  const lines = [
    `${question.title}: ${question.sentence}`,
    `Verdict of the run in here: ${numbers.verdict}, after ${String(numbers.blocks)} blocks.`,
    '',
    `Measured ${startedAt} with crossfarm ${farmVersion}, seed ${String(seed)},`,
    `on ${machine.system}, ${machine.cpuModel}, ${String(machine.logicalCores)} logical cores:`,
    ...devices.map(
      (one) => `  ${one.id}: ${one.browserName} ${one.browserVersion}, driver ${one.driver}`,
    ),
    '',
    'To see it: open evidence.html. It needs no network.',
    '',
    'To repeat it on your machine, with crossfarm and the same browsers:',
    '',
    `  ${npxCrossfarm} claims reproduce <this file>.zip`,
    '',
    'The answer is reproduced, not reproduced, inconclusive, or not comparable with the reason.',
    'Your own copies of the pages are used, if they are the same to the byte. If not, or if this',
    'file asks for launch flags that crossfarm does not know, nothing is started: with --trust the',
    'pages and flags in here are used, which is to run programs of whoever sent you this file.',
    '',
    'What is in here:',
    '  bundle.json    the question, the devices, the machine, the numbers, a SHA-256 of every file',
    '  trials.json    every trial with its samples and readings, in the order of the run;',
    '                 exact schedules and traces are left out, because of their size',
    '  evidence.html  the report of that run',
    '  pages/         the benchmark pages that were measured',
    '',
  ];
  return lines.join('\n');
}
