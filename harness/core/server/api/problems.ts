import { STATUS_CODES } from 'node:http';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { FarmError, nearestName } from '../../errors.ts';

export const problem = z.strictObject({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string().describe('What was seen, as a sentence'),
  next: z.string().optional().describe('What to do'),
});

/** Something that a request got wrong: what was seen, and what to do. */
export class Problem extends Error {
  readonly status: number;
  readonly next: string | undefined;

  constructor(status: number, detail: string, next?: string) {
    super(detail);
    this.name = 'Problem';
    this.status = status;
    this.next = next;
  }
}

/** Answers with `application/problem+json` (RFC 9457). */
export function sendProblem(reply: FastifyReply, { status, message, next }: Problem): FastifyReply {
  return reply
    .code(status)
    .header('cache-control', 'no-store')
    .type('application/problem+json; charset=utf-8')
    .send(
      JSON.stringify({
        type: 'about:blank',
        title: STATUS_CODES[status] ?? 'Error',
        status,
        detail: message,
        ...(next !== undefined && { next }),
      }),
    );
}

/** The first thing that a request's parameters got wrong. */
export function refusal(error: z.ZodError, known: readonly string[]): Problem {
  const [issue] = error.issues;
  if (issue?.code === 'unrecognized_keys') {
    const seen = shown(issue.keys[0]);
    const near = nearestName(seen, known);
    const list = known.length === 0 ? 'There are none here.' : `There are ${known.join(', ')}.`;
    return new Problem(
      400,
      `There is no parameter "${seen}" here.`,
      near === null ? list : `Did you mean "${near}"? ${list}`,
    );
  }
  const name = String(issue?.path[0] ?? '');
  return new Problem(400, `The parameter "${name}" cannot be used: ${why(issue)}.`);
}

/** The text names the accepted values of alternatives. */
function why(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.code !== 'invalid_union') return decapitalised(issue?.message ?? 'it is not valid');
  const reasons = issue.errors.flatMap((one) => one.slice(0, 1).map(({ message }) => message));
  return [...new Set(reasons)].map(decapitalised).join(', or ');
}

function decapitalised(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}

/** Shortens a text that a client sent, and replaces invisible characters. */
function shown(text: string | undefined): string {
  return (text ?? '').replace(/[^\x20-\x7e]/g, '?').slice(0, 60);
}

/**
 * Turns every failure into a problem; an unexpected one is answered without its stack.
 * @param sendPage answers a person who opened an address of nothing; null for who did not
 */
export function addProblems(
  app: FastifyInstance,
  sendPage: (
    request: FastifyRequest,
    reply: FastifyReply,
    missing: Problem,
  ) => Promise<FastifyReply> | null,
): void {
  app.setErrorHandler((error: FastifyError, _request, reply) =>
    sendProblem(reply, describeProblem(error)),
  );
  app.setNotFoundHandler((request, reply) => {
    const missing = `There is nothing at ${shown(request.url.split('?')[0])}.`;
    return (
      sendPage(request, reply, new Problem(404, missing)) ??
      sendProblem(reply, new Problem(404, missing, 'What there is stands in /api/openapi.json.'))
    );
  });
}

export function describeProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof FarmError) return new Problem(503, error.message, error.next);
  const status = (error as Partial<FastifyError>).statusCode ?? 500;
  return status < 500
    ? new Problem(status, `The request cannot be read: ${String((error as Error).message)}.`)
    : new Problem(500, 'The farm made a mistake in answering this.', 'Please report it.');
}
