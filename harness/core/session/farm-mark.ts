import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { identify, isAlive, type ProcessIdentity } from './process-table.ts';

/** Environment variable that everything carries which this farm process starts. */
export const farmVariable = 'CROSSFARM_FARM';

/** Known for the whole life of the process; on Windows it takes a second to find out. */
let own: ProcessIdentity | null = null;

/** Names this farm process for ever: `<pid>:<start>:<place>`. */
export function farmMark(): string {
  own ??= identify(process.pid) ?? { pid: process.pid, start: 'unknown' };
  const { pid, start } = own;
  return [String(pid), start, placeOfPids()].join(':');
}

/**
 * True if the farm of this mark has ended. A mark from another machine or container is never of a
 * dead farm: its pids mean nothing here, though its processes or its disk may be seen from here.
 */
export function isOfDeadFarm(mark: string): boolean {
  const [, pid, start, place] = /^(\d+):(.*):([^:]*)$/s.exec(mark) ?? [];
  if (pid === undefined || start === undefined || place !== placeOfPids()) return false;
  return !isAlive({ pid: Number(pid), start });
}

export interface FarmPlace {
  readonly pid: string;
  readonly host: string;
  /** True if its pid means anything here; if not, this machine cannot tell if it lives. */
  readonly here: boolean;
}

/** Reads the facts of a mark for a person. */
export function readFarmMark(mark: string): FarmPlace {
  const [, pid = '?', place = '?'] = /^(\d+):.*:([^:]*)$/s.exec(mark) ?? [];
  return { pid, host: place.replace(/\/.*$/, ''), here: place === placeOfPids() };
}

/** Where a pid has its meaning: a machine and, under Linux, a namespace of pids. */
function placeOfPids(): string {
  return `${hostname()}/${pidNamespace()}`.replaceAll(':', '-');
}

function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return 'no-namespace';
  }
}
