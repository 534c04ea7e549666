import { transform } from 'esbuild';
import { wholeHead } from '../core/server/adapter.ts';

/** The farm's head of foreign pages, minified to one line of ASCII without its end. */
export async function minifyHead(): Promise<string> {
  const { code } = await transform(await wholeHead(), { minify: true, target: 'es2022' });
  return code.trimEnd();
}
