import getStream, { MaxBufferError } from 'get-stream';
import { errorText } from '../../../core/errors.ts';
import { answerMs, connectMs, longestAnswer, NodeUnreadable, type NodeLine } from './frame.ts';

/** Where the secret of the farm agents is: a secret in `devices.json` would be stored with each run. */
export const tokenVariable = 'CROSSFARM_AGENT_TOKEN';

/** A line to a farm agent. Nothing is sent before the first question. */
export function openAgent(
  address: string,
  token: string = process.env[tokenVariable] ?? '',
): NodeLine {
  const stop = new AbortController();
  let hasAnswered = false;
  let ended = false;
  return {
    get ended() {
      return ended;
    },
    async ask(question) {
      const sentMs = performance.now();
      const timeout = AbortSignal.timeout(hasAnswered ? answerMs : connectMs);
      try {
        const signal = AbortSignal.any([stop.signal, timeout]);
        const text = await post(address, { question, token, signal });
        hasAnswered = true;
        return { text, sentMs, receivedMs: performance.now() };
      } catch (error) {
        ended = true;
        if (error instanceof NodeUnreadable) throw error;
        throw new NodeUnreadable(
          `the agent at ${address} does not answer (${failureReason(error)})`,
          error,
        );
      }
    },
    close() {
      ended = true;
      stop.abort(new Error('it was closed'));
      return Promise.resolve();
    },
  };
}

interface Question {
  readonly question: string;
  readonly token: string;
  readonly signal: AbortSignal;
}

async function post(address: string, { question, token, signal }: Question): Promise<string> {
  const answer = await fetch(new URL('/ask', address), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'text/plain',
      'accept-encoding': 'identity',
    },
    body: question,
    redirect: 'error',
    signal,
  });
  if (answer.status === 401) {
    await answer.body?.cancel();
    throw new NodeUnreadable(`the agent at ${address} refuses the token in ${tokenVariable}`);
  }
  const text = await readBounded(answer, address);
  if (!answer.ok) {
    const said = text.slice(0, 200);
    throw new NodeUnreadable(`the agent at ${address} answers ${String(answer.status)}: ${said}`);
  }
  return text;
}

/**
 * The server may be no agent: a few bytes could unpack to gigabytes, and an answer may never end.
 */
async function readBounded({ body, headers }: Response, address: string): Promise<string> {
  const encoding = headers.get('content-encoding') ?? 'identity';
  if (body === null) return '';
  if (encoding !== 'identity') {
    await body.cancel();
    const said = encoding.slice(0, 40);
    throw new NodeUnreadable(`the agent at ${address} packs its answer (${said}), as none does`);
  }
  try {
    return await getStream(body, { maxBuffer: longestAnswer });
  } catch (error) {
    if (!(error instanceof MaxBufferError)) throw error;
    throw new NodeUnreadable(
      `the agent at ${address} answers more than ${String(longestAnswer)} characters`,
      error,
    );
  }
}

/** `fetch failed` says nothing: the reason is its cause. */
function failureReason(error: unknown): string {
  const cause =
    error instanceof Error ? (error.cause as { code?: unknown } | undefined) : undefined;
  if (typeof cause?.code === 'string') return cause.code;
  return errorText(error);
}
