import { execa } from 'execa';
import { farmMark, farmVariable } from '../../../core/session/farm-mark.ts';
import {
  answerMs,
  connectMs,
  longestAnswer,
  NodeUnreadable,
  type NodeReply,
  type NodeLine,
} from './frame.ts';

/**
 * Answers questions (see `frame.ts`) for as long as its standard input is open. One connection and
 * one `grep` an answer: a new connection was seen to take 0.3 s, an answer takes some milliseconds.
 * `grep` and not `cat`, because it says which line is of which file. A `.` ends an answer.
 */
const script = `LC_ALL=C; export LC_ALL
while read -r what paths; do
  case $what in
    files) echo "/self:$$"; grep -aHs "" /proc/$$/stat $paths;;
    clock) echo "/clock:$(date +%s%N)";;
    ticks) echo "/ticks:$(getconf CLK_TCK)";;
  esac
  echo .
done`;

/**
 * No question may be asked, keys and known hosts are those of the farm's user, and a connection over
 * which nothing comes any more ends by itself.
 */
const options = [
  ...['-T', '-o', 'BatchMode=yes', '-o', 'ConnectTimeout=10'],
  ...['-o', 'ServerAliveInterval=5', '-o', 'ServerAliveCountMax=2'],
];

interface PendingRequest {
  readonly sentMs: number;
  readonly timer: NodeJS.Timeout;
  readonly resolve: (answer: NodeReply) => void;
  readonly reject: (why: NodeUnreadable) => void;
}

interface SshOptions {
  /** Further arguments before the destination, such as `-F <file>`. */
  readonly arguments?: readonly string[];
}

/** A line through one ssh connection, which is opened at once; the first answer reports a failure. */
export function openSsh(destination: string, more: SshOptions = {}): NodeLine {
  return new SshLine(destination, more.arguments ?? []);
}

class SshLine implements NodeLine {
  readonly #destination: string;
  readonly #child: ReturnType<typeof startSsh>;
  readonly #asked: PendingRequest[] = [];
  #text = '';
  #words = '';
  #why: NodeUnreadable | null = null;
  #hasAnswered = false;

  constructor(destination: string, more: readonly string[]) {
    this.#destination = destination;
    this.#child = startSsh(destination, more);
    this.#child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      this.#hear(piece);
    });
    this.#child.stderr.setEncoding('utf8').on('data', (piece: string) => {
      this.#words = (this.#words + piece).slice(-2000);
    });
    // Writing to a connection that has ended does not fail separately: its end is reported.
    this.#child.stdin.on('error', () => undefined);
    void this.#child.then(({ shortMessage }) => {
      this.#fail(lastLine(this.#words) ?? shortMessage ?? 'the connection ended');
    });
  }

  get ended(): boolean {
    return this.#why !== null;
  }

  ask(question: string): Promise<NodeReply> {
    if (this.#why !== null) return Promise.reject(this.#why);
    return new Promise((resolve, reject) => {
      const patience = this.#hasAnswered ? answerMs : connectMs;
      const timer = setTimeout(() => {
        this.#fail(`no answer within ${String(patience / 1000)} s`);
      }, patience);
      this.#asked.push({ sentMs: performance.now(), timer, resolve, reject });
      this.#child.stdin.write(`${question}\n`);
    });
  }

  async close(): Promise<void> {
    this.#fail('it was closed');
    await this.#child;
  }

  #hear(piece: string): void {
    this.#text += piece;
    if (this.#text.length > longestAnswer) this.#fail('its answer has no end');
    for (let end = endOf(this.#text); end !== null; end = endOf(this.#text)) {
      const text = this.#text.slice(0, end.from);
      this.#text = this.#text.slice(end.to);
      this.#answer(text);
    }
  }

  #answer(text: string): void {
    const asked = this.#asked.shift();
    if (asked === undefined) return;
    this.#hasAnswered = true;
    clearTimeout(asked.timer);
    asked.resolve({ text, sentMs: asked.sentMs, receivedMs: performance.now() });
  }

  /** Answers come in order, so after a missing one none can be matched to its question. */
  #fail(why: string): void {
    if (this.#why !== null) return;
    this.#why = new NodeUnreadable(`ssh ${this.#destination}: ${why}`);
    for (const { timer, reject } of this.#asked.splice(0)) {
      clearTimeout(timer);
      reject(this.#why);
    }
    this.#child.kill();
  }
}

function startSsh(destination: string, more: readonly string[]) {
  return execa('ssh', [...options, ...more, '--', destination, `exec sh -c ${quoted(script)}`], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
    env: { [farmVariable]: farmMark() },
    reject: false,
    buffer: false,
    forceKillAfterDelay: 2000,
  });
}

/** Where an answer ends: a line that is a dot. Every other line begins with the path of a file. */
function endOf(text: string): { readonly from: number; readonly to: number } | null {
  if (text.startsWith('.\n')) return { from: 0, to: 2 };
  const at = text.indexOf('\n.\n');
  return at === -1 ? null : { from: at + 1, to: at + 3 };
}

function lastLine(words: string): string | null {
  return (
    words
      .split(/\r?\n/)
      .map((line) => line.trim())
      .findLast((line) => line !== '') ?? null
  );
}

/** One word for any shell of its user there. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
