import { execaSync } from 'execa';
import type { ProcessEntry } from './process-table.ts';

/**
 * The process table where there is no /proc, by POSIX `ps`. It shows no environments, so a helper
 * that was re-parented is found only when its command line names the profile.
 */
export function readPs(): readonly ProcessEntry[] {
  const { stdout } = execaSync('ps', ['-A', '-ww', '-o', 'pid=,ppid=,state=,lstart=,args='], {
    env: { LC_ALL: 'C' },
    timeout: 5000,
    reject: false,
  });
  return parsePs(stdout);
}

/** `  18238 18214 S    Sat Nov 21 09:39:26 2026 /usr/bin/chromium --headless` */
const line = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(\w+\s+\w+\s+\d+\s+[\d:]+\s+\d+)\s+(.*)$/;

export function parsePs(text: string): readonly ProcessEntry[] {
  return text.split('\n').flatMap((one) => {
    const [, pid, parent, state, start, command] = line.exec(one) ?? [];
    if (pid === undefined || state === undefined || start === undefined) return [];
    return [
      {
        pid: Number(pid),
        parent: Number(parent),
        start: start.replace(/\s+/g, ' '),
        dead: state.startsWith('Z'),
        command: command ?? '',
        environment: [],
      },
    ];
  });
}
