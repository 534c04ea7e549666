import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pagesFolder } from '../../core/project.ts';

/** The name of the `performance.measure` that each page makes once. */
export const measure = 'run';

/** Of one part, and parts in a call, which takes about a millisecond. */
const rounds = 1_000;
const parts = 1_000;

/** The work of one call. An audit's file names it, so that answers about another loop are not mixed in. */
export const loop = `${String(parts)} × ${String(rounds)} rounds`;

/**
 * Writes a page that runs the loop of the benchmark `control` with the added share, in percent, and
 * the module with the loop (`old.html` has `old.js`). It is independent of the farm and of every
 * compared tool.
 */
export async function writePage(folder: string, name: string, percent: number): Promise<void> {
  await cp(join(pagesFolder(), 'kit', 'spin.js'), join(folder, 'spin.js'));
  await writeFile(join(folder, findModule(name)), loopOf(percent));
  await writeFile(join(folder, name), pageOf(findModule(name), percent));
}

/** The module of a page: it exports `once`, which takes and returns a number that keeps it alive. */
export function findModule(page: string): string {
  return page.replace(/\.html$/, '.js');
}

/**
 * A million rounds in parts, as a function that is called often gets its best code soon. A million in
 * one call took five times as long in the first 54 to 117 calls of Chromium 156, and with the code that
 * came then, which is not the best one, trials differed by 5 to 8 %. With parts they differ by 1 %.
 */
function loopOf(percent: number): string {
  return `import { spin } from './spin.js';
function once(kept) {
  for (let part = 0; part < ${String(parts)}; part++) {
    kept = spin(${String(Math.round((rounds * (100 + percent)) / 100))}, kept);
  }
  return kept;
}
export { once };
`;
}

/**
 * Browsers have background work for most of a second after their start, so a page calls the loop
 * 300 times and for a second before the window, which is as long as that of the farm's pages.
 */
function pageOf(module: string, percent: number): string {
  return `<!doctype html>
<title>plus ${String(percent)} %</title>
<script type="module">
  import { once } from './${module}';
  let kept = 1;
  function run(calls) {
    for (let call = 0; call < calls; call++) kept = once(kept);
  }
  const began = performance.now();
  do run(300); while (performance.now() - began < 1000);
  const start = performance.now();
  run(250);
  performance.measure('${measure}', { start });
  document.title += ' ' + kept;
</script>
`;
}
