import { existsSync } from 'node:fs';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { z } from 'zod';
import { endingAllItStarts } from '../../core/session/marked-command.ts';
import { findModule } from './pages.ts';
import { type Answer, whyFailed, type Question, type Tool } from './tool.ts';

const packages = ['vitest', '@vitest/browser-playwright'] as const;

/** How to have one, for messages and documents. */
export const vitestInstall = 'npm install vitest@5 @vitest/browser-playwright@5 playwright';

/**
 * Vitest's benchmarks in Chromium (browser mode), with its defaults: the loops of both pages, one
 * after the other in one page. Vitest prints a mean with a relative margin of error (95 %) for
 * each, and no verdict. So two loops differ here if their intervals are apart, which is how that
 * table is read; that two are the same it never says.
 * @returns the reason if VITEST_FOLDER names no folder with it
 */
export async function findVitest(executable: string): Promise<Tool | { readonly because: string }> {
  const folder = process.env['VITEST_FOLDER'] ?? '';
  if (folder === '') return { because: `VITEST_FOLDER names no folder with it (${vitestInstall})` };
  const modules = join(folder, 'node_modules');
  const absent = packages.find((name) => !existsSync(join(modules, name)));
  if (absent !== undefined)
    return { because: `there is no ${absent} in ${modules} (${vitestInstall})` };
  const { version } = z
    .object({ version: z.string() })
    .parse(JSON.parse(await readFile(join(modules, 'vitest', 'package.json'), 'utf8')));
  if (Number.parseInt(version) < 5) {
    return { because: `vitest ${version} has other benchmarks than 5 (${vitestInstall})` };
  }
  return { name: `vitest ${version}`, ask: (question) => ask({ modules, executable }, question) };
}

interface Place {
  readonly modules: string;
  readonly executable: string;
}

/** It marks the line of its output that holds the result. */
const mark = 'AUDIT-RESULT ';

async function ask({ modules, executable }: Place, question: Question): Promise<Answer> {
  const { folder, patienceMs, signal } = question;
  const link = join(folder, 'node_modules');
  if (!existsSync(link)) await symlink(modules, link);
  await writeFile(join(folder, 'vitest.config.mjs'), configurationOf(executable));
  await writeFile(join(folder, 'audit.bench.mjs'), benchmarksOf(question));
  const program = join(modules, 'vitest', 'vitest.mjs');
  const ended = await endingAllItStarts(signal, (env) =>
    execa(process.execPath, [program, 'bench', '--run', '--no-color'], {
      cwd: folder,
      env,
      stdin: 'ignore',
      timeout: patienceMs,
      reject: false,
      cancelSignal: signal,
    }),
  );
  signal.throwIfAborted();
  if (ended.timedOut) return 'undecided';
  const answer = parseAnswer(ended.stdout);
  if (answer === 'failed') question.say(`vitest failed: ${whyFailed(ended)}`);
  return answer;
}

function configurationOf(executable: string): string {
  const launchOptions = JSON.stringify({ executablePath: executable, args: ['--no-sandbox'] });
  return `import { playwright } from '@vitest/browser-playwright';
export default {
  test: {
    browser: {
      enabled: true,
      headless: true,
      provider: playwright({ launchOptions: ${launchOptions} }),
      instances: [{ browser: 'chromium' }],
    },
  },
};
`;
}

function benchmarksOf({ old, new: changed }: Question): string {
  return `import { test } from 'vitest';
import { once as old } from './${findModule(old)}';
import { once as changed } from './${findModule(changed)}';

test('two versions', async ({ bench }) => {
  let kept = 1;
  const results = await bench.compare(
    bench('old', () => void (kept = old(kept))),
    bench('new', () => void (kept = changed(kept))),
  );
  const of = (name) => {
    const { mean, rme } = results.get(name).latency;
    return { mean, rme };
  };
  console.log('${mark}' + JSON.stringify({ old: of('old'), new: of('new'), kept }));
});
`;
}

const estimate = z.object({ mean: z.number().positive(), rme: z.number().min(0) });

const result = z.object({ old: estimate, new: estimate });

/** Returns what a reader of its table would say: a difference where the 95 % intervals are apart. */
export function parseAnswer(output: string): Answer {
  const line = output.split('\n').find((one) => one.includes(mark));
  if (line === undefined) return 'failed';
  const compared = result.parse(JSON.parse(line.slice(line.indexOf(mark) + mark.length)));
  const [old, changed] = [compared.old, compared.new].map(({ mean, rme }) => ({
    low: mean * (1 - rme / 100),
    high: mean * (1 + rme / 100),
  })) as [Interval, Interval];
  if (changed.low > old.high) return 'slower';
  return changed.high < old.low ? 'faster' : 'undecided';
}

interface Interval {
  readonly low: number;
  readonly high: number;
}
