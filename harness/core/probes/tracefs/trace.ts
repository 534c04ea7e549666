/**
 * The file `trace` of tracefs: one line per event, oldest first over all cores. Kernel:
 * Documentation/trace/ftrace.rst ("Output format") and events.rst; the fields of an event are those
 * of its file `format`. With `trace_clock` at `mono` the time is CLOCK_MONOTONIC, cut to
 * microseconds: the clock of `process.hrtime`.
 */

/** One thread left a core, and another took its place. Thread 0 is the idle one. */
export interface SwitchEvent {
  readonly kind: 'switch';
  readonly atUs: number;
  readonly core: number;
  readonly fromTid: number;
  readonly fromName: string;
  readonly toTid: number;
  readonly toName: string;
}

/** A thread made another one, in its own process or in a new one. */
export interface BirthEvent {
  readonly kind: 'birth';
  readonly atUs: number;
  readonly parentTid: number;
  readonly tid: number;
  readonly sameProcess: boolean;
}

/**
 * A thread was on a core for this long since the last event of this kind, or since it got there.
 */
export interface RunEvent {
  readonly kind: 'run';
  readonly atUs: number;
  /** The core that did the accounting, which may be another than the thread's. */
  readonly core: number;
  readonly tid: number;
  readonly name: string;
  readonly ranUs: number;
}

export type SchedulerEvent = SwitchEvent | BirthEvent | RunEvent;

/** `          name-123     [001] d..2.  5317.123456: sched_switch: …`; names may hold spaces. */
const linePattern =
  /^ *.{1,16}-(\d+) +(?:\( *[-\d]+\) +)?\[(\d+)\] +\S+ +(\d+)\.(\d{6}): (\w+): (.*)$/s;

/** Names have 15 bytes at most, so no name can look like the fields that follow it. */
const switchPattern =
  /^prev_comm=(.{0,15}) prev_pid=(\d+) prev_prio=-?\d+ prev_state=\S+ ==> next_comm=(.{0,15}) next_pid=(\d+) next_prio=-?\d+$/s;

const birthPattern = /^pid=(\d+) comm=.{0,15} clone_flags=([0-9a-f]+) /s;

/** Kernels before 6.8 or so, such as the 6.1 of Debian 12, write the virtual run time after it. */
const runPattern = /^comm=(.{0,15}) pid=(\d+) runtime=(\d+) \[ns\](?: vruntime=\d+ \[ns\])?$/s;

/** CLONE_THREAD of <linux/sched.h>: the child is a thread of its parent's process. */
const cloneThread = 0x10000;

/** Null for a line that is not of the kernel's form: a name may even hold a line break. */
export function parseTraceLine(line: string): SchedulerEvent | null {
  const match = linePattern.exec(line);
  if (match === null) return null;
  const [, tid, core, seconds, micros, event, fields = ''] = match;
  const atUs = Number(seconds) * 1e6 + Number(micros);
  switch (event) {
    case 'sched_switch':
      return parseSwitch(fields, atUs, Number(core));
    case 'sched_stat_runtime':
      return parseRun(fields, atUs, Number(core));
    case 'task_newtask':
      return parseBirth(fields, atUs, Number(tid));
    default:
      return null;
  }
}

function parseSwitch(fields: string, atUs: number, core: number): SwitchEvent | null {
  const match = switchPattern.exec(fields);
  if (match === null) return null;
  const [, fromName = '', fromTid, toName = '', toTid] = match;
  const tids = { fromTid: Number(fromTid), toTid: Number(toTid) };
  return { kind: 'switch', atUs, core, fromName, toName, ...tids };
}

function parseRun(fields: string, atUs: number, core: number): RunEvent | null {
  const match = runPattern.exec(fields);
  if (match === null) return null;
  const [, name = '', tid, nanoseconds] = match;
  return { kind: 'run', atUs, core, tid: Number(tid), name, ranUs: Number(nanoseconds) / 1000 };
}

function parseBirth(fields: string, atUs: number, parentTid: number): BirthEvent | null {
  const match = birthPattern.exec(fields);
  if (match === null) return null;
  const flags = Number.parseInt(match[2] ?? '', 16);
  const sameProcess = Math.floor(flags / cloneThread) % 2 === 1;
  return { kind: 'birth', atUs, parentTid, tid: Number(match[1]), sameProcess };
}

/** True if a line holds an event at all; the others are the file's heading. */
export function isEventLine(line: string): boolean {
  return line !== '' && !line.startsWith('#');
}
