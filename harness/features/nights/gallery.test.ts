import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { aFolder } from '../../testing/folder.ts';
import { addExhibits } from './gallery.ts';
import { newNight } from './night-document.ts';
import { nightsFolder, writeNight } from './night-folder.ts';

const writing = { writtenAt: '2026-11-22T00:00:00Z', farmVersion: '0.1.0' };

test('a gallery shows the newest night that has a report', async () => {
  const database = join(await aFolder(), 'farm.db');
  for (const [id, report] of [
    ['2026-11-19T00-00-00Z', '<h1>an older one</h1>'],
    ['2026-11-20T00-00-00Z', '<h1>nothing changed</h1>'],
    ['2026-11-21T00-00-00Z', null],
  ] as const) {
    const folder = join(nightsFolder(database), id);
    await mkdir(folder, { recursive: true });
    const startedAt = `${id.slice(0, 10)}T00:00:00Z`;
    const facts = { host: 'bench', farm: 'a', farmVersion: '1', suite: 'nightly', asked: null };
    await writeNight(folder, newNight({ ...facts, id, startedAt, database }));
    if (report !== null) await writeFile(join(folder, 'report.html'), report);
  }
  const [shown] = await addExhibits({ databases: [database], ...writing });
  expect(shown).toMatchObject({
    kind: 'page',
    file: 'night.html',
    html: '<h1>nothing changed</h1>',
  });
});

test('a gallery without a night says what makes one', async () => {
  const database = join(await aFolder(), 'farm.db');
  const [shown] = await addExhibits({ databases: [database], ...writing });
  expect(shown).toMatchObject({
    kind: 'missing',
    because: expect.stringContaining('nightly') as unknown,
  });
});
