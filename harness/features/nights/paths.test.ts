import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from '@playwright/test';
import { newNight, type NightDocument } from './night-document.ts';
import { nightsFolder, writeNight } from './night-folder.ts';
import { nightSources } from './paths.ts';

test('lists nights, rereads a changed one, skips those of another database', async () => {
  const database = test.info().outputPath('farm.db');
  const sources = nightSources(database);
  expect(await sources.all()).toEqual([]);
  const begun = (id: string, of = database): NightDocument =>
    newNight({
      id,
      startedAt: '2026-11-20T00:00:00.000Z',
      host: 'bench',
      farm: 'a',
      farmVersion: '1',
      database: of,
      suite: 'nightly',
      asked: null,
    });
  const keep = async (night: NightDocument): Promise<void> => {
    const folder = join(nightsFolder(database), night.id);
    await mkdir(folder, { recursive: true });
    await writeNight(folder, night);
  };
  const [first, second] = ['2026-11-20T00-00-00Z', '2026-11-21T00-00-00Z'] as const;
  await keep(begun(first));
  await keep(begun('2026-11-19T00-00-00Z', join(dirname(database), 'other.db')));
  expect((await sources.all()).map(({ night, status }) => [night, status])).toEqual([
    [first, 'running'],
  ]);
  const before = await sources.lastChange();
  const reasons = [{ step: 'run', level: 'red', text: 'a cell has no outcome' }] as const;
  await keep({ ...begun(first), status: 'red', exitCode: 3, reasons });
  await keep(begun(second));
  expect(await sources.lastChange()).not.toBe(before);
  expect((await sources.all()).map(({ night }) => night)).toEqual([second, first]);
  expect(await sources.one(first)).toMatchObject({
    status: 'red',
    reasons: [{ level: 'red', text: 'a cell has no outcome' }],
  });
  expect(await sources.one('2026-11-19T00-00-00Z')).toBeNull();
  expect(await sources.report(first)).toBeNull();
  await writeFile(join(nightsFolder(database), first, 'report.html'), '<p>the report');
  expect(await sources.report(first)).toBe('<p>the report');
  await writeFile(join(nightsFolder(database), 'report.html'), 'of no night');
  for (const name of ['.', '..', `${first}/..`, '2026-11-19T00-00-00Z']) {
    expect(await sources.report(name)).toBeNull();
  }
  // Cut by a full disk: the others are listed all the same.
  await writeFile(join(nightsFolder(database), second, 'night.json'), '{"kind":');
  expect((await sources.all()).map(({ night }) => night)).toEqual([first]);
});
