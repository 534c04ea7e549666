import { sum } from 'simple-statistics';
import type { ThreadReading, ThreadRole, ThreadTotal } from '../model/reading.ts';
import { findReading, isUnsupported } from './cpu.ts';
import type { CompletedTrial } from './series.ts';
import { windowMsOf } from './timing.ts';

const javascriptRoles: ReadonlySet<ThreadRole> = new Set(['js-main', 'js-worker']);

/** From this share of its own time on, other JavaScript threads have done part of the work. */
const spreadFrom = 0.1;

/**
 * CPU time of one operation, in milliseconds: what the measuring thread was on a core between the
 * marks, but no longer than the iterations lasted, over the number of operations in the window. Or
 * why it is not known. What other threads did for it, such as collectors, is not in it; where other
 * JavaScript threads did part of the work, it would be a part that means nothing.
 *
 * The reading goes from mark to mark, and is longer than the iterations: in 120 trials of `control`,
 * whose windows are 300 ms, by 3 to 10 ms in Chromium 156 and WebKitGTK and by 8 to 20 ms in
 * Firefox. In that time the thread announces the marks, which took it up to 3 ms of CPU, and waits for
 * the answers. So the busy share of the reading times the duration would count that waiting as if
 * the work had waited (3 % too low in Firefox), and all of the CPU time would count the announcing
 * (0.5 % too high in Chromium). As no thread is on a core for longer than time passes, what exceeds
 * the iterations was the announcing. Where the work was kept off its core by others for longer than
 * that, the announcing stays in: about 1 % at most of a window of 300 ms, and on both sides of a
 * comparison.
 */
export function cpuTimeOf({ outcome }: CompletedTrial): number | Unknown {
  const found = measuringThread(outcome);
  if ('why' in found) return found;
  const { thread, reading } = found;
  if (isSpread(thread, reading)) return { why: 'the work is spread over several threads' };
  const { samples, repeats } = outcome.result;
  const operations = (samples[0]?.timed.length ?? 0) * repeats;
  if (operations === 0) return { why: 'its window holds no iteration' };
  return Math.min(thread.cpuMs, windowMsOf(outcome.result)) / operations;
}

interface Unknown {
  readonly why: string;
}

interface Found {
  readonly thread: ThreadTotal;
  readonly reading: ThreadReading;
}

/**
 * The JavaScript thread that used the most CPU between the marks. Work that mostly waits may be
 * mistaken for a page of the browser's own that is busier.
 */
function measuringThread({ readings }: CompletedTrial['outcome']): Found | Unknown {
  const reading = findReading(readings, 'cpu-thread');
  if (reading === null) return { why: 'the probe was off' };
  if (isUnsupported(reading)) return { why: reading.notSupported };
  const environment = findReading(readings, 'environment');
  if (environment !== null && 'phone' in environment) {
    return { why: 'a phone counts the time of its threads in steps of 10 ms' };
  }
  const [thread] = reading.threads
    .filter(({ tid, role, cpuMs }) => tid !== 0 && javascriptRoles.has(role) && cpuMs > 0)
    .toSorted((one, other) => other.cpuMs - one.cpuMs);
  return thread === undefined
    ? { why: 'no thread of JavaScript was told from the others' }
    : { thread, reading };
}

/**
 * Threads on which compilers work beside a collector and others, by the evidence of
 * `probes/roles.ts`: pools of Chromium, Node.js, Deno and Firefox. WebKit's and Bun's compilers have
 * threads of their own, which have the role `jit`.
 */
const compilerPools = /^(ThreadPoolForeg|V8Worker|V8 DefaultWorke|TaskCon|JS Helper|node( |$))/;

/**
 * The part of a reading that compilers of the measuring thread's process used, and whether that is
 * only a bound, because others share their threads. Null where no thread is known to measure.
 */
export function compilerShareOf({ outcome }: CompletedTrial): CompilerShare | null {
  const found = measuringThread(outcome);
  if ('why' in found) return null;
  const { thread, reading } = found;
  const own = reading.threads.filter(({ pid, tid }) => pid === thread.pid && tid !== thread.tid);
  const pools = own.filter(({ name }) => compilerPools.test(name));
  const compilers = own.filter(({ role }) => role === 'jit');
  const usedMs = sum([...pools, ...compilers].map(({ cpuMs }) => cpuMs));
  return { share: usedMs / reading.wallMs, atMost: pools.length > 0 };
}

interface CompilerShare {
  readonly share: number;
  readonly atMost: boolean;
}

/**
 * Whether other threads of its process ran JavaScript, too. One that ended before it was looked at
 * has no name, and may have been one of them. Other processes are other pages: Firefox makes some
 * ready while a trial runs.
 */
function isSpread(measuring: ThreadTotal, { threads }: ThreadReading): boolean {
  const others = threads.filter(
    (one) =>
      one !== measuring &&
      one.pid === measuring.pid &&
      (javascriptRoles.has(one.role) || (one.tid === 0 && one.role === 'other')),
  );
  return sum(others.map(({ cpuMs }) => cpuMs)) > spreadFrom * measuring.cpuMs;
}
