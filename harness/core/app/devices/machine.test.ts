import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { aDamagedDatabase } from '../../../testing/damaged-database.ts';
import { aFolder } from '../../../testing/folder.ts';
import { describeDatabase } from './machine.ts';

test('a database with overwritten pages makes a machine unfit @attack', async () => {
  const folder = await aFolder();
  const path = await aDamagedDatabase(folder);
  expect(await describeDatabase(path)).toMatchObject({
    id: 'database',
    level: 'unfit',
    what: expect.stringContaining(path) as unknown,
    remedy: expect.stringContaining('npx crossfarm db import') as unknown,
  });
  const none = join(folder, 'none.db');
  expect(await describeDatabase(none)).toMatchObject({
    level: 'fine',
    what: `${none} is not there yet`,
  });
});
