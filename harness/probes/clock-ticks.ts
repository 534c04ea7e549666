import { execFileSync } from 'node:child_process';

let known: number | null = null;

/**
 * USER_HZ, the unit of times in /proc, in ticks per second; asked once per process, because
 * starting `getconf` takes milliseconds. It is 100 on every common build of Linux, which is also
 * what is taken where `getconf` is not installed or answers nonsense.
 */
export function clockTicksPerSecond(): number {
  known ??= askGetconf();
  return known;
}

function askGetconf(): number {
  try {
    const answer = execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8', timeout: 2_000 });
    const ticks = Number(answer);
    return Number.isInteger(ticks) && ticks > 0 ? ticks : 100;
  } catch (error) {
    if (error instanceof Error) return 100;
    throw error;
  }
}
