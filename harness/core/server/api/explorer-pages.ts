import type { FastifyInstance, FastifyReply, RouteShorthandOptions } from 'fastify';
import { z } from 'zod';
import { viewOf, viewQuery } from './explore-view.ts';
import { id, many } from './parameters.ts';
import { Problem, describeProblem, refusal } from './problems.ts';
import { sendRefusalPage } from './refusal-page.ts';
import type { ApiSources, RenderedPage } from './sources.ts';

/** A person opens such a path, so that a refusal is a page, too. */
function forPeople({ history }: ApiSources): RouteShorthandOptions {
  return {
    schema: { hide: true },
    errorHandler: (error, _request, reply) =>
      sendRefusalPage(reply, describeProblem(error), history),
  };
}

const runQuery = z.strictObject({ run: id });
const caseQuery = z.strictObject({ case: z.string().min(1).max(300), run: id.optional() });
const suiteQuery = z.strictObject({ suite: z.string().min(1).max(300).optional() });

/** Parts of the explorer's pages as HTML in JSON, for its own script. */
function addParts(app: FastifyInstance, sources: ApiSources): void {
  const add = (url: string, answer: (query: unknown) => Promise<object | null>): void => {
    app.get(url, { schema: { hide: true } }, async (request, reply) => {
      const found = await answer(request.query);
      if (found === null) throw new Problem(404, 'There is nothing to be drawn here.');
      return reply
        .header('cache-control', 'no-store')
        .type('application/json; charset=utf-8')
        .send(JSON.stringify(found));
    });
  };
  const styles = { palette: () => sources.parts.palette(), run: () => sources.parts.runStyle() };
  for (const [name, style] of Object.entries(styles)) {
    app.get(`/parts/${name}.css`, { schema: { hide: true } }, async (_request, reply) =>
      reply
        .header('cache-control', 'no-cache')
        .type('text/css; charset=utf-8')
        .send(await style()),
    );
  }
  add('/parts/run', (query) => sources.parts.run(read(runQuery, query).run));
  add('/parts/case', (query) => sources.parts.case(read(caseQuery, query)));
  add('/parts/chart', async (query) => {
    const chart = await sources.parts.chart(viewOf(read(viewQuery, query)));
    return chart === null ? null : { chart };
  });
  add('/parts/changes', (query) => sources.parts.changes(viewOf(read(viewQuery, query))));
  add('/parts/changed', async (query) => {
    const { suite = null } = read(suiteQuery, query);
    return { changed: await sources.parts.changed(suite) };
  });
}

/** Of a case, in its address. */
const mostNameLength = 300;

/** The addresses of the explorer for people: the first page, runs, cases, trials, reports, and those of features. */
export function addExplorerPages(app: FastifyInstance, sources: ApiSources): void {
  const people = forPeople(sources);
  app.get('/', people, (request, reply) => {
    const query = queryOf(request.url);
    // Links from before there was a first page: all of it was what is Explore now.
    return query === '' ? reply.sendFile('home.html') : reply.redirect(`/explore?${query}`);
  });
  app.get('/explore', people, (_request, reply) => reply.sendFile('explore.html'));
  app.get('/runs/:id', people, async (request, reply) => {
    const { id: run } = read(numbered, request.params);
    const found = await sources.history.run(run);
    if (found === null) throw missingPage(`There is no run ${String(run)} here.`);
    return reply.sendFile('run.html');
  });
  app.get<{ Params: { '*': string } }>('/cases/*', people, async (request, reply) => {
    const name = request.params['*'].slice(0, mostNameLength);
    const { rows } = await sources.summaries({ case: name }, { limit: 1, after: null });
    if (rows.length === 0) throw missingPage(`There is no case "${name}" here.`);
    return reply.sendFile('explore.html');
  });
  addRendered(app, sources);
  addParts(app, sources);
}

const reportQuery = z.strictObject({ run: many(id) });
const numbered = z.strictObject({ id });

function addRendered(app: FastifyInstance, sources: ApiSources): void {
  const people = forPeople(sources);
  app.get('/report', people, async (request, reply) => {
    const { run } = read(reportQuery, request.query);
    const runs = [...new Set(run)];
    const names = runs.join(' or ');
    return send(reply, await sources.report(runs), `There is no run ${names} here.`);
  });
  app.get('/trials/:id', people, async (request, reply) => {
    const { id: trial } = read(numbered, request.params);
    const page = await sources.trialPage(trial);
    return send(reply, page, `There is no trial ${String(trial)} here.`);
  });
  for (const page of sources.added.pages) {
    app.get(page.url, people, async (request, reply) => {
      if (!('file' in page)) return send(reply, await page.make(request.params), page.missing);
      if (!(await page.isThere(request.params))) throw missingPage(page.missing);
      return reply.sendFile(page.file);
    });
  }
}

/** @throws Problem 400 with the first thing that is wrong. */
function read<Schema extends z.ZodObject>(schema: Schema, value: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw refusal(parsed.error, Object.keys(schema.shape));
}

function missingPage(sentence: string): Problem {
  return new Problem(404, sentence, 'It may have been pruned.');
}

function queryOf(url: string): string {
  const at = url.indexOf('?');
  return at < 0 ? '' : url.slice(at + 1);
}

/** Its own policy is narrower than the explorer's: nothing but this style and this script. */
function send(reply: FastifyReply, page: RenderedPage | null, missing: string): FastifyReply {
  if (page === null) throw missingPage(missing);
  return reply
    .header('content-security-policy', `${page.policy}; frame-ancestors 'none'`)
    .header('cache-control', 'no-store')
    .type('text/html; charset=utf-8')
    .send(page.html);
}
