import { errorText } from '../errors.ts';
import { execa } from 'execa';
import { DriverError } from '../../../drivers/driver.ts';
import { describeRemedy } from '../system-packages.ts';
import { farmMark, farmVariable } from './farm-mark.ts';

/** An X display that browsers can show themselves on. */
export interface Display {
  /** For DISPLAY, such as `:99`. */
  readonly name: string;
  /** True while it is still there; one that the farm did not make is taken to be. */
  lives(): boolean;
  close(): Promise<void>;
}

export interface DisplayOptions {
  /** The display that is there already, if any. */
  readonly existing?: string | undefined;
  /** Program that makes a virtual one. */
  readonly program?: string;
  readonly timeoutMs?: number;
}

/**
 * The display of this desktop or, without one, a virtual one by Xvfb.
 * @throws DriverError `launch-failed` with what to install.
 */
export async function openDisplay({
  existing = process.env['DISPLAY'],
  program = 'Xvfb',
  timeoutMs = 10_000,
}: DisplayOptions = {}): Promise<Display> {
  if (existing !== undefined && existing !== '') {
    return { name: existing, lives: () => true, close: () => Promise.resolve() };
  }
  const server = startServer(program);
  try {
    return {
      name: `:${await readNumber(server, timeoutMs)}`,
      lives: () => server.exitCode === null && server.signalCode === null,
      close: () => endServer(server),
    };
  } catch (error) {
    await endServer(server);
    throw new DriverError('launch-failed', describeFailure(program, error), error);
  }
}

/** One display for all who want one, opened when the first does. */
export interface SharedDisplay {
  name(): Promise<string>;
  close(): Promise<void>;
}

/** A display that died is opened again: else its end would end every later session. */
export function shareDisplay(open: () => Promise<Display> = openDisplay): SharedDisplay {
  let opening: Promise<Display> | null = null;
  return {
    name: async () => {
      const display = await (opening ??= open());
      if (display.lives()) return display.name;
      opening = open();
      return (await opening).name;
    },
    // A display that could not be opened failed its trials already; there is nothing to close.
    close: async () => (await opening?.catch(() => null))?.close(),
  };
}

type DisplayServer = ReturnType<typeof startServer>;

function startServer(program: string) {
  // Xvfb itself picks a number that is free and writes it to the fourth descriptor when it is ready.
  const screen = ['-screen', '0', '1280x1024x24'];
  return execa(program, ['-displayfd', '3', '-nolisten', 'tcp', ...screen], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    env: { [farmVariable]: farmMark() },
    reject: false,
    buffer: false,
    // A Ctrl-C in the farm's terminal must not take the display from a browser that is closing.
    detached: true,
  });
}

async function readNumber(server: DisplayServer, timeoutMs: number): Promise<string> {
  const timer = AbortSignal.timeout(timeoutMs);
  const written = new Promise<string>((resolve, reject) => {
    server.stdio[3].once('data', (text: Buffer) => {
      resolve(text.toString('utf8').trim());
    });
    timer.addEventListener('abort', () => {
      reject(new Error(`it named no display within ${String(timeoutMs / 1000)} s`));
    });
  });
  const ended = server.then((result) => {
    throw new Error(result.shortMessage ?? 'it ended at once');
  });
  ended.catch(() => undefined);
  return Promise.race([written, ended]);
}

async function endServer(server: DisplayServer): Promise<void> {
  server.kill('SIGTERM');
  const timer = setTimeout(() => server.kill('SIGKILL'), 2000);
  await server;
  clearTimeout(timer);
}

function describeFailure(program: string, error: unknown): string {
  const code = (error as { cause?: { code?: string } }).cause?.code;
  const message = errorText(error);
  return code === 'ENOENT' || message.includes('ENOENT')
    ? `There is no display and no ${program} to make one: ${describeRemedy('Xvfb')}`
    : `${program} made no display: ${message}`;
}
