/** A text of the page's own server. */
export interface PageText {
  readonly text: string;
  /** Address of its source map in the answer's header; null without one. */
  readonly map: string | null;
}

/** The reason why there is no text, as half a sentence. */
export interface NoText {
  readonly missing: string;
}

/** Reads an address. A longer text than allowed is not read to its end. */
export type ReadPageText = (url: string, mostBytes: number) => Promise<PageText | NoText>;

interface Bounds {
  /** True for addresses at the page's own server on this machine: nothing else is asked. */
  readonly servesPage: (url: string) => boolean;
  readonly signal: AbortSignal;
}

/** Of all answers together. A server that was throttled for the page is as slow here. */
const patienceMs = 10_000;

/**
 * Makes a reader of the page's own scripts and source maps. It follows no redirect. Its time for all
 * answers begins at once.
 */
export function makeTextReader(
  { servesPage, signal }: Bounds,
  longestMs: number = patienceMs,
): ReadPageText {
  const patience = AbortSignal.timeout(longestMs);
  return async (url, mostBytes) => {
    if (!servesPage(url)) return { missing: 'it is not on the page’s own server' };
    try {
      const answer = await fetch(url, {
        redirect: 'error',
        signal: AbortSignal.any([signal, patience]),
      });
      const text = answer.ok ? await readBounded(answer, mostBytes) : null;
      if (!answer.ok) {
        await answer.body?.cancel();
        return { missing: `the server answers ${String(answer.status)}` };
      }
      if (text === null) return { missing: 'it is too large' };
      const map = answer.headers.get('sourcemap') ?? answer.headers.get('x-sourcemap');
      return { text, map };
    } catch {
      signal.throwIfAborted();
      return { missing: 'the server does not answer' };
    }
  };
}

/** Null where there are more bytes. */
async function readBounded({ body }: Response, mostBytes: number): Promise<string | null> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body ?? []) {
    bytes += part.length;
    if (bytes > mostBytes) return null;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
