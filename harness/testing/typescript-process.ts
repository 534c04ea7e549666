/** Processes that run the farm from source, as the test runner does. */
import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { answering } from '../features/explorer/analysis-process.ts';

const hooks = new URL('./typescript-hooks.js', import.meta.url).href;

/** The test runner's own hooks work only in its process. */
const preload = `data:text/javascript,import{register}from'node:module';register('${hooks}')`;

/** `NODE_OPTIONS` of a process whose own processes run TypeScript. */
export const typeScriptOptions = `--import "${preload}"`;

/** Starts a TypeScript program that answers questions. */
export function startTypeScript(program: URL, args: readonly string[]): ChildProcess {
  return fork(fileURLToPath(program), args, { ...answering, execArgv: ['--import', preload] });
}
