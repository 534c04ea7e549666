/** `farm compare chromium firefox --page mine.html`. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { aFakeFarm } from '../../testing/fake-farm.ts';
import { pagesWith } from '../../testing/fake-pages.ts';

const both = ['compare', 'one', 'two', '--page', 'mine.html', '--max-blocks', '8'];

async function aFarmWithPage() {
  const trial = pagesWith(() => ({ 'measure:loop': 5, 'measure:sort': 7 }));
  const scene = await aFakeFarm({ devices: ['one', 'two', 'chromium'], trial });
  await writeFile(join(scene.folder, 'mine.html'), '<!doctype html>');
  return scene;
}

test('two devices are compared on a page by its first own measure', async () => {
  const { farm } = await aFarmWithPage();
  const run = await farm(...both, '--json', '--seed', '1');
  expect(run.stderr).toContain('compares loop; --measure chooses another, and the report has sort');
  expect(run.code, run.stderr).toBe(0);
  const answer = JSON.parse(run.stdout) as { readonly command: string };
  expect(answer).toMatchObject({
    verdict: 'equivalent',
    ratio: 1,
    a: { device: 'one', case: 'page version=mine.html' },
    b: { device: 'two', case: 'page version=mine.html' },
  });
  expect(answer.command).toContain('compare one two --page mine.html ');
  const [, ...again] = answer.command.replace('npx ', '').split(' ');
  const repeated = await farm(...again, '--json');
  expect(JSON.parse(repeated.stdout)).toMatchObject({ verdict: 'equivalent', seed: 1 });
});

test('a comparison on a page names it, and takes another measure and one device twice', async () => {
  const { farm } = await aFarmWithPage();
  const asked = ['compare', 'one', 'one', '--page', 'mine.html', '--measure', 'measure:sort'];
  const run = await farm(...asked, '--max-blocks', '8', '--b-flag=--x');
  expect(run.code, run.stderr).toBe(0);
  expect(run.stdout).toMatch(/^a {2}one@a {2}page version=mine\.html/m);
  expect(run.stdout).not.toContain('--continue');
  const decided = await farm('compare', '--continue', 'latest');
  expect(decided.code, decided.stderr).toBe(0);
  expect(decided.stderr).toContain('is decided already: a verdict that was reached stays');
  const { stdout } = await farm('runs');
  expect(stdout).toContain('mine.html');
});

test('keeps git refs as versions, and refuses misspelt devices and wrong options', async () => {
  const { farm } = await aFarmWithPage();
  for (const [args, says] of [
    [['gone-ref', 'HEAD', '--page', 'mine.html'], /gone-ref is neither a file.* nor a git ref/],
    [['one', '--page', 'mine.html'], /two versions of a page, two devices/],
    [['one', 'two', '--page', 'gone.html'], /gone\.html does not exist/],
    [['one', 'tow', '--page', 'mine.html'], /no device "tow"\. *\n *Did you mean "two"/],
    [['one', 'two', '--page', 'mine.html', '--param', 'n=1'], /--param cannot be said of two dev/],
    [['one', 'two', '--page', 'mine.html', '--fail-on', 'slower'], /--fail-on cannot be said/],
  ] as const) {
    const run = await farm('compare', ...args);
    expect(run.code, args.join(' ')).toBe(2);
    expect(run.stderr).toMatch(says);
  }
});
