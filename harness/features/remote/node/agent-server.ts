import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { closeInTime, createServer, listen } from '../../../core/http-server.ts';
import { parseCmdline } from '../../../core/procfs.ts';
import { type SystemFiles, clockTicksPerSecond, realFiles } from '../../../core/system-files.ts';
import { tellingWords } from '../../../core/probes/processes.ts';
import { everyProcess } from './frame.ts';
import { FarmError } from '../../../core/errors.ts';
import { tokenVariable } from './agent-client.ts';

/** The server of `farm devices agent`: gives a few small files of this machine to clients with the token. */
export interface Agent {
  /** For example `http://127.0.0.1:8720`. */
  readonly address: string;
  close(): Promise<void>;
}

interface AgentOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly token: string;
}

/** A question names some hundred files at most. */
const longestQuestion = 256 * 1024;

/** @throws FarmError `port-in-use`, or `bad-argument` for an invalid port. */
export async function startAgent({ host, port, token }: AgentOptions): Promise<Agent> {
  const app = await createServer({ bodyLimit: longestQuestion });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('text/plain', { parseAs: 'string' }, (_request, text, parsed) => {
    parsed(null, text);
  });
  // Before the body is read: a stranger makes the agent read nothing.
  app.addHook('onRequest', async (request, reply) => {
    if (isSame(request.headers.authorization ?? '', `Bearer ${token}`)) return;
    await reply.code(401).header('connection', 'close').send('This agent takes a token.');
  });
  app.post('/ask', (request, reply) => {
    const answer = answerQuestion(typeof request.body === 'string' ? request.body : '');
    return 'refusal' in answer ? reply.code(400).send(answer.refusal) : reply.send(answer.text);
  });
  await listen(app, { host, port });
  const address = `http://${host}:${String((app.server.address() as AddressInfo).port)}`;
  return { address, close: () => closeInTime(app) };
}

/** Takes as long for a token that is almost right as for one that is not. */
function isSame(seen: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(seen), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** All files that an agent reads. */
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

/** The answer to one question of `frame.ts`, from this machine's files. */
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
  const text = textOf(path, files);
  if (text === null || text === '') return '';
  const lines = text.endsWith('\n') ? text.slice(0, -1) : text;
  return lines
    .split('\n')
    .map((line) => `${path}:${line}\n`)
    .join('');
}

/** Of a command line only what tells the kind of the process: its arguments may be secrets. */
function textOf(path: string, files: SystemFiles): string | null {
  const text = files.read(path);
  return text === null || !path.endsWith('/cmdline')
    ? text
    : tellingWords(parseCmdline(text)).join('\0');
}

export interface OwnAgentOptions {
  /** 0 is any free one. */
  readonly port: number;
}

interface OpenAgent extends Agent {
  /** Required of every client. */
  readonly token: string;
  /** True if it was made for this agent, because the environment gave none. */
  readonly isNewToken: boolean;
}

/**
 * Gives farms of other machines, which come through ssh, the CPU times of this one, until it is closed.
 * @throws FarmError `bad-argument` on a system that is not Linux and for a weak token, `port-in-use`.
 */
export async function openOwnAgent(options: OwnAgentOptions): Promise<OpenAgent> {
  if (process.platform !== 'linux') {
    throw new FarmError('bad-argument', {
      what: `An agent reads Linux's /proc, and this is ${process.platform}.`,
      next: 'Leave "agent" out: trials on this machine are timed without the CPU.',
    });
  }
  const given = process.env[tokenVariable] ?? '';
  if (given !== '') refuseWeak(given);
  const token = given === '' ? randomBytes(16).toString('base64url') : given;
  // The loopback alone: token and answers are not encrypted, so between machines ssh carries them.
  const agent = await startAgent({ host: '127.0.0.1', port: options.port, token });
  return { ...agent, token, isNewToken: given === '' };
}

/**
 * Its randomness cannot be seen; that it is too short for 128 bits can: 22 characters of base64url,
 * or 32 hexadecimal digits.
 */
function refuseWeak(token: string): void {
  const isLong = /^[\da-f]+$/i.test(token) ? token.length >= 32 : /^[!-~]{22,}$/.test(token);
  if (isLong && new Set(token).size >= 8) return;
  throw new FarmError('bad-argument', {
    what: `The token in ${tokenVariable} has less than 128 random bits: it could be guessed.`,
    next: `Leave ${tokenVariable} out and take the token that the agent makes, or: openssl rand -hex 16.`,
  });
}
