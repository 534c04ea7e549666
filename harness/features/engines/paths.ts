import { type KnownBuild, listKnownBuilds } from '../../core/app/builds/builds.ts';
import type { OpenedDatabase } from '../../core/app/extensions.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';
import type { AddedPaths } from '../../core/server/api/sources.ts';
import { megabytes } from '../../core/setup/build-store.ts';
import { html, type Html } from '../../../reports/html/escape.ts';
import { plural } from '../../../reports/html/number.ts';
import { page, policyOf, readableDate } from '../../../reports/html/page.ts';
import { table } from '../../../reports/html/table.ts';

/** A build that is kept here, and the newest run that measured it. */
export interface KeptBuild {
  readonly build: Extract<KnownBuild, { state: 'here' }>;
  readonly run: number | null;
}

/** Adds the page of the builds that are kept next to a database. */
export function addPaths({ database, history }: OpenedDatabase): AddedPaths {
  const never = new AbortController().signal;
  return {
    endpoints: [],
    pages: [
      {
        url: '/builds',
        missing: 'There are no builds here.',
        async make() {
          const { builds } = await listKnownBuilds({ database, here: true }, { signal: never });
          const here = builds.filter((build) => build.state === 'here');
          const kept: KeptBuild[] = [];
          for (const build of here) {
            const { browser, version } = build;
            const ofBuild = { browser: [browser], version: [version] };
            const [newest] = (await history.series(ofBuild, { limit: 1, after: null })).rows;
            kept.push({ build, run: newest?.run ?? null });
          }
          const markup = renderBuilds(kept);
          return { html: markup, policy: policyOf(markup) };
        },
      },
    ],
  };
}

/** Renders the page of kept builds, by browser and version. */
export function renderBuilds(kept: readonly KeptBuild[]): string {
  const bytes = kept.reduce((sum, { build }) => sum + build.bytes, 0);
  const are = kept.length === 1 ? 'is' : 'are';
  const title =
    kept.length === 0
      ? 'No build is kept here'
      : `${plural(kept.length, 'build')} ${are} kept here, ${megabytes(bytes)}`;
  return page({
    title: `${title} · crossfarm`,
    body: html`<a class="skip" href="#builds">Skip to the builds</a>
      <header>
        <p class="kicker">crossfarm · builds</p>
        <h1>${title}</h1>
        <nav aria-label="Pages">
          <ul>
            <li><a href="/">Home</a></li>
            <li><a href="/findings">Findings</a></li>
          </ul>
        </nav>
      </header>
      <main id="builds" tabindex="-1">
        <p>
          A build of a browser or runtime that is kept here can be measured beside others, at any
          time. A night keeps the one that it measured before an update.
        </p>
        ${kept.length > 0 && drawTable(kept)}
        <h2>Get, measure, remove</h2>
        ${listCommands(kept).map((command) => html`<pre><code data-copy>${command}</code></pre> `)}
      </main>`,
    data: {
      format: 'crossfarm-builds-1',
      builds: kept.map(({ build: { id, version }, run }) => ({ id, version, run })),
    },
  });
}

function drawTable(kept: readonly KeptBuild[]): Html {
  const labels = ['Build', 'Version', 'Size', 'Kept since', 'From', 'Newest run'];
  return table({
    id: 'builds-caption',
    caption: 'By browser and version, the oldest version first',
    stack: true,
    columns: labels.map((title) => ({ title, label: title })),
    groups: [
      {
        rows: kept.map(({ build: { id, version, bytes, source, stored }, run }) => [
          html`<bdi>${id}</bdi>`,
          html`<bdi>${version}</bdi>`,
          megabytes(bytes),
          readableDate(stored.keptAt.replace(/\.\d+Z$/, 'Z')),
          source === 'night' ? 'a night' : html`<bdi>${stored.origin ?? source}</bdi>`,
          run === null ? 'not measured' : html`<a href="/runs/${run}">run ${run}</a>`,
        ]),
      },
    ],
  });
}

function listCommands(kept: readonly KeptBuild[]): readonly string[] {
  const names = kept.map(({ build }) => build.id);
  const [oldest = 'chromium@110', newest = 'chromium@153'] = [names[0], names.at(-1)];
  return [
    `${npxCrossfarm} engines get ${kept.length === 0 ? `${oldest} ${newest}` : 'chromium@110'}`,
    ...(names.length > 1
      ? [`${npxCrossfarm} compare ${oldest} ${newest} --bench fib`]
      : [`${npxCrossfarm} engines list`]),
    `${npxCrossfarm} engines remove ${oldest}`,
  ];
}
