import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@playwright/test';
import { aFolder } from '../../testing/folder.ts';
import { farmInProcess } from '../../testing/in-process-farm.ts';
import { aStoredHistory, hostile } from '../../testing/stored-history.ts';

async function gallery(...args: readonly string[]) {
  const folder = await aFolder();
  const out = join(folder, 'gallery');
  const finished = await farmInProcess(folder, 'report', '--gallery', out, ...args);
  return { ...finished, out };
}

test('shows the newest runs, says what is left out, and every link leads to a page', async () => {
  const database = await aStoredHistory();
  const { code, stdout, stderr, out } = await gallery('--database', database);
  expect(code, stderr).toBe(0);
  expect(stdout).toContain(join(out, 'index.html'));
  expect(stdout).toMatch(/left out: Versions of a page: no stored run .*compare old\.html/);
  const index = readFileSync(join(out, 'index.html'), 'utf8');
  expect(index).not.toContain(hostile);
  const [, main = ''] = index.split('<main>');
  const links = [...main.matchAll(/href="([^"#]+)/g)].map(([, link = '']) => link);
  expect(new Set(links)).toEqual(new Set(['claims.html', 'quick-start.html']));
  for (const link of links) expect(existsSync(join(out, link))).toBe(true);
  // The pages name no path of this machine.
  for (const file of ['index.html', ...links]) {
    expect(readFileSync(join(out, file), 'utf8')).not.toContain(dirname(database));
  }
  // Nothing is loaded from anywhere.
  expect(index).not.toMatch(/(?:src|href)="(?:https?:|\/\/)/);
});

test('takes several databases, and tells a script what it wrote', async () => {
  const [one, other] = [await aStoredHistory(), await aStoredHistory()];
  const { stdout, out } = await gallery('--database', one, '--also', other, '--json');
  const written = JSON.parse(stdout) as { path: string; pages: string[]; leftOut: string[] };
  expect(written.path).toBe(join(out, 'index.html'));
  expect(written.pages).toEqual(['claims.html', 'quick-start.html'].map((file) => join(out, file)));
  expect(written.leftOut.length).toBeGreaterThan(2);
});

test('refuses named runs and databases that are missing, before it writes anything', async () => {
  const database = await aStoredHistory();
  const named = await gallery('3', '--database', database);
  expect(named.code).toBe(2);
  expect(named.stderr).toMatch(/newest runs of each kind/);
  const missing = await gallery('--database', database, '--also', '/nowhere/farm.db');
  expect(missing.code).toBe(2);
  expect(missing.stderr).toContain('/nowhere/farm.db does not exist');
  expect(existsSync(missing.out)).toBe(false);
});
