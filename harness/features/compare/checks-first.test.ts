/** Mistakes of a command line are found before a version is checked out or built. */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { execa } from 'execa';
import { aFakeFarm } from '../../testing/fake-farm.ts';

for (const [title, args, says] of [
  ['a browser that is not listed', ['--browsers', 'firefx'], /no device "firefx"/],
  ['a build that is not here', ['--browsers', 'one@99'], /The build one@99 is not here/],
  ['a broken expression', ['--measure', 'app..total'], /not an expression of JavaScript/],
  ['a measure without a name', ['--measure', 'measure:'], /not an expression of JavaScript/],
  [
    'a broken expression to begin with',
    ['--begin', 'start('],
    /--begin start\( is not an expression/,
  ],
  ['a header without a value', ['--header', 'Authorization'], /--header is no Name: value/],
  ['a header without a URL', ['--header', 'X-Key: 1'], /no version is one/],
  ['input steps that are not there', ['--input', 'gone.json'], /gone\.json/],
  ['a server without an address', ['--server', 'node server.js'], /--server needs --url/],
  [
    'a page beside a server',
    ['--server', 'x', '--url', 'http://localhost:{port}/', '--page', 'a.html'],
    /--page is about the farm's own page server/,
  ],
  ['an unknown network', ['--network', 'dial-up'], /slow-4g/],
  ['CPU time without its probe', ['--measure', 'cpu'], /--no-probes/],
  ['a budget without a time', ['--budget', 'soon'], /duration such as 90/],
  ['a limit without a share', ['--fail-on', 'slower=much'], /share such as 2%/],
  ['a throttling of nothing', ['--cpu-throttling', '1'], /more than 1/],
  ['too few blocks', ['--max-blocks', '2', '--measurement', 'standard'], /2 blocks cannot decide/],
  ['a last ref that is not there', ['gone-branch'], /gone-branch is neither a file/],
] as const) {
  test(`${title} is refused before a build`, async () => {
    const { folder, farm, driver } = await aFakeFarm();
    const git = async (...words: readonly string[]): Promise<void> => {
      const author = ['-c', 'user.name=x', '-c', 'user.email=x@example.org'];
      await execa('git', [...author, ...words], { cwd: folder });
    };
    await writeFile(join(folder, 'index.html'), '<!doctype html>');
    await git('init', '--quiet');
    await git('add', 'index.html');
    await git('commit', '--quiet', '--message', 'one');
    await git('branch', 'other');
    const built = join(folder, 'built');
    const build = ['--build', `echo built > '${built}'`];
    const run = await farm('compare', 'HEAD', 'other', ...args, ...build);
    expect(run.stderr).toMatch(says);
    expect(run.code).toBe(2);
    expect(existsSync(built)).toBe(false);
    expect(driver.launches).toEqual([]);
  });
}

test('a database that is none is refused before a version is opened', async () => {
  const { folder, farm, driver } = await aFakeFarm();
  for (const page of ['old.html', 'new.html']) {
    await writeFile(join(folder, page), '<!doctype html>');
  }
  await writeFile(join(folder, 'bad.db'), 'no database, but a text of some length\n'.repeat(100));
  const run = await farm('compare', 'old.html', 'new.html', '--database', 'bad.db');
  expect(run.stderr).toContain('bad.db');
  expect(run.code).not.toBe(0);
  expect(driver.launches).toEqual([]);
});
