import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { html, type Html } from '../../../../reports/html/escape.ts';
import { formatQuantity, formatShare, plural } from '../../../../reports/html/number.ts';
import { page, type PartOfPage } from '../../../../reports/html/page.ts';
import { table } from '../../../../reports/html/table.ts';
import { growFlame } from './flame-tree.ts';
import type { Profile } from './profile.ts';
import { type BusyFunction, listBusiest } from './busiest.ts';

export interface NamedProfile {
  /** Device, case and block. */
  readonly title: string;
  readonly profile: Profile;
}

export interface FlamePage {
  readonly title: string;
  readonly profiles: readonly NamedProfile[];
}

/** Makes a page with the flame graph of each thread. */
export async function renderFlamePage({ title, profiles }: FlamePage): Promise<string> {
  const each = profiles.map((one) => listThreads(one));
  const threads = each.flat();
  // Of the profile that the title tells of.
  const [first] = (each[0] ?? []).toSorted((a, b) => b.flame.v - a.flame.v);
  return page({
    title,
    uses: [flamePart],
    library: await bundleLibrary(),
    body: html`<header>
        <p class="kicker">crossfarm · profile · <bdi>${title}</bdi></p>
        <h1><bdi>${findingOf(profiles)}</bdi></h1>
        <p class="soft"><bdi>${profiles[0]?.title}</bdi></p>
      </header>
      <main>
        <section aria-labelledby="flame-heading">
          <h2 class="unseen" id="flame-heading">Flame graph</h2>
          <div class="flame-bar">
            <label
              >Thread
              <select id="flame-thread">
                ${threads.map(
                  (one, i) =>
                    html`<option value="${i}" ${one === first && 'selected'}>${one.title}</option>`,
                )}
              </select></label
            >
            <label>Search <input id="flame-search" type="search" /></label>
          </div>
          <p id="flame-said" class="soft" role="status">
            Width is time; below each function stands what it called. A click widens one.
          </p>
          <div id="flame"></div>
        </section>
        ${profiles.map(drawTable)}
      </main>`,
    data: { format: 'crossfarm-flame-1', threads },
  });
}

function listThreads({ title, profile }: NamedProfile): readonly {
  readonly title: string;
  readonly operations: number;
  readonly flame: ReturnType<typeof growFlame>;
}[] {
  const roles = { main: 'main thread', worker: 'worker', helper: 'helper' } as const;
  return profile.threads
    .map((thread) => ({
      title: `${title} · ${roles[thread.role]} (${thread.name})`,
      operations: profile.operations,
      flame: growFlame(profile, thread),
    }))
    .filter(({ flame }) => flame.v > 0);
}

function findingOf(profiles: readonly NamedProfile[]): string {
  const [one] = profiles;
  const [busiest] = one === undefined ? [] : listBusiest(one.profile);
  if (one === undefined || busiest === undefined) return 'Nothing ran while it was profiled';
  return `${busiest.name} takes ${formatShare(busiest.share)} of the busy time`;
}

/** Rows of a table. */
const mostRows = 20;

function drawTable({ title, profile }: NamedProfile, i: number): Html {
  const { intervalMs, thinnedBy, notes, operations } = profile;
  const thinned = thinnedBy > 1 ? ` One sample of ${String(thinnedBy)} was kept.` : '';
  const sampled = `Sampled every ${formatQuantity(intervalMs, ms)}, ${plural(operations, 'operation')}.${thinned}`;
  return html`<section aria-labelledby="profile-${i}">
    <h2 id="profile-${i}"><bdi>${title}</bdi></h2>
    ${table({
      id: `functions-${String(i)}`,
      caption: 'Time of one operation, without idle time',
      stack: true,
      columns: [
        { title: 'Function' },
        { title: 'Self', label: 'Self', kind: 'number' },
        { title: 'With what it calls', label: 'With what it calls', kind: 'number' },
        { title: 'Share', label: 'Share', kind: 'number' },
      ],
      groups: [{ rows: listBusiest(profile).slice(0, mostRows).map(drawRow) }],
    })}
    <p class="soft">${sampled} ${notes.join(' ')}</p>
  </section> `;
}

const ms = { unit: 'ms', resolution: 0 };

function drawRow(one: BusyFunction): readonly (Html | string)[] {
  const name = html`<bdi>${one.name}</bdi> <span class="soft"><bdi>${one.place}</bdi></span>`;
  return [
    name,
    formatQuantity(one.selfMs, ms),
    formatQuantity(one.totalMs, ms),
    formatShare(one.share),
  ];
}

const flamePart: PartOfPage = {
  style: `
:root{--flame-found:#e879f9;--flame-script-0:#a9c7f5;--flame-script-1:#8fb4ef;--flame-script-2:#bcd4f8;
--flame-gc:#e9a29a;--flame-compiler:#e8c07d;--flame-layout:#c9b1ec;--flame-style:#dcc4f2;--flame-paint:#a8d8b0;
--flame-native:#d3d6da;--flame-idle:#eee}
@media(prefers-color-scheme:dark){:root{--flame-script-0:#6f97d8;--flame-script-1:#5c86cc;--flame-script-2:#86aae2;
--flame-gc:#c9776d;--flame-compiler:#bf9550;--flame-layout:#9a7fc4;--flame-style:#ad93d2;--flame-paint:#6fae7b;
--flame-native:#8d939b}}
.flame-bar{display:flex;flex-wrap:wrap;gap:.5rem 1.5rem}
.flame-bar select{max-width:min(60ch,90vw)}
#flame{overflow-x:auto;min-height:4rem}
#flame-said{min-height:3em;overflow-wrap:anywhere}
.d3-flame-graph rect{stroke:var(--page);cursor:pointer}
.d3-flame-graph-label{white-space:nowrap;text-overflow:ellipsis;overflow:hidden;font-size:12px;margin:0 4px;line-height:1.6;color:#14171b;text-align:left}
.d3-flame-graph .fade{opacity:.6}`,
  script: { file: 'flame.js', start: 'startFlame' },
};

/** The library of the graph as one script: of it and of d3 only what it needs. */
async function bundleLibrary(): Promise<string> {
  const { build } = await import('esbuild');
  const contents = `export { default as flamegraph } from 'd3-flame-graph'; export { select } from 'd3-selection';`;
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: dirname(fileURLToPath(import.meta.url)) },
    bundle: true,
    // Its rules are among the page's own.
    loader: { '.css': 'empty' },
    minify: true,
    write: false,
    format: 'iife',
    globalName: 'crossfarmFlame',
    target: 'es2022',
    logLevel: 'silent',
  });
  // The page's own script is strict, and in a scope of its own.
  return `${outputFiles[0]?.text ?? ''}globalThis.crossfarmFlame = crossfarmFlame;`;
}
