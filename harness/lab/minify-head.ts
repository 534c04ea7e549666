import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { pagesFolder } from '../core/project.ts';

/**
 * The farm's head of foreign pages with the listener of their workers, minified to one line of ASCII
 * without its end.
 */
export async function minifyHead(): Promise<string> {
  const listener = JSON.stringify(await minify(await readKit('guest-worker.js')));
  const head = await readKit('guest-head.js');
  return minify(head.replace("'the text of guest-worker.js'", () => listener));
}

function readKit(name: string): Promise<string> {
  return readFile(join(pagesFolder(), 'kit', name), 'utf8');
}

async function minify(script: string): Promise<string> {
  const { code } = await transform(script, { minify: true, target: 'es2022' });
  return code.trimEnd();
}
