import { sum } from 'simple-statistics';
import {
  describeCoarseThreads,
  spreadFrom,
  type ThreadReading,
  type ThreadRole,
  type ThreadTotal,
} from '../model/reading.ts';
import { findReading, isUnsupported } from './cpu.ts';
import type { CompletedTrial } from './series.ts';

const javascriptRoles: ReadonlySet<ThreadRole> = new Set(['js-main', 'js-worker']);

/**
 * Returns the CPU time of one operation in milliseconds: the time that the measuring thread was on
 * a core between the marks, less the reference work between iterations, but no more than the
 * iterations lasted, over the number of operations in the window. Otherwise returns why it is not
 * known. It excludes what other threads did for the operation, such as collectors. If other
 * JavaScript threads did part of the work, it would be meaningless.
 *
 * The reading goes from mark to mark, which is longer than the iterations: in 120 trials of
 * `control`, with windows of 300 ms, by 3 to 10 ms in Chromium 156 and WebKitGTK and by 8 to 20 ms
 * in Firefox. In that time the thread announces the marks, which took up to 3 ms of CPU, and waits
 * for the answers. The busy share of the reading times the duration would count that waiting as
 * waiting of the work (3 % too low in Firefox); all of the CPU time would count the announcing (0.5
 * % too high in Chromium). A thread is never on a core for longer than the wall time, so CPU time
 * beyond the iterations was the announcing. If others kept the work off its core for longer than
 * that, the announcing stays in: at most about 1 % of a window of 300 ms, on both sides of a
 * comparison.
 */
export function readCpuTime({ outcome }: CompletedTrial): number | UnknownThread {
  const found = measuringThread(outcome);
  if ('why' in found) return found;
  const { thread, reading } = found;
  if (isSpread(thread, reading)) return { why: 'the work is spread over several threads' };
  const { samples, repeats } = outcome.result;
  const timed = samples[0]?.timed ?? [];
  const operations = timed.length * repeats;
  if (operations === 0) return { why: 'its window holds no iteration' };
  const cpuMs = thread.cpuMs - referenceCpuMs(outcome.result);
  return Math.min(cpuMs, sum(timed) * repeats) / operations;
}

/**
 * CPU time of the reference work in a window: its rounds at the speed that the machine had for
 * them. Its wall time has the work of others in it. In 14 trials of `control` with some ten busy
 * programs on two cores it was up to 7 times as long, and taking it off gave 0.72 to 1.03 ms for an
 * operation that takes 0.96 to 1.15 ms this way.
 */
function referenceCpuMs({ steadyState }: CompletedTrial['outcome']['result']): number {
  const { windowMs = 0, rounds, roundNs, calmNs = roundNs } = steadyState?.reference ?? {};
  if (rounds === undefined || calmNs === undefined) return windowMs;
  return Math.min(windowMs, (rounds * calmNs) / 1e6);
}

interface UnknownThread {
  readonly why: string;
}

interface FoundThread {
  readonly thread: ThreadTotal;
  readonly reading: ThreadReading;
}

/**
 * Finds the JavaScript thread that used the most CPU between the marks. If the work mostly waits, a
 * busier page of the browser itself may be mistaken for it.
 */
function measuringThread({ readings }: CompletedTrial['outcome']): FoundThread | UnknownThread {
  const reading = findReading(readings, 'cpu-thread');
  if (reading === null) return { why: 'the probe was off' };
  if (isUnsupported(reading)) return { why: reading.notSupported };
  const environment = findReading(readings, 'environment');
  const coarse = environment === null ? null : describeCoarseThreads(environment);
  if (coarse !== null) return { why: coarse };
  const [thread] = reading.threads
    .filter(({ tid, role, cpuMs }) => tid !== 0 && javascriptRoles.has(role) && cpuMs > 0)
    .toSorted((one, other) => other.cpuMs - one.cpuMs);
  return thread === undefined
    ? { why: 'no JavaScript thread was identified' }
    : { thread, reading };
}

/**
 * Threads that compilers share with a collector and others, by the evidence of `probes/roles.ts`:
 * pools of Chromium, Node.js, Deno and Firefox. WebKit's and Bun's compilers have separate threads,
 * with the role `jit`.
 */
const compilerPools = /^(ThreadPoolForeg|V8Worker|V8 DefaultWorke|TaskCon|JS Helper|node( |$))/;

/**
 * Returns the share of a reading that compilers of the measuring process used, and whether it is
 * only an upper bound, because others share their threads. Null if no thread is known to measure.
 */
export function readCompilerShare({ outcome }: CompletedTrial): CompilerShare | null {
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
 * Returns whether other threads of its process ran JavaScript as well. A thread that ended before
 * it was read has no name, and may have been one of them. Other processes are other pages: Firefox
 * prepares some while a trial runs.
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
