import getPort from 'get-port';
import { isLiving, startProgram, type ChildProgram } from './child-program.ts';
import type { Ending } from './step.ts';

/** A server between driver and browser, which the driver starts for one session and ends with it. */
export interface ServerProgram {
  readonly path: string;
  readonly arguments: (port: number) => readonly string[];
  /** Its complete environment, which it hands on to the browser. */
  readonly environment: Readonly<Record<string, string>>;
  /** A line of its output that means: the page died. */
  readonly crashLine?: RegExp;
}

export interface ServerSetting {
  readonly ending: Ending;
  readonly abandoned: AbortSignal;
}

export interface RunningServer {
  readonly program: ChildProgram;
  readonly port: number;
}

/** How long a server that was asked to end may take, before it is ended by force. */
export const patienceMs = 1000;

/**
 * Starts the server on a port of 127.0.0.1 that was free a moment ago. Another program may have
 * taken it since: then the server ends at once, and another port is tried. (Not all servers tell
 * the port that they chose for `--port=0`: WebKitWebDriver 2.50 does not.)
 */
export async function startServer(
  server: ServerProgram,
  { ending, abandoned }: ServerSetting,
): Promise<RunningServer> {
  for (let tries = 1; ; tries += 1) {
    const port = await getPort({ host: '127.0.0.1' });
    abandoned.throwIfAborted();
    const program = await startProgram(server.path, server.arguments(port), {
      environment: server.environment,
      onOutput: (text) => {
        if (server.crashLine?.test(text)) ending.tell('the page crashed');
      },
    });
    const end = (): void => void program.end(patienceMs);
    abandoned.addEventListener('abort', end, { once: true });
    // It may have been abandoned while the program was being started.
    if (abandoned.aborted) end();
    const failure = await waitUntilReady(program, port);
    if (failure === null) {
      void program.ended.then(ending.tell);
      return { program, port };
    }
    abandoned.removeEventListener('abort', end);
    if (tries === 3) throw new Error(failure);
  }
}

/** Null when the server answers; its last words when it ended instead. */
async function waitUntilReady(program: ChildProgram, port: number): Promise<string | null> {
  let ended: string | null = null;
  void program.ended.then((why) => {
    ended = why;
  });
  // Another program on the same port may answer: then our server cannot live.
  while (!(await answersStatus(port)) || !isLiving(program.pid)) {
    if (ended !== null) return ended;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return null;
}

async function answersStatus(port: number): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${String(port)}/status`, {
      signal: AbortSignal.timeout(2000),
    });
    return answer.ok;
  } catch {
    return false;
  }
}

/** Ends a server whose session did not come about. @returns the error, with the server's last words. */
export async function endInVain(program: ChildProgram, error: unknown): Promise<unknown> {
  const words = program.lastWords();
  await program.end(patienceMs);
  if (words === '' || !(error instanceof Error)) return error;
  return new Error(`${error.message} (the server's last words: ${words})`, { cause: error });
}
