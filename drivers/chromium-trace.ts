import { open, type FileHandle } from 'node:fs/promises';

/**
 * Chromium's own trace by the DevTools protocol (https://chromedevtools.github.io/devtools-protocol,
 * domain Tracing), the same for every library that lends a session of that protocol with the browser
 * itself. The file is the JSON that ui.perfetto.dev and chrome://tracing open.
 */

/** A session of the DevTools protocol with the browser, as a library lends it. */
export interface BrowserProtocol {
  send(method: string, parameters?: object): Promise<unknown>;
  once(event: string, listener: (parameters: unknown) => void): void;
}

/**
 * What runs where: tasks of all threads, JavaScript with its stacks, the collector and its helper
 * threads, and what pages mark by `performance.measure`.
 */
const categories = [
  ...['__metadata', 'toplevel', 'v8', 'v8.execute', 'blink.user_timing', 'devtools.timeline'],
  ...['disabled-by-default-v8.gc', 'disabled-by-default-v8.cpu_profiler'],
];

/**
 * The page's timed window is at the end of a trial, so the newest events are the ones to keep. Three
 * seconds of a page that keeps the collector busy make 13 MB of JSON (Chromium 156); 64 MiB of the
 * browser's memory, and not its own 200 MB, bound what closing has to write.
 */
const traceConfig = {
  recordMode: 'recordContinuously',
  traceBufferSizeInKb: 64 * 1024,
  includedCategories: categories,
};

/**
 * Begins a trace. What it gives ends the trace and writes it to the file. A browser that refuses is
 * used without: whoever wants the file sees that there is none.
 */
export async function startTrace(
  borrow: () => Promise<BrowserProtocol>,
  path: string | undefined,
): Promise<() => Promise<void>> {
  if (path === undefined) return () => Promise.resolve();
  try {
    const protocol = await borrow();
    await protocol.send('Tracing.start', { transferMode: 'ReturnAsStream', traceConfig });
    return () => writeTrace(protocol, path);
  } catch {
    return () => Promise.resolve();
  }
}

async function writeTrace(protocol: BrowserProtocol, path: string): Promise<void> {
  const complete = new Promise<unknown>((resolve) => {
    protocol.once('Tracing.tracingComplete', resolve);
  });
  await protocol.send('Tracing.end');
  const { stream } = (await complete) as { readonly stream?: string };
  if (stream === undefined) throw new Error('Chromium ended its trace and gave none');
  const file = await open(path, 'w', 0o600);
  try {
    await drain(protocol, stream, file);
  } finally {
    await file.close();
  }
}

interface Piece {
  readonly data: string;
  readonly eof: boolean;
  readonly base64Encoded?: boolean;
}

const pieceBytes = 2 ** 20;

async function drain(protocol: BrowserProtocol, handle: string, file: FileHandle): Promise<void> {
  for (;;) {
    const piece = (await protocol.send('IO.read', { handle, size: pieceBytes })) as Piece;
    await file.write(Buffer.from(piece.data, piece.base64Encoded === true ? 'base64' : 'utf8'));
    if (piece.eof) break;
  }
  await protocol.send('IO.close', { handle });
}
