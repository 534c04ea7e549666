import { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { joinListeners } from '../app/follow.ts';
import type { ExitCode } from '../errors.ts';
import type { CallCommand, Io } from './io.ts';

/** @param run runs a command line in other surroundings than the process's own */
export function makeCallCommand(io: Io, run: RunElsewhere): CallCommand {
  return async (words, { signal, watcher, onLine = () => undefined } = {}) => {
    const stdout = new Lines(() => undefined);
    const stderr = new Lines(onLine);
    const exitCode = await run(words.includes('--json') ? words : [...words, '--json'], {
      ...io,
      stdout: stdout as unknown as NodeJS.WriteStream,
      stderr: stderr as unknown as NodeJS.WriteStream,
      signal: signal === undefined ? io.signal : AbortSignal.any([io.signal, signal]),
      watcher: joinListeners(io.watcher ?? {}, watcher ?? {}),
    });
    stderr.end();
    const text = stdout.text.trimEnd();
    const document = parseOrNull(text) ?? parseOrNull(text.slice(text.lastIndexOf('\n') + 1));
    return { exitCode, document, text: stderr.text.trimEnd() };
  };
}

type RunElsewhere = (words: readonly string[], io: Io) => Promise<ExitCode>;

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

/** A stream other than a terminal: it keeps its text, and gives its lines once they are whole. */
class Lines extends Writable {
  text = '';
  #begun = '';
  readonly #onLine: (line: string) => void;

  constructor(onLine: (line: string) => void) {
    super({ decodeStrings: false });
    this.#onLine = onLine;
  }

  override _write(chunk: string | Buffer, _encoding: string, done: () => void): void {
    const text = stripVTControlCharacters(String(chunk));
    this.text += text;
    const lines = (this.#begun + text).split('\n');
    this.#begun = lines.pop() ?? '';
    for (const line of lines) this.#onLine(line);
    done();
  }

  override _final(done: () => void): void {
    if (this.#begun !== '') this.#onLine(this.#begun);
    done();
  }
}
