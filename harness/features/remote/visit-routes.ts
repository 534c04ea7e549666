import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { withStore } from '../../core/app/records.ts';
import { exitCodes, FarmError } from '../../core/errors.ts';
import { findExcess } from '../../core/json-shape.ts';
import type { Benchmark } from '../../core/model/case.ts';
import type { RunRecord } from '../../core/model/run.ts';
import { findBenchmark, loadCatalog } from '../../core/plan/catalog/catalog.ts';
import { farmVersion } from '../../core/project.ts';
import { parseMessage } from '../../core/server/messages.ts';
import { trustOwnWork } from '../../core/setup/consent.ts';
import { describeMachine } from '../../core/setup/machine.ts';
import { makeVisitRecord, visitForm } from './visit.ts';

/** Where visits are stored and shown. */
export interface VisitOptions {
  readonly database: string;
  /** The folder of benchmark pages. */
  readonly pages: string;
  /** Returns the address of the explorer; null while there is none. */
  readonly explorer: () => string | null;
}

/** 600 trials of the visitor's page have about 7 MB. */
const bodyLimit = 8 * 2 ** 20;

/** Kept by one server, so that no visitor fills the disk. */
const mostKept = { runs: 200, bytes: 64 * 2 ** 20 };

/**
 * Lets visitors of a server keep what they measured, with their consent: `GET /visits` says that they
 * may, and `POST /visits` stores a visit as a run of an attended device.
 */
export async function addVisits(app: FastifyInstance, options: VisitOptions): Promise<void> {
  const kept = { runs: 0, bytes: 0 };
  const { fastifyRateLimit } = await import('@fastify/rate-limit');
  await app.register(async (visits) => {
    await visits.register(fastifyRateLimit, { global: false });
    visits.removeAllContentTypeParsers();
    visits.addContentTypeParser('*', { parseAs: 'string', bodyLimit }, (_request, text, parsed) => {
      parsed(null, text);
    });
    visits.setErrorHandler((error: FastifyError, _request, reply) =>
      reply.code(error.statusCode ?? 500).send(error.message),
    );
    visits.get('/visits', () => ({ mostBytes: bodyLimit }));
    visits.post(
      '/visits',
      { bodyLimit, config: { rateLimit: { max: 6, timeWindow: '1 minute' } } },
      async (request, reply) => {
        const body = typeof request.body === 'string' ? request.body : '';
        if (kept.runs >= mostKept.runs || kept.bytes + body.length > mostKept.bytes) {
          return reply.code(503).send('This server has kept enough. Ask its owner to restart it.');
        }
        const answer = await keep(body, request, reply, options);
        if (reply.statusCode === 201) {
          kept.runs += 1;
          kept.bytes += body.length;
        }
        return answer;
      },
    );
  });
}

async function keep(
  body: string,
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { database, pages, explorer }: VisitOptions,
): Promise<FastifyReply> {
  const excess = findExcess(body);
  if (excess !== null) return reply.code(400).send(`The visit is refused: ${excess}.`);
  const parsed = parseMessage('visit', body, visitForm);
  if (!parsed.ok) return reply.code(400).send(parsed.why);
  const userAgent = (headers['user-agent'] ?? '').slice(0, 500);
  try {
    const benchmark = await findOwnBenchmark(pages, parsed.value.benchmark);
    const place = { machine: describeMachine(), farmVersion: farmVersion(), now: Date.now() };
    const record = makeVisitRecord(parsed.value, { ...place, benchmark, userAgent });
    const run = await storeRun(database, record);
    const origin = explorer();
    const url = origin === null ? null : new URL(`/runs/${String(run)}`, origin).href;
    return await reply.code(201).send({ run, url });
  } catch (error) {
    if (!(error instanceof FarmError)) throw error;
    const status = error.exitCode === exitCodes.usage ? 400 : 503;
    return reply.code(status).send(`${error.message} ${error.next}`);
  }
}

/** @throws FarmError `unknown-benchmark`, also for a page that is not the farm's own. */
async function findOwnBenchmark(pages: string, id: string): Promise<Benchmark> {
  const { benchmarks, ...catalog } = await loadCatalog(pages);
  const own = benchmarks.filter(({ guest }) => guest === undefined);
  return findBenchmark({ ...catalog, benchmarks: own }, id);
}

async function storeRun(database: string, record: RunRecord): Promise<number> {
  const isNew = !existsSync(database);
  const identity = `visit-${randomUUID()}`;
  const [stored] = await withStore(database, (store) => store.importRuns(once(identity, record)));
  if (isNew) trustOwnWork(database);
  if (stored === undefined) throw new TypeError('a visit was not stored');
  return stored.run;
}

async function* once(
  identity: string,
  record: RunRecord,
): AsyncGenerator<{ identity: string; record: RunRecord }> {
  yield await Promise.resolve({ identity, record });
}
