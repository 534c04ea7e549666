import { firstLine } from '../shared/step.ts';

/** How long a server may take to say that it is there. */
const patienceMs = 5000;

/** Versions before it speak another protocol, or name their drivers differently. */
const oldestMajor = 2;

/**
 * Asks what is at an address for Appium's status.
 * @returns half a sentence that says why it cannot be used; null when it can.
 */
export async function findRefusal(
  address: string,
  signal: AbortSignal = new AbortController().signal,
): Promise<string | null> {
  const status = await askStatus(address, signal);
  if ('refusal' in status) return status.refusal;
  const version = readVersion(status.text);
  if (version === null) return `what answers at ${address} is no Appium server`;
  if (Number(version.split('.')[0]) >= oldestMajor) return null;
  return `Appium ${version} answers at ${address}, and the farm needs version ${String(oldestMajor)} or later`;
}

type StatusReply = { readonly text: string } | { readonly refusal: string };

async function askStatus(address: string, signal: AbortSignal): Promise<StatusReply> {
  try {
    const answer = await fetch(`${address.replace(/\/+$/, '')}/status`, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]),
      redirect: 'error',
    });
    return { text: await readStart(answer) };
  } catch (error) {
    const silent = error instanceof Error && error.name === 'TimeoutError';
    const why = silent ? `silent for ${String(patienceMs / 1000)} s` : reasonOf(error);
    return { refusal: `no Appium server answers at ${address} (${why})` };
  }
}

/** `fetch failed` says nothing: the reason is its cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = (cause as { readonly code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : firstLine(error);
}

const longestStatus = 64 * 1024;

/** A status has some hundred characters; whatever else answers may never end. */
async function readStart({ body }: Response): Promise<string> {
  if (body === null) return '';
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of body) {
    text += decoder.decode(piece as Uint8Array, { stream: true });
    if (text.length > longestStatus) break;
  }
  return text;
}

/** The version in `{"value":{"build":{"version":"3.1.0"}}}`; null when it is something else. */
function readVersion(text: string): string | null {
  const version = pick(pick(pick(parse(text), 'value'), 'build'), 'version');
  return typeof version === 'string'
    ? (/^\d{1,5}\.\d{1,5}[\w.-]{0,50}$/.exec(version)?.[0] ?? null)
    : null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function pick(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined;
}
