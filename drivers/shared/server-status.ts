import getStream, { MaxBufferError } from 'get-stream';
import { firstLine } from './step.ts';

/** How long a server may take to answer. */
const patienceMs = 5000;

/** A hub of a hundred slots was seen to send 60 kB; the answer of another server may never end. */
const longestStatus = 4 * 1024 * 1024;

export interface StatusOptions<T> {
  /** The server that should answer, for messages. */
  readonly kind: 'Appium' | 'WebDriver';
  readonly signal?: AbortSignal | undefined;
  readonly read: (text: string) => T;
}

/**
 * Reads what a server says of itself at `/status`.
 * @throws the signal's reason when aborted, or an Error whose message says why it gave no status,
 * half a sentence.
 */
export async function readServerStatus<T>(
  address: string,
  { kind, signal, read }: StatusOptions<T>,
): Promise<T> {
  const timeout = AbortSignal.timeout(patienceMs);
  try {
    const { body } = await fetch(`${address.replace(/\/+$/, '')}/status`, {
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      redirect: 'error',
    });
    return read(body === null ? '' : await getStream(body, { maxBuffer: longestStatus }));
  } catch (error) {
    signal?.throwIfAborted();
    throw new Error(`no ${kind} server answers at ${address} (${reasonOf(error)})`, {
      cause: error,
    });
  }
}

/** `fetch failed` says nothing: the reason is its cause. */
function reasonOf(error: unknown): string {
  if (error instanceof MaxBufferError) return 'its status has no end';
  if (error instanceof Error && error.name === 'TimeoutError') {
    return `silent for ${String(patienceMs / 1000)} s`;
  }
  const code = pick(error instanceof Error ? error.cause : undefined, 'code');
  return typeof code === 'string' ? code : firstLine(error);
}

/** A member of what another program sent; undefined when it is not an object. */
export function pick(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined;
}
