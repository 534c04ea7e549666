import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pagesFolder } from '../../project.ts';

/** The name of the `performance.measure` that each page makes once. */
export const measure = 'run';

const rounds = 1_000_000;

/**
 * Writes a page that runs the loop of the benchmark `control` with so much added, in percent, and
 * beside it the module that it takes the loop from (`old.html` has `old.js`). It is independent of
 * the farm and of all that may compare it with another.
 */
export async function writePage(folder: string, name: string, percent: number): Promise<void> {
  await cp(join(pagesFolder(), 'kit', 'spin.js'), join(folder, 'spin.js'));
  await writeFile(join(folder, moduleOf(name)), loopOf(percent));
  await writeFile(join(folder, name), pageOf(moduleOf(name), percent));
}

/** The module of a page: it exports `once`, which takes and returns a number that keeps it alive. */
export function moduleOf(page: string): string {
  return page.replace(/\.html$/, '.js');
}

function loopOf(percent: number): string {
  return `import { spin } from './spin.js';
const once = (kept) => spin(${String((rounds * (100 + percent)) / 100)}, kept);
export { once };
`;
}

/**
 * Compilers change the loop after some hundred calls (pages/README.md), so a page calls it 300 times
 * and for a second before the window, which is as long as that of the farm's own pages.
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
