import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { html, type Html } from '../../../../reports/html/escape.ts';
import type { PartOfPage } from '../../../../reports/html/page.ts';
import type { FlameThread } from '../../../core/results/index.ts';
import { roleNames } from './summarize-profiles.ts';

/** Draws the place of flame graphs, of which one is seen. A page has one such place. */
export function drawFlames(threads: readonly FlameThread[], first: number): Html {
  const roles = [...new Set(threads.map(({ role }) => role))];
  const options = threads.map(
    (one, i) => html`<option value="${i}" ${i === first && 'selected'}>${one.title}</option>`,
  );
  return html`<div class="flame-bar">
      <label
        >Graph
        <select id="flame-thread">
          ${options}
        </select></label
      >
      ${
        roles.length > 1 &&
        html`<label
          >Threads
          <select id="flame-role">
            <option value="">all</option>
            ${roles.map((role) => html`<option value="${role}">${roleNames[role]}</option>`)}
          </select></label
        >`
      }
      <label>Search <input id="flame-search" type="search" /></label>
    </div>
    <p id="flame-legend" class="soft" ${threads[first]?.flame.d === undefined && 'hidden'}>
      <span class="flame-more">Red</span> takes longer on the later side,
      <span class="flame-less">blue</span> less. Width is the mean of both.
    </p>
    <p id="flame-said" class="soft" role="status">
      Width is time, the widest first; below each function stands what it called. A click widens
      one.
    </p>
    <div id="flame"></div>`;
}

export const flamePart: PartOfPage = {
  style: `
:root{--flame-found:#e879f9;--flame-script-0:#a9c7f5;--flame-script-1:#8fb4ef;--flame-script-2:#bcd4f8;
--flame-gc:#e9a29a;--flame-compiler:#e8c07d;--flame-layout:#c9b1ec;--flame-style:#dcc4f2;--flame-paint:#a8d8b0;
--flame-native:#d3d6da;--flame-idle:#eee;--flame-more-1:#f6cdc6;--flame-more-2:#ef9c8f;--flame-more-3:#e4685a;
--flame-less-1:#cfe0f8;--flame-less-2:#9cc1f2;--flame-less-3:#6199e6}
@media(prefers-color-scheme:dark){:root{--flame-script-0:#6f97d8;--flame-script-1:#5c86cc;--flame-script-2:#86aae2;
--flame-gc:#c9776d;--flame-compiler:#bf9550;--flame-layout:#9a7fc4;--flame-style:#ad93d2;--flame-paint:#6fae7b;
--flame-native:#8d939b;--flame-more-1:#c99a92;--flame-more-2:#d98174;--flame-more-3:#e4685a;
--flame-less-1:#94aac9;--flame-less-2:#7ba5dc;--flame-less-3:#6199e6}}
.flame-bar{display:flex;flex-wrap:wrap;gap:.5rem 1.5rem;margin:1rem 0 .5rem}
.flame-bar select{max-width:min(60ch,90vw)}
.flame-more,.flame-less{padding:0 .35em;border-radius:3px;color:#14171b;background:var(--flame-more-3)}
.flame-less{background:var(--flame-less-3)}
#flame{overflow-x:auto;min-height:4rem}
#flame-said{min-height:3em;overflow-wrap:anywhere}
.d3-flame-graph rect{stroke:var(--page);cursor:pointer}
.d3-flame-graph-label{white-space:nowrap;text-overflow:ellipsis;overflow:hidden;font-size:12px;margin:0 4px;line-height:1.6;color:#14171b;text-align:left}
.d3-flame-graph .fade{opacity:.6}`,
  script: { file: 'flame.js', start: 'startFlame' },
};

let bundled: Promise<string> | undefined;

/** Bundles the library of the graph as one script: of it and of d3 only what it needs. */
export function bundleFlameLibrary(): Promise<string> {
  return (bundled ??= bundle());
}

async function bundle(): Promise<string> {
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
  // The script of the page is strict, and has a scope.
  return `${outputFiles[0]?.text ?? ''}globalThis.crossfarmFlame = crossfarmFlame;`;
}
