import type { History, Progress } from '../../core/model/history.ts';

/**
 * The progress of runs. What is left is what the farm that carries it out said with its last trial, less
 * the time that went by since then.
 */
export function progressOf(
  history: Pick<History, 'progress'>,
  now: () => number = Date.now,
): (run: number) => Promise<Progress | null> {
  return async (run) => {
    const progress = await history.progress(run);
    if (progress === null) return null;
    const { at, leftMs } = progress.stage ?? { leftMs: null };
    if (at === undefined || leftMs === null) return { ...progress, leftMs: null };
    return { ...progress, leftMs: Math.max(0, leftMs - (now() - Date.parse(at))) };
  };
}
