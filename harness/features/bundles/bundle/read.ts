import type { z } from 'zod';
import { FarmError } from '../../../core/errors.ts';
import { describeIssue } from '../../../core/json-file.ts';
import { findExcess } from '../../../core/json-shape.ts';
import { openRegularFile, readBounded, whyUnread } from '../../../core/regular-file.ts';
import { unpackArchive } from './archive.ts';
import {
  formatDeclaration,
  type Manifest,
  manifestDeclaration,
  trialsDeclaration,
} from './declaration.ts';
import {
  bundleFormat,
  bundleLimits,
  Refusal,
  evidenceName,
  manifestName,
  pagesPrefix,
  readMeName,
  trialsName,
  type Bundle,
  type BundleLimits,
} from './format.ts';
import { isPageOf, sha256 } from './pages.ts';
import {
  restoreArms,
  restoreQuestion,
  restoreTarget,
  restoreTrials,
  type Parse,
} from './restore.ts';

/**
 * Reads an untrusted bundle into memory and nowhere else. Anything that is not as
 * `writeBundle` would have written it is refused with a sentence.
 * @throws FarmError `bad-bundle`
 */
export async function readBundle(
  path: string,
  limits: BundleLimits = bundleLimits,
): Promise<Bundle> {
  try {
    const entries = unpackArchive(await readArchive(path, limits), limits);
    return restoreBundle(entries);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw badBundle(path, error);
  }
}

/** The refusal of a whole bundle: which file, and why. */
export function badBundle(path: string, { message }: Refusal): FarmError {
  return new FarmError('bad-bundle', {
    what: `The bundle ${path} is refused: ${message}.`,
    next: 'It was not used. Check the path, or ask the sender for it again.',
  });
}

async function readArchive(path: string, limits: BundleLimits): Promise<Buffer> {
  try {
    const file = await openRegularFile(path);
    try {
      return await readBounded(file, limits.archiveBytes);
    } finally {
      await file.close();
    }
  } catch (error) {
    throw new Refusal(whyUnread(error));
  }
}

type Entries = ReadonlyMap<string, Uint8Array>;

function restoreBundle(entries: Entries): Bundle {
  const parse: Parse = (path, schema) => parseEntry(entries, path, schema);
  const manifest = readManifest(parse);
  requireFiles(entries, manifest);
  const lanes = restoreArms(manifest, parse);
  const question = restoreQuestion(manifest, lanes);
  const { trials } = parse(trialsName, trialsDeclaration);
  const { farmVersion, seed, isolation, command, startedAt, machine, numbers } = manifest;
  return {
    farmVersion,
    seed,
    isolation,
    command,
    startedAt,
    machine,
    numbers,
    question,
    targets: manifest.devices.map(restoreTarget),
    trials: restoreTrials(trials, lanes),
    pages: [...entries].flatMap(([path, bytes]) =>
      path.startsWith(pagesPrefix)
        ? [{ path: path.slice(pagesPrefix.length), bytes, sha256: sha256(bytes) }]
        : [],
    ),
  };
}

function readManifest(parse: Parse): Manifest {
  const { format } = parse(manifestName, formatDeclaration);
  if (format > bundleFormat) {
    throw new Refusal(
      `it has format ${String(format)}, which a newer farm wrote; this one reads up to ${String(bundleFormat)}`,
    );
  }
  return parse(manifestName, manifestDeclaration);
}

/** Every file is listed with what it holds, and none is there that has no business in a bundle. */
function requireFiles(entries: Entries, { files, lanes }: Manifest): void {
  const benchmarks = lanes.map(({ benchmark }) => benchmark);
  const known = [readMeName, evidenceName, trialsName];
  for (const { path, bytes, sha256: hash } of files) {
    const entry = entries.get(path);
    if (entry === undefined) {
      throw new Refusal(`it lists ${JSON.stringify(path)}, which it does not have`);
    }
    if (entry.length !== bytes || sha256(entry) !== hash) {
      throw new Refusal(`its file ${JSON.stringify(path)} is not the one that it lists`);
    }
  }
  const listed = new Set(files.map(({ path }) => path));
  for (const path of entries.keys()) {
    if (path === manifestName) continue;
    const page = path.startsWith(pagesPrefix) ? path.slice(pagesPrefix.length) : null;
    const belongs = page === null ? known.includes(path) : isPageOf(page, benchmarks);
    if (!belongs || !listed.has(path)) {
      throw new Refusal(
        `its file ${JSON.stringify(path)} is not part of any bundle, or not listed`,
      );
    }
  }
}

function parseEntry<T>(entries: Entries, path: string, schema: z.ZodType<T>): T {
  const bytes = entries.get(path);
  if (bytes === undefined) throw new Refusal(`it has no ${path}`);
  const checked = checkForm(parseJson(bytes, path), path, schema);
  if (checked.success) return checked.data;
  const issues = checked.error.issues.slice(0, 3).map(describeIssue);
  throw new Refusal(`its ${path} is not valid: ${issues.join('; ')}`);
}

function checkForm<T>(value: unknown, path: string, schema: z.ZodType<T>): z.ZodSafeParseResult<T> {
  try {
    return schema.safeParse(value);
  } catch {
    // It has too many errors to list: the schema itself gives up with a RangeError.
    throw new Refusal(`its ${path} is not valid in more places than can be told`);
  }
}

function parseJson(bytes: Uint8Array, path: string): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const excess = findExcess(text);
    if (excess !== null) throw new Refusal(`of its ${path}, ${excess}`);
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    // Node.js quotes the text around the mistake, which is untrusted.
    const how = error instanceof TypeError ? 'UTF-8' : 'JSON';
    throw new Refusal(`its ${path} is not ${how}`);
  }
}
