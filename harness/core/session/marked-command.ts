import { randomBytes } from 'node:crypto';
import { farmMark, farmVariable } from './farm-mark.ts';
import { ProcessTree } from './process-tree.ts';

/** Environment variable that everything carries which a command of the user has started. */
const commandVariable = 'CROSSFARM_COMMAND';

type StartedCommand<T> = Promise<T> & { readonly pid?: number | undefined };

/**
 * Runs a command of the user, and ends all of its processes: when it is done, and when `signal`
 * aborts.
 * @param start starts the command with these variables, and waits for its end
 */
export async function endingAllItStarts<T>(
  signal: AbortSignal,
  start: (environment: Readonly<Record<string, string>>) => StartedCommand<T>,
): Promise<T> {
  signal.throwIfAborted();
  const mark = randomBytes(8).toString('hex');
  const tree = new ProcessTree({ roots: [], mark: `${commandVariable}=${mark}`, profile: null });
  const stop = (): void => void tree.end();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const started = start({ [commandVariable]: mark, [farmVariable]: farmMark() });
    // Where environments cannot be read, its descendants are known by it alone.
    if (started.pid !== undefined) tree.addRoots([started.pid]);
    return await started;
  } finally {
    signal.removeEventListener('abort', stop);
    await tree.end();
  }
}
