import { spawn } from 'node:child_process';
import { extname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inheritedFrom } from '../model/environment-variables.ts';
import { farmMark } from './farm-mark.ts';

/** A farm as its watchdog knows it. */
export interface WatchedFarm {
  readonly farm: string;
  /** Where its sessions keep their profiles. */
  readonly directory: string;
}

export interface Watchdog {
  /** Call it when nothing is left to be ended. */
  close(): void;
}

/**
 * Starts a process that ends what this farm has left running, should the farm die without doing so
 * itself, as by `kill -9`. It learns of that by a pipe, which the system closes with the farm; until
 * then it sleeps. Where it cannot be started, the next farm ends what was left.
 */
export function startWatchdog(directory: string): Watchdog {
  // Next to this file: `.js` when it was built, `.ts` from source.
  const program = new URL(`./watchdog-program${extname(import.meta.url)}`, import.meta.url);
  const child = spawn(process.execPath, [fileURLToPath(program)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // Not the farm's mark, by which it would end itself.
    env: inheritedFrom(process.env),
    // A signal to the farm's process group, such as a Ctrl-C, must not end this one.
    detached: true,
  });
  child.on('error', () => undefined);
  child.stdin.on('error', () => undefined);
  const watched: WatchedFarm = { farm: farmMark(), directory: resolve(directory) };
  child.stdin.write(JSON.stringify(watched));
  child.unref();
  return { close: () => void child.kill('SIGKILL') };
}
