import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { progress as progressSchema, type Progress } from '../../results/stored.ts';
import { makeJsonSchema, refusals } from './endpoint.ts';
import { id } from './parameters.ts';
import { Problem, refusal } from './problems.ts';
import type { ApiSources } from './sources.ts';

export interface EventOptions {
  /** The interval at which the store is asked for a listener. */
  readonly everyMs: number;
}

/** A browser opens six connections to one host, so this is several readers with many tabs. */
const mostListeners = 32;

/** A proxy, or a browser that sleeps, gives up on a silent connection; a comment keeps it. */
const silentTicks = 15;

const params = z.strictObject({ id });

/**
 * The progress of a run as server-sent events. Another process carries the run out, so the store is
 * asked repeatedly, but only while a client listens, and only read when it has changed.
 */
export function addEvents(
  app: FastifyInstance,
  sources: Pick<ApiSources, 'history' | 'progress'>,
  { everyMs }: EventOptions,
): void {
  let listeners = 0;
  const schema = {
    operationId: 'followRun',
    summary: 'Progress of a run as server-sent events, until it has ended',
    params: makeJsonSchema(params),
    response: {
      200: {
        description: 'Events `progress`, each with the run’s counts and newest trials',
        content: { 'text/event-stream': { schema: eventSchema() } },
      },
      ...refusals(),
    },
  };
  app.get('/api/v1/runs/:id/events', { schema, exposeHeadRoute: false }, async (request, reply) => {
    const parsed = params.safeParse(request.params);
    if (!parsed.success) throw refusal(parsed.error, ['id']);
    const { id: run } = parsed.data;
    if ((await sources.progress(run)) === null) {
      throw new Problem(404, `There is no run ${String(run)} here.`, 'It may have been pruned.');
    }
    if (listeners >= mostListeners) {
      throw new Problem(503, 'Too many follow a run already.', 'Close a tab that does.');
    }
    listeners += 1;
    const ended = new AbortController();
    // Not the request's, which closes when it has been read.
    reply.raw.once('close', () => {
      ended.abort();
    });
    const events = Readable.from(follow(sources, run, { everyMs, signal: ended.signal }));
    events.once('close', () => {
      listeners -= 1;
    });
    return reply
      .header('cache-control', 'no-store')
      .type('text/event-stream; charset=utf-8')
      .send(events);
  });
}

/** One event as a reader of the stream gets it; its data are JSON in a text. */
function eventSchema(): object {
  const contentSchema = makeJsonSchema(progressSchema);
  const data = { type: 'string', contentMediaType: 'application/json', contentSchema };
  const event = { type: 'string', enum: ['progress'] };
  return { type: 'object', properties: { event, data }, required: ['event', 'data'] };
}

interface Following extends EventOptions {
  readonly signal: AbortSignal;
}

/** Events of one listener; ends with the run, or when the listener goes. */
async function* follow(
  sources: Pick<ApiSources, 'history' | 'progress'>,
  run: number,
  { everyMs, signal }: Following,
): AsyncGenerator<string> {
  let seen: string | null = null;
  let silent = 0;
  while (!signal.aborted) {
    const change = await sources.history.lastChange();
    const progress = change === seen ? null : await sources.progress(run);
    if (progress !== null) yield eventOf(progress);
    const isOver = change !== seen && progress?.status !== 'running';
    if (isOver) return;
    silent = progress === null ? silent + 1 : 0;
    if (silent > 0 && silent % silentTicks === 0) yield ': still here\n\n';
    seen = change;
    await pause(everyMs, signal);
  }
}

function eventOf(progress: Progress): string {
  return `event: progress\ndata: ${JSON.stringify(progress)}\n\n`;
}

/** Ends early, and quietly, when the listener goes. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}
