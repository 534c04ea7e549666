import type { History, Progress } from '../../core/model/history.ts';

/**
 * Reads the progress of runs. The time left is the farm's own estimate from its last trial, less the time
 * since then.
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
