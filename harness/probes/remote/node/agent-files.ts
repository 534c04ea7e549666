import { clockTicksPerSecond } from '../../clock-ticks.ts';
import { realFiles, type SystemFiles } from '../../system-files.ts';
import { everyProcess } from './line.ts';

/** What an agent reads for whoever has its token, and nothing else. */
const readable = new RegExp(
  [
    '^/proc/(stat|uptime|loadavg|meminfo|cpuinfo|pressure/cpu)$',
    '^/proc/(\\d{1,10}|\\[0-9\\]\\*)/stat$',
    '^/proc/\\d{1,10}/cmdline$',
    '^/proc/\\d{1,10}/task/\\*/(stat|schedstat)$',
    '^/sys/devices/system/cpu/cpu0/cpufreq/(scaling_governor|scaling_cur_freq)$',
  ].join('|'),
);

type AgentAnswer = { readonly text: string } | { readonly refusal: string };

/** The answer to one question of `line.ts`, from this machine's files. */
export function answerQuestion(question: string, files: SystemFiles = realFiles): AgentAnswer {
  const [what, ...paths] = question.trim().split(' ');
  switch (what) {
    case 'clock':
      return { text: `/clock:${String(nanosecondsSince1970())}\n` };
    case 'ticks':
      return { text: `/ticks:${String(clockTicksPerSecond())}\n` };
    case 'files': {
      const foreign = paths.find((path) => !readable.test(path));
      if (foreign !== undefined) return { refusal: `${foreign.slice(0, 100)} is not read here` };
      const all = [
        `/proc/${String(process.pid)}/stat`,
        ...paths.flatMap((path) => expand(path, files)),
      ];
      return {
        text: [`/self:${String(process.pid)}\n`, ...all.map((path) => named(path, files))].join(''),
      };
    }
    default:
      return { refusal: 'the question is none of: files, clock, ticks' };
  }
}

/** The middle of the millisecond that the clock shows. */
function nanosecondsSince1970(): bigint {
  return BigInt(Date.now()) * 1_000_000n + 500_000n;
}

function expand(path: string, files: SystemFiles): readonly string[] {
  if (path.startsWith(`${everyProcess}/`)) {
    const pids = files.list('/proc').filter((name) => /^\d+$/.test(name));
    return pids.map((pid) => path.replace(everyProcess, `/proc/${pid}`));
  }
  const [folder, rest] = path.split('/*/');
  if (folder === undefined || rest === undefined) return [path];
  return files.list(folder).map((name) => `${folder}/${name}/${rest}`);
}

/** Each line of a file behind the file's path, as `grep -H ""` prints it. */
function named(path: string, files: SystemFiles): string {
  const text = files.read(path);
  if (text === null || text === '') return '';
  const lines = text.endsWith('\n') ? text.slice(0, -1) : text;
  return lines
    .split('\n')
    .map((line) => `${path}:${line}\n`)
    .join('');
}
