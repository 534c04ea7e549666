import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { completed, makeFacts, makeJobs } from '../store/fixtures/example.ts';
import { openStore } from '../store/store.ts';
import { farm } from '../../testing/farm.ts';
import { aFolder } from '../../testing/folder.ts';

/** In this order, each with the work of those before it; more of each is in `<command>.test.ts`. */
const commands: readonly (readonly [readonly string[], RegExp])[] = [
  [['runs', '--database', 'farm.db'], /│ 2 +│ 2026-11-21/],
  [
    ['history', '--database', 'farm.db', '--suite', 'quick', '--all'],
    /fib function=asyncFib n=20 on chromium +│ 2 /,
  ],
  [['export', '2', '--database', 'farm.db', '--out', 'run.json'], /^run 2 as json: .*run\.json$/m],
  [['import', 'run.json', '--database', 'other.db'], /^run\.json: 1 run, here 1$/m],
  [['backup', 'copy.db', '--database', 'farm.db'], /copy\.db/],
  [['merge', 'copy.db', 'other.db', '--into', 'all.db'], /^other\.db: 0 runs; 1 run was here/m],
  [['prune', '--max-size', '1kB', '--database', 'farm.db'], /^freed .* 1 of 2 runs went/],
  [['completion', 'bash'], /"compare "\*\) words="[^"]*--fail-on/],
];

async function storeTwoRuns(path: string): Promise<void> {
  const store = await openStore(path);
  for (let run = 0; run < 2; run += 1) {
    const jobs = makeJobs(1);
    const id = await store.createRun(makeFacts(jobs));
    for (const job of jobs) await store.writeTrial(id, completed(job));
    await store.finishRun(id, 'finished', '2026-11-21T01:00:00.000Z');
  }
  await store.close();
}

test('the built farm answers commands that need no engine', async () => {
  const folder = await aFolder();
  await storeTwoRuns(join(folder, 'farm.db'));
  for (const [args, answer] of commands) {
    const { code, stderr, stdout } = await farm(folder, ...args);
    expect(stdout, `${args.join(' ')}: ${stderr}`).toMatch(answer);
    expect(code, args.join(' ')).toBe(0);
  }
});
