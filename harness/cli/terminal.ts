import { exitCodes } from '../errors.ts';
import type { Io } from './io.ts';

/**
 * What to do when the reader of a stream has gone, as `head` goes when it has seen enough. That is
 * no error; any other one is.
 */
export function whenUnread(stream: NodeJS.WriteStream, act: () => void): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    act();
  });
}

/**
 * The process's own streams, and a signal that the first Ctrl-C (or SIGTERM) aborts: the run then
 * keeps what is done and ends its browser. A second one ends the farm at once; what it leaves
 * running is ended by the next run.
 */
export function openIo(): Io {
  const controller = new AbortController();
  const onSignal = (signal: NodeJS.Signals): void => {
    if (controller.signal.aborted) process.exit(exitCodes.unfinished);
    process.stderr.write(`\n${signal}: ending what is in hand; once more to stop at once\n`);
    controller.abort(new Error(`interrupted by ${signal}`));
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  whenUnread(process.stdout, () => {
    controller.abort(new Error('nobody reads the answer'));
  });
  return { stdout: process.stdout, stderr: process.stderr, signal: controller.signal };
}
