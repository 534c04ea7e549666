/**
 * Lets a process of Node.js 20 run the farm's TypeScript: its types are stripped as the build does.
 * Stripped files are kept by their hash, as loading the compiler takes longer than most tests.
 */
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const kept = new URL('../../dist/.stripped/', import.meta.url);

export async function load(url, context, nextLoad) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return nextLoad(url, context);
  const text = await readFile(fileURLToPath(url), 'utf8');
  const file = new URL(`${createHash('sha256').update(text).digest('hex')}.js`, kept);
  const source = await readFile(file, 'utf8').catch(() => strip(text, file));
  return { format: 'module', source, shortCircuit: true };
}

async function strip(text, file) {
  const { default: ts } = await import('typescript');
  const { outputText } = ts.transpileModule(text, {
    compilerOptions: {
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
    },
  });
  await mkdir(kept, { recursive: true });
  // Another process may read it meanwhile.
  const whole = new URL(`${file.href}.${String(process.pid)}`);
  await writeFile(whole, outputText);
  await rename(whole, file);
  return outputText;
}
