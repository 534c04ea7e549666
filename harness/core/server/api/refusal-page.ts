import { STATUS_CODES } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { escapeHtml } from '../html-page.ts';
import type { Problem } from './problems.ts';
import type { ApiSources } from './sources.ts';

type Runs = Pick<ApiSources['history'], 'runs'>;

/** Characters that a name may not turn or hide the text around it with. */
const invisible = /[\p{Cc}\p{Cf}]/gu;

/** Runs that the page links to. */
const mostRuns = 5;

/** Tells whether a person opened an address, so that the answer should be a page. */
export function wantsPage({ url, headers }: FastifyRequest): boolean {
  return (headers.accept ?? '').includes('text/html') && !/^\/(api|parts)\//.test(url);
}

/** Answers with a page that says what was wrong, and links to what there is. */
export async function sendRefusalPage(
  reply: FastifyReply,
  { status, message, next }: Problem,
  history: Runs,
): Promise<FastifyReply> {
  const title = STATUS_CODES[status] ?? 'Error';
  return reply.code(status).header('cache-control', 'no-store').type('text/html; charset=utf-8')
    .send(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · crossfarm</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/parts/palette.css">
<link rel="stylesheet" href="/explorer.css">
</head>
<body>
<header>
<p class="kicker">crossfarm · ${title.toLowerCase()}</p>
<h1>${escapeHtml(message)}</h1>
<nav aria-label="Pages"><a href="/">Home</a></nav>
</header>
<main>
${next === undefined ? '' : `<p>${escapeHtml(next)}</p>`}
${await listRuns(history)}
</main>
</body>
</html>
`);
}

/** The newest runs, or nothing where they cannot be read. */
async function listRuns(history: Runs): Promise<string> {
  const newest = await history.runs(null, { limit: mostRuns, after: null }).catch(() => null);
  if (newest === null || newest.rows.length === 0) return '';
  const items = newest.rows.map(({ id, name, startedAt }) => {
    const when = `${startedAt.slice(0, 10)} ${startedAt.slice(11, 16)}`;
    return `<li><a href="/runs/${String(id)}">Run ${String(id)}</a> · <bdi>${escapeHtml(name.replace(invisible, ''))}</bdi> · ${escapeHtml(when)}</li>`;
  });
  return `<h2>The newest runs</h2>
<ul>
${items.join('\n')}
</ul>`;
}
