import { createHash, randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { TypeOf } from '../../results/fields.ts';
import { Problem, problem, refusal, sendProblem } from './problems.ts';
import { renderCsv, type CsvValue } from '../../csv.ts';
import fresh from 'fresh';
import Negotiator from 'negotiator';

/** One path of the API: what it takes, what it gives, and where that comes from. */
export interface Endpoint {
  /** As Fastify writes it: `/api/v1/runs/:id`. */
  readonly url: string;
  /** `operationId` of the OpenAPI document. */
  readonly name: string;
  readonly summary: string;
  readonly params: z.ZodObject;
  readonly query: z.ZodObject;
  readonly answer: z.ZodType;
  readonly table?: Table | undefined;
  /** Parameters that are not known are passed over instead of refused. */
  readonly lenient?: boolean | undefined;
  /** State that the answer depends on besides the database. */
  readonly alsoChanges?: (() => string | Promise<string>) | undefined;
  /** Where an answer leads, by OpenAPI's names. */
  readonly links?: Links | undefined;
  /** Null when what the path names is not there. */
  read(params: unknown, query: unknown): Promise<object | null>;
}

/** Operations that take what an answer holds: parameter → expression of OpenAPI. */
export type Links = Readonly<
  Record<
    string,
    { readonly operationId: string; readonly parameters: Readonly<Record<string, string>> }
  >
>;

/** An answer as lines of a table, for a client that asks for `text/csv`. */
export interface Table {
  readonly line: z.ZodObject;
  rows(answer: object): readonly object[];
}

interface EndpointFacts<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Answer extends z.ZodType,
> {
  readonly url: string;
  readonly name: string;
  readonly summary: string;
  readonly params?: Params;
  readonly query?: Query;
  readonly answer: Answer;
  readonly table?: { readonly line: z.ZodObject; rows(answer: TypeOf<Answer>): readonly object[] };
  readonly lenient?: boolean;
  readonly alsoChanges?: () => string | Promise<string>;
  readonly links?: Links;
  /** Returns what the schema of the answer declares; the compiler checks it. */
  read(params: z.infer<Params>, query: z.infer<Query>): Promise<TypeOf<Answer> | null>;
}

const nothing = z.strictObject({});

/** Declares a path; its parameters reach `read` as their schemas have parsed them. */
export function endpoint<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Answer extends z.ZodType,
>(facts: EndpointFacts<Params, Query, Answer>): Endpoint {
  return { params: nothing, query: nothing, ...facts } as Endpoint;
}

/** Identifies the last change of the store, so that an unchanged answer need not be sent again. */
export type LastChange = () => Promise<string>;

export function addEndpoint(app: FastifyInstance, one: Endpoint, lastChange: LastChange): void {
  const schema = { ...descriptionOf(one), response: responsesOf(one) };
  const options = { schema, ...(one.links !== undefined && { links: { 200: one.links } }) };
  app.get(one.url, options, (request, reply) => answer(one, lastChange, { request, reply }));
}

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

async function answer(
  one: Endpoint,
  lastChange: LastChange,
  { request, reply }: Exchange,
): Promise<FastifyReply> {
  const params = parse(one.params, request.params, one);
  const query = parse(one.query, request.query, one);
  const type = chooseType(request.headers.accept, typesOf(one));
  if (type === null) return sendProblem(reply, unacceptable(one));
  // Read before the answer is: if something changes between, the answer is sent once too often.
  const etag = etagOf(`${await lastChange()} ${(await one.alsoChanges?.()) ?? ''}`, type);
  reply.header('etag', etag).header('vary', 'accept').header('cache-control', 'no-cache');
  if (matches(request.headers['if-none-match'], etag)) return reply.code(304).send();
  const found = await one.read(params, query);
  if (found === null) throw missing(request);
  addLink(reply, request, found);
  const body = type === 'text/csv' ? tableOf(one, found) : JSON.stringify(found);
  return reply.type(`${type}; charset=utf-8`).send(body);
}

/** @throws Problem 400 with the first thing that is wrong. */
function parse(schema: z.ZodObject, value: unknown, { lenient }: Endpoint): unknown {
  const wanted = lenient === true ? z.object(schema.shape) : schema;
  const parsed = wanted.safeParse(value ?? {});
  if (parsed.success) return parsed.data;
  throw refusal(parsed.error, Object.keys(schema.shape));
}

function typesOf({ table }: Endpoint): readonly AnswerType[] {
  return table === undefined ? ['application/json'] : ['application/json', 'text/csv'];
}

function unacceptable(one: Endpoint): Problem {
  const types = typesOf(one).join(' and ');
  return new Problem(406, `This is to be had as ${types} only.`, 'Change the Accept header.');
}

function missing({ params }: FastifyRequest): Problem {
  const names = Object.values(params as Readonly<Record<string, string>>).join(' ');
  return new Problem(404, `There is no ${names} here.`, 'It may have been pruned.');
}

/** A restarted server counts changes from the beginning: its tags are unique. */
const salt = randomBytes(16).toString('base64url');

function etagOf(change: string, type: AnswerType): string {
  const hash = createHash('sha256').update(`${salt} ${change} ${type}`).digest('base64url');
  return `W/"${hash.slice(0, 22)}"`;
}

/** The next page as a link (RFC 8288): a table has no other place for it. */
function addLink(reply: FastifyReply, request: FastifyRequest, found: object): void {
  const next = 'next' in found ? found.next : null;
  if (typeof next !== 'string') return;
  const [path = '', query = ''] = request.url.split('?');
  const search = new URLSearchParams(query);
  search.set('cursor', next);
  reply.header('link', `<${path}?${search.toString()}>; rel="next"`);
}

function tableOf({ table }: Endpoint, found: object): string {
  if (table === undefined) throw new Error('Only a table can be sent as CSV');
  return formatCsv(table.line, table.rows(found));
}

/** A route's part of the OpenAPI document. */
function descriptionOf(one: Endpoint): object {
  return {
    operationId: one.name,
    summary: one.summary,
    ...(Object.keys(one.params.shape).length > 0 && { params: makeJsonSchema(one.params) }),
    ...(Object.keys(one.query.shape).length > 0 && { querystring: makeJsonSchema(one.query) }),
  };
}

/** Error responses that every path may give. */
export function refusals(): object {
  const content = { 'application/problem+json': { schema: makeJsonSchema(problem) } };
  return {
    '4xx': { description: 'What was asked wrongly, as a sentence.', content },
    '5xx': { description: 'What went wrong, as a sentence.', content },
  };
}

function responsesOf(one: Endpoint): object {
  const csv = one.table === undefined ? {} : { 'text/csv': { schema: { type: 'string' } } };
  return {
    200: {
      description: one.summary,
      content: { 'application/json': { schema: makeJsonSchema(one.answer) }, ...csv },
    },
    304: { description: 'Nothing has changed since the ETag.', type: 'null' },
    ...refusals(),
  };
}

/** In OpenAPI 3.1 a schema is JSON Schema; what a value is after parsing is what the document says. */
export function makeJsonSchema(schema: z.ZodType): object {
  const document: { $schema?: unknown } = z.toJSONSchema(schema, { io: 'output' });
  delete document.$schema;
  return document;
}

/** Types of answers that there are. */
type AnswerType = 'application/json' | 'text/csv';

/**
 * The best of what is offered by the `Accept` header (RFC 9110, 12.5.1); null when none will do. Of
 * equal weights the one that the client names first wins, or the first offered when it names none.
 */
function chooseType(accept: string | undefined, offered: readonly AnswerType[]): AnswerType | null {
  const headers = { accept: accept?.trim() || '*/*' };
  const [best] = new Negotiator({ headers }).mediaTypes([...offered]);
  return offered.find((type) => type === best) ?? null;
}

/** True if the client's copy is still the same, by weak comparison (RFC 9110, 13.1.2). */
function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  return fresh({ 'if-none-match': ifNoneMatch }, { etag });
}

/** An answer's rows as a table, in the columns that the schema of one row has. */
function formatCsv(row: z.ZodObject, rows: readonly object[]): string {
  const columns = columnsOf(row);
  return renderCsv([
    columns.map((path) => path.join('.')),
    ...rows.map((one) => columns.map((path) => fieldOf(one, path))),
  ]);
}

type Path = readonly string[];

function columnsOf(row: z.ZodObject): readonly Path[] {
  return Object.entries(row.shape).flatMap(([name, schema]): readonly Path[] => {
    const inner = schema instanceof z.ZodNullable ? schema.unwrap() : schema;
    return inner instanceof z.ZodObject
      ? columnsOf(inner).map((path) => [name, ...path])
      : [[name]];
  });
}

function fieldOf(row: object, path: Path): CsvValue {
  let value: unknown = row;
  for (const name of path) value = (value as Readonly<Record<string, unknown>> | null)?.[name];
  if (value === null || value === undefined) return null;
  if (typeof value === 'number' || typeof value === 'string') return value;
  return JSON.stringify(value);
}
