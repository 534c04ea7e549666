import { FarmError } from '../../../errors.ts';

export interface TimeOfDay {
  readonly hour: number;
  readonly minute: number;
}

/** A night that the system begins by itself. */
export interface Timetable {
  /** Of the unit, the line or the job; two farms of one user need two. */
  readonly name: string;
  readonly at: TimeOfDay;
  /** The farm's command: program and arguments, none of them quoted. */
  readonly command: readonly string[];
  /** Where it is started: databases and inventories are named from there. */
  readonly folder: string;
  /** PATH of whoever installed it: a system's own is short, and browsers may lie elsewhere. */
  readonly path: string;
  /** A file with the notification's secrets, read if it is there. */
  readonly environmentFile: string;
}

/**
 * The clock of the machine: `02:30`.
 * @throws FarmError `bad-argument`.
 */
export function parseTimeOfDay(text: string): TimeOfDay {
  const [, hour = '', minute = ''] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text.trim()) ?? [];
  if (hour !== '') return { hour: Number(hour), minute: Number(minute) };
  throw new FarmError('bad-argument', {
    what: `"${text}" is no time of day.`,
    next: 'Give one from 00:00 to 23:59, such as --at 02:30.',
  });
}

/** @throws FarmError `bad-argument` for what would be no file name, or a text of two lines. */
export function checkTimetable(timetable: Timetable): void {
  const { name, folder, path, environmentFile, command } = timetable;
  if (!/^[a-z0-9][a-z0-9-]{0,62}$/.test(name)) {
    throw new FarmError('bad-argument', {
      what: `"${name}" cannot be the name of a timetable.`,
      next: 'Use lower-case letters, digits and "-".',
    });
  }
  const broken = [folder, path, environmentFile, ...command].find((text) => /[\r\n\0]/.test(text));
  if (broken === undefined) return;
  throw new FarmError('bad-argument', {
    what: `${JSON.stringify(broken)} has a line end, which no timetable can hold.`,
    next: 'Rename that folder, or leave that argument out.',
  });
}

/** Stands in whatever the farm installs: only what has it is replaced or removed. */
export const installedMark = 'Written by crossfarm: farm nightly uninstall removes it';

export function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
