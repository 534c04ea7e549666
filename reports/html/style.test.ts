import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { colours } from './style.ts';

test('pages for people have the colours of the reports', () => {
  const frame = readFileSync(new URL('../../pages/kit/page.css', import.meta.url), 'utf8');
  const [light, dark] = colours.split('@media').map(listColours);
  const [frameLight = '', frameDark = ''] = frame.split('@media');
  expect(light).toMatchObject(listColours(frameLight));
  expect(dark).toMatchObject(listColours(frameDark.slice(0, frameDark.indexOf('\n}\n'))));
  expect(Object.keys(listColours(frameLight))).toEqual(Object.keys(listColours(frameDark)));
});

function listColours(css: string): Record<string, string> {
  const pairs = [...css.matchAll(/(--[\w-]+):\s*([^;]+);/g)];
  return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, value]));
}
