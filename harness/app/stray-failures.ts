import type { EventEmitter } from 'node:events';

/**
 * Keeps a run alive when a library lets a promise fail that nobody waits for: Node.js ends the
 * process for it, and so the night. webdriverio 9.32 was seen to do so when its server was killed
 * between two commands (`npm run bench -- faults`). The trial fails by itself when it has to; the
 * failure is told. An exception that nobody catches still ends the farm: it is a bug of ours.
 * @returns what takes the guard away again.
 */
export function tellStrayFailures(
  say: (sentence: string) => void,
  source: Pick<EventEmitter, 'on' | 'off'> = process,
): () => void {
  const onStray = (reason: unknown): void => {
    const words = reason instanceof Error ? `${reason.name}: ${reason.message}` : String(reason);
    const line = words.split('\n')[0] ?? '';
    say(`something failed that nobody was waiting for, and the run goes on: ${line.slice(0, 300)}`);
  };
  source.on('unhandledRejection', onStray);
  return () => {
    source.off('unhandledRejection', onStray);
  };
}
