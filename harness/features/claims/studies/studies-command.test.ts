import { expect, test } from '@playwright/test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFacts, makeJobs } from '../../../core/store/fixtures/example.ts';
import { openStore } from '../../../core/store/store.ts';
import { aCompletion, aResult, aSteadyState, aTrial } from '../../../testing/builders.ts';
import { aFolder } from '../../../testing/folder.ts';
import { farmInProcess as farm } from '../../../testing/in-process-farm.ts';

test('a run gives the studies page, with a picture for each chart', async () => {
  const folder = await aFolder();
  const [first] = makeJobs(1);
  const jobs = [1, 5, 10, 15, 20, 25, 26].map((n, ordinal) => ({
    ...first!,
    ordinal,
    case: { ...first!.case, parameters: { function: 'asyncFib', n } },
  }));
  const store = await openStore(join(folder, '.farm', 'farm.db'));
  const run = await store.createRun(makeFacts(jobs));
  for (const job of jobs) {
    const steadyState = aSteadyState({ firstMs: 2 ** job.ordinal });
    await store.writeTrial(
      run,
      aTrial(job, aCompletion({ result: aResult([1], { steadyState }) })),
    );
  }
  await store.finishRun(run, 'finished', '2026-01-01T01:00:00.000Z');
  await store.close();

  const { code, stderr, stdout } = await farm(
    folder,
    'claims',
    'studies',
    'docs/page.md',
    '1',
    '--json',
  );
  expect(code, stderr).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ path: join(folder, 'docs/page.md') });
  const page = readFileSync(join(folder, 'docs/page.md'), 'utf8');
  const pictures = Array.from(page.matchAll(/!\[[^\]]*\]\(([^)]*)\)/g), ([, path = '']) => path);
  expect(pictures).toContain('page/a3-sync-and-async.svg');
  expect(pictures).not.toContain('page/a5-busy.svg');
  for (const path of pictures) expect(existsSync(join(folder, 'docs', path)), path).toBe(true);
  expect(readFileSync(join(folder, 'docs', pictures[0]!), 'utf8')).toContain('>asyncFib');
});
