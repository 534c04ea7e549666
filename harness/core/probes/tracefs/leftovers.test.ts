import { basename, dirname } from 'node:path';
import { expect, test } from '@playwright/test';
import { sweepTracefs, type TracefsHost } from './leftovers.ts';

const dead = (number: number): string => `crossfarm-402-77-1234-${String(number)}`;
const system = '/sys/kernel/tracing';
const instance = (number: number): string => `${system}/instances/${dead(number)}`;

interface Machine extends TracefsHost {
  readonly mounts: Set<string>;
  readonly folders: Set<string>;
}

/** A machine where the process 77 no longer lives; what is removed from it is gone. */
function aMachine(parts: { mounts: string[]; folders: string[] }): Machine {
  const mounts = new Set(parts.mounts);
  const folders = new Set(parts.folders);
  return {
    mounts,
    folders,
    platform: 'linux',
    userId: 0,
    temporary: '/tmp',
    namespace: () => '402',
    files: {
      list: (folder) =>
        [...folders].filter((path) => dirname(path) === folder).map((path) => basename(path)),
      read: (path) =>
        path === '/proc/self/mounts'
          ? [...mounts].map((point) => `nodev ${point} tracefs rw 0 0\n`).join('')
          : null,
    },
    unmount: (path) => mounts.delete(path),
    removeFolder: (path) => folders.delete(path),
  };
}

function refusal(code: string): Error {
  return Object.assign(new Error(`${code}: refused`), { code });
}

test('instances, mounts and empty folders of dead farms go, and nothing else does', () => {
  const machine = aMachine({
    mounts: [system, `/tmp/${dead(3)}`, '/tmp/tracefs'],
    folders: [instance(1), `${system}/instances/mine`, `/tmp/${dead(4)}`, '/tmp/other'],
  });
  expect(sweepTracefs(machine)).toEqual({ removed: 2, left: [] });
  expect([...machine.mounts]).toEqual([system, '/tmp/tracefs']);
  expect([...machine.folders]).toEqual([`${system}/instances/mine`, '/tmp/other']);
});

test('knows a mount by its name in any temporary folder', () => {
  const machine = aMachine({ mounts: [`/private/somewhere/${dead(1)}`], folders: [] });
  expect(sweepTracefs(machine)).toEqual({ removed: 1, left: [] });
  expect(machine.mounts.size).toBe(0);
});

test('a mount in use stays and is reported; all others are removed', () => {
  const machine = aMachine({
    mounts: [system, `/tmp/${dead(3)}`],
    folders: [instance(1), instance(2)],
  });
  const busy: TracefsHost = {
    ...machine,
    removeFolder: (path) => {
      if (path === instance(1)) throw refusal('EBUSY');
      machine.removeFolder(path);
    },
  };
  expect(sweepTracefs(busy)).toEqual({
    removed: 2,
    left: [`${instance(1)}: Error: EBUSY: refused`],
  });
  expect([...machine.folders]).toEqual([instance(1)]);
});

test('accepts that another farm removes a leftover first', () => {
  const machine = aMachine({ mounts: [system, `/tmp/${dead(3)}`], folders: [instance(1)] });
  const raced: TracefsHost = {
    ...machine,
    removeFolder: (path) => {
      machine.removeFolder(path);
      throw refusal('ENOENT');
    },
    unmount: (path) => {
      machine.unmount(path);
      throw refusal('ENOENT');
    },
  };
  expect(sweepTracefs(raced)).toEqual({ removed: 2, left: [] });
});

test('removes nothing without root, off Linux, or in an unknown namespace of pids', () => {
  const machine = aMachine({ mounts: [system], folders: [instance(1)] });
  expect(sweepTracefs({ ...machine, userId: 1000 })).toEqual({ removed: 0, left: [] });
  expect(sweepTracefs({ ...machine, platform: 'darwin' })).toEqual({ removed: 0, left: [] });
  const blind: TracefsHost = {
    ...machine,
    namespace: () => {
      throw new Error('no /proc');
    },
  };
  expect(sweepTracefs(blind)).toEqual({ removed: 0, left: ['tracefs: Error: no /proc'] });
  expect([...machine.folders]).toEqual([instance(1)]);
});
