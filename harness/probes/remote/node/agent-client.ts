import { errorText } from '../../../errors.ts';
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
    headers: { authorization: `Bearer ${token}`, 'content-type': 'text/plain' },
    body: question,
    redirect: 'error',
    signal,
  });
  const text = await answer.text();
  if (answer.status === 401) {
    throw new NodeUnreadable(`the agent at ${address} refuses the token in ${tokenVariable}`);
  }
  if (!answer.ok || text.length > longestAnswer) {
    const said = text.slice(0, 200);
    throw new NodeUnreadable(`the agent at ${address} answers ${String(answer.status)}: ${said}`);
  }
  return text;
}

/** `fetch failed` says nothing: the reason is its cause. */
function failureReason(error: unknown): string {
  const cause =
    error instanceof Error ? (error.cause as { code?: unknown } | undefined) : undefined;
  if (typeof cause?.code === 'string') return cause.code;
  return errorText(error);
}
