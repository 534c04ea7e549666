/** Threads that run the farm from source, as the test runner does. */
import { Worker, type Transferable } from 'node:worker_threads';

const hooks = new URL('./typescript-hooks.js', import.meta.url).href;

/** The test runner's own hooks are for its own thread alone. */
const preload = `data:text/javascript,import{register}from'node:module';register(${JSON.stringify(hooks)})`;

/** Begins a thread with a TypeScript program, of which the first argument is the place. */
export function startTypeScript(
  program: URL,
  workerData: object,
  transferList: Transferable[] = [],
): Worker {
  return new Worker(program, { workerData, transferList, execArgv: ['--import', preload] });
}
