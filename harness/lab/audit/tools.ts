import { join } from 'node:path';
import { execa, ExecaError } from 'execa';
import { errorText, FarmError } from '../../core/errors.ts';
import { farmVersion, projectRoot } from '../../core/project.ts';
import { endingAllItStarts } from '../../core/session/marked-command.ts';
import { findOnPath } from '../../core/setup/executable.ts';
import { measure } from './pages.ts';
import { findTachometer } from './tachometer.ts';
import { type Answer, whyFailed, type Tool } from './tool.ts';
import { findVitest, vitestInstall } from './vitest.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';

/** By what a command's output shows its answer; undecided where none of them matches. */
export interface Patterns {
  readonly slower?: RegExp;
  readonly faster?: RegExp;
  readonly same?: RegExp;
}

/** Of the patience with a command: it is to end by itself, and to say what it knows by then. */
const ownShare = 0.8;

interface CommandDefinition {
  readonly words: readonly string[];
  readonly patterns: Patterns;
  /** The farm's own folder with the pages; where its user stands when left out. */
  readonly within?: 'pages';
}

/**
 * A tool that is a command. In its words `{old}` and `{new}` stand for the paths of the two files,
 * and `{seconds}` for the time that it may take.
 */
export function commandTool(name: string, { words, patterns, within }: CommandDefinition): Tool {
  return {
    name,
    conditions: Object.entries(patterns).map(String).join(' '),
    ask: async (question) => {
      const [program = '', ...args] = words.map((word) =>
        word
          .replaceAll('{old}', join(question.folder, question.old))
          .replaceAll('{new}', join(question.folder, question.new))
          .replaceAll('{seconds}', String(Math.floor(ownShare * (question.patienceMs / 1000)))),
      );
      const ended = await endingAllItStarts(question.signal, (env) =>
        execa(program, args, {
          cwd: within === 'pages' ? question.folder : process.cwd(),
          env,
          stdin: 'ignore',
          timeout: question.patienceMs,
          reject: false,
          cancelSignal: question.signal,
        }),
      );
      question.signal.throwIfAborted();
      if (ended.code === 'ENOENT') throw noProgram(program);
      const answer = answerIn(ended, patterns);
      if (answer === 'failed') question.say(`${name} failed: ${whyFailed(ended)}`);
      return answer;
    },
  };
}

function noProgram(program: string): FarmError {
  return new FarmError('bad-argument', {
    what: `The program ${program} was not found.`,
    next: 'Give the command after --, such as: npm run audit -- -- node my-compare.js {old} {new}',
  });
}

interface EndedCommand {
  readonly stdout: string;
  readonly timedOut: boolean;
  readonly exitCode?: number | undefined;
}

function answerIn({ stdout, timedOut, exitCode }: EndedCommand, patterns: Patterns): Answer {
  for (const answer of ['slower', 'faster', 'same'] as const) {
    if (patterns[answer]?.test(stdout) === true) return answer;
  }
  // Many a tool ends with 1 for a difference: a code alone is not a failure where it gave an
  // answer.
  return !timedOut && exitCode !== 0 && stdout.trim() === '' ? 'failed' : 'undecided';
}

/** Tools whose definitions come along. */
export const knownTools = ['crossfarm', 'tachometer', 'vitest'] as const;

export type KnownTool = (typeof knownTools)[number];

/** @throws FarmError `bad-argument` for one that is not installed */
export async function knownTool(name: KnownTool): Promise<Tool> {
  if (name === 'crossfarm') return crossfarm();
  const executable = findOnPath(['chromium', 'chromium-browser', 'google-chrome']);
  if (executable === null)
    throw notInstalled(name, 'there is no Chromium', `${npxCrossfarm} devices setup`);
  return name === 'tachometer' ? tachometer(executable) : vitest(executable);
}

function notInstalled(name: KnownTool, because: string, install: string): FarmError {
  return new FarmError('bad-argument', {
    what: `${name} cannot be asked: ${because}.`,
    next: `Install it in a separate folder, and name that with ${name.toUpperCase()}_FOLDER: ${install}`,
  });
}

/** The farm as its user has it: one command, with its defaults. Its database goes with the pages. */
function crossfarm(): Tool {
  const program = [process.execPath, join(projectRoot(), 'dist/harness/main.js')];
  const words = ['compare', '{old}', '{new}', '--browsers', 'chromium', '--json', '--budget'];
  const verdict = (word: string): RegExp => new RegExp(`"verdict": "${word}"`);
  const patterns = {
    slower: verdict('slower'),
    faster: verdict('faster'),
    same: verdict('equivalent'),
  };
  const definition = { words: [...program, ...words, '{seconds}'], patterns };
  return commandTool(`crossfarm ${farmVersion()}`, { ...definition, within: 'pages' });
}

/** tachometer with its defaults. It never says that two pages are the same. */
async function tachometer(executable: string): Promise<Tool> {
  const found = await findTachometer();
  if ('because' in found) {
    throw notInstalled('tachometer', found.because, 'npm install tachometer@0.7.2');
  }
  return {
    name: `tachometer ${found.version}`,
    ask: async ({ folder, old, new: changed, patienceMs, signal, say }) => {
      const pages = { folder, a: changed, b: old, measure };
      const question = { ...pages, horizon: '0%', executable, signal, deadlineMs: patienceMs };
      try {
        const { low, isSure } = await found.ask(question);
        if (!isSure) return 'undecided';
        return low > 0 ? 'slower' : 'faster';
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof ExecaError && error.timedOut) return 'undecided';
        say(
          `tachometer failed: ${error instanceof ExecaError ? whyFailed(error) : errorText(error)}`,
        );
        return 'failed';
      }
    },
  };
}

async function vitest(executable: string): Promise<Tool> {
  const found = await findVitest(executable);
  if ('because' in found) throw notInstalled('vitest', found.because, vitestInstall);
  return found;
}
