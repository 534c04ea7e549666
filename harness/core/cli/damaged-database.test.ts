import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { aDamagedDatabase } from '../../testing/damaged-database.ts';
import { aFolder } from '../../testing/folder.ts';
import { farmInProcess as farm } from '../../testing/in-process-farm.ts';

test('no run writes to a database with overwritten pages @attack', async () => {
  const folder = await aFolder();
  const path = await aDamagedDatabase(folder);
  const bytes = readFileSync(path);
  const measuring = ['run', '--bench', 'control', '--device', 'node', '--trials', '1'];
  const refused = await farm(folder, ...measuring, '--database', 'farm.db');
  expect(refused.stderr).toMatch(
    /farm: .*farm\.db is not a database of crossfarm, or it is damaged/,
  );
  expect(refused.stderr).toContain('npx crossfarm db import');
  expect(refused.code).toBe(3);
  expect(readFileSync(path)).toEqual(bytes);
});
