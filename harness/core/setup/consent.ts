import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { z } from 'zod';
import { errorText, FarmError } from '../errors.ts';
import { foreignLinkIn } from '../own-path.ts';
import { stateFolder } from '../project.ts';
import { isExecutable } from './executable.ts';
import { npxCrossfarm } from '../model/typed-command.ts';

/**
 * Consent to the programs that files of a folder name. It holds for a file at its place, with its
 * content and that of the programs of its folder that it names; what those start is not looked at.
 * A database, which changes with each trial, is trusted as the file that was made here.
 * It is kept with the user's own state, where nothing of a folder can grant it.
 */

/** Trusts every file, as a job may whose folder was looked at: set it to 1. */
const trustVariable = 'CROSSFARM_TRUST';

/** A refusal that a person can lift by trusting the file. */
export class ConsentError extends FarmError {
  readonly file: string;

  constructor(file: string, does: readonly string[]) {
    const shown = does.slice(0, 8).map((one) => one.slice(0, 300));
    const rest = does.length > shown.length ? `; ${String(does.length - shown.length)} more` : '';
    super('not-trusted', {
      what: `${file} is not trusted yet: ${shown.join('; ')}${rest}.`,
      next: `If that is what you want: ${npxCrossfarm} trust grant ${JSON.stringify(file)}. In CI: ${npxCrossfarm} --trust-folder <command>, or ${trustVariable}=1.`,
    });
    this.file = file;
  }
}

/** @param does what the file leads to, for who is asked @throws ConsentError unless the file is trusted */
export function requireConsent(file: string, does: readonly string[]): void {
  if (hasConsent(file)) return;
  const link = foreignLinkIn(file);
  if (link === null) throw new ConsentError(realpathSync(file), does);
  throw new FarmError('not-trusted', {
    what: `${file} is not trusted: ${link} is a symbolic link of another user, who could direct it anywhere.`,
    next: 'Remove the link, or name the place itself.',
  });
}

/** True if the file, as it is now, is trusted by this user, or by the environment. */
export function hasConsent(file: string): boolean {
  if (process.env[trustVariable] === '1') return true;
  // Its target may change before it runs: its owner may exchange it.
  if (foreignLinkIn(file) !== null) return false;
  const place = placeOf(realpathSync(file));
  if (!existsSync(place)) return false;
  const { uid } = lstatSync(place);
  // Another user's word does not count.
  return process.getuid === undefined || uid === process.getuid();
}

/** Trusts a file as it is now. @returns its real path @throws FarmError `cannot-write` */
export function giveConsent(file: string): string {
  const path = realpathSync(file);
  const place = placeOf(path);
  const half = `${place}.${randomBytes(4).toString('hex')}`;
  try {
    mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
    const text = JSON.stringify({ file: path, since: new Date().toISOString() });
    writeFileSync(half, text, { mode: 0o600, flag: 'wx' });
    renameSync(half, place);
  } catch (error) {
    throw new FarmError('cannot-write', {
      what: `It cannot be noted that ${path} is trusted: ${errorText(error)}.`,
      next: 'Name a folder that you may write to: XDG_STATE_HOME.',
      cause: error,
    });
  }
  pruneConsents(path, place);
  return path;
}

/** Of former contents of one file, in which a branch may come back; older notes ask again. */
const mostFormer = 10;

/** Removes notes of files that are gone, and of contents that this one file had long ago. */
function pruneConsents(file: string, current: string): void {
  const all = grants();
  const gone = all.filter(({ grant }) => !existsSync(grant.file));
  const former = all
    .filter(({ grant, place }) => grant.file === file && place !== current)
    .sort((one, other) => (one.grant.since < other.grant.since ? 1 : -1))
    .slice(mostFormer);
  for (const { place } of [...gone, ...former]) rmSync(place, { force: true });
}

/** Trusts what the farm itself has just made. Where that cannot be noted, its use is asked for. */
export function trustOwnWork(file: string): void {
  try {
    giveConsent(file);
  } catch (error) {
    if (!(error instanceof FarmError)) throw error;
  }
}

const grantForm = z.object({ file: z.string(), since: z.string() });

export interface Grant extends z.infer<typeof grantForm> {
  /** True if it holds for the file as it is now. */
  readonly isCurrent: boolean;
}

/** This user's trusted files. A note from elsewhere is left out. */
export function listConsents(): readonly Grant[] {
  return grants()
    .map(({ grant, place }) => ({
      ...grant,
      isCurrent: existsSync(grant.file) && placeOf(grant.file) === place,
    }))
    .sort((one, other) => (one.file < other.file ? -1 : 1));
}

/**
 * Withdraws the trust in a file, or in all files of a folder, with any content. @returns those
 * files
 */
export function withdrawConsent(path: string): readonly string[] {
  const real = existsSync(path) ? realpathSync(path) : resolve(path);
  const ended = grants().filter(({ grant }) => isWithin(real, grant.file));
  for (const { place } of ended) rmSync(place, { force: true });
  return [...new Set(ended.map(({ grant }) => grant.file))];
}

function grants(): readonly { place: string; grant: z.infer<typeof grantForm> }[] {
  const folder = consentFolder();
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => {
    const place = join(folder, name);
    const read = grantForm.safeParse(jsonIn(place));
    return read.success ? [{ place, grant: read.data }] : [];
  });
}

function consentFolder(): string {
  return join(stateFolder(), 'trusted');
}

/** Where the consent to this file with this content is noted. */
function placeOf(path: string): string {
  const sum = createHash('sha256').update(path);
  for (const one of [path, ...programsNamedIn(path)]) sum.update(`\0${one}\0${fingerprintOf(one)}`);
  return join(consentFolder(), sum.digest('hex'));
}

/**
 * Programs and modules that a JSON file names, however deep: those of its folder, and those of the
 * current one, in which a path such as `./run.sh` is another program than where it was trusted.
 */
function programsNamedIn(path: string): readonly string[] {
  const texts = textsIn(jsonIn(path));
  const folders = [dirname(path), process.cwd()];
  const named = folders.flatMap((folder) =>
    texts.map((text) => resolve(folder, text)).filter((one) => isWithin(folder, one)),
  );
  return [...new Set(named)].filter((one) => /\.[cm]?[jt]s$/.test(one) || isExecutable(one)).sort();
}

/** The JSON value in a file of moderate size; null without one. */
export function jsonIn(path: string): unknown {
  try {
    if (statSync(path).size > largestText || !statSync(path).isFile()) return null;
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    // A program, as a rule, or a file that is damaged: it names nothing that could be read.
    return null;
  }
}

/** All texts of a JSON value; without recursion, as it may be deep. */
function textsIn(value: unknown): readonly string[] {
  const texts: string[] = [];
  const left: unknown[] = [value];
  while (left.length > 0) {
    const one = left.pop();
    if (typeof one === 'string' && one.length <= 1000 && !one.includes('\0')) texts.push(one);
    if (typeof one !== 'object' || one === null) continue;
    for (const inner of Object.values(one)) left.push(inner);
  }
  return texts;
}

const largestText = 2 ** 20;

/** Its content, or of a large program, which takes long to read, its size and when it was written. */
function fingerprintOf(path: string): string {
  try {
    const real = realpathSync(path);
    const { size, mtimeMs, ino, birthtimeMs } = lstatSync(real);
    // It changes with each trial: what counts is that it is the file that was made here.
    if (isDatabase(real)) return `database ${String(ino)} ${String(birthtimeMs)}`;
    if (size > largestText) return `${real} ${String(size)} ${String(mtimeMs)}`;
    return createHash('sha256').update(readFileSync(real)).digest('hex');
  } catch (error) {
    // The code that writes it asks again.
    return `absent: ${errorText(error)}`;
  }
}

function isDatabase(path: string): boolean {
  const magic = Buffer.from('SQLite format 3\0');
  const file = openSync(path, 'r');
  try {
    const start = Buffer.alloc(magic.length);
    readSync(file, start, 0, start.length, 0);
    return start.equals(magic);
  } finally {
    closeSync(file);
  }
}

/** True if a path is a folder or lies in it. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
