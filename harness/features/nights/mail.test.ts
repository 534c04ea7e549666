import { inflateSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import { aNight } from '../../testing/nights.ts';
import { makeMail } from './mail.ts';
import { drawNights } from './nights-picture.ts';

const lost = { kind: 'device-lost', text: 'pixel is lost: <img src=x onerror=1>' } as const;

test('a mail has a title, what happened in three sentences, a table, and the nights in words', () => {
  const night = aNight({ changes: [lost], status: 'attention' });
  const { html } = makeMail(night, [lost], [aNight({ status: 'red' }), aNight({ status: 'fine' })]);
  expect(html).toMatch(/<h1[^>]*>pixel is lost: &lt;img/);
  expect(html).toContain('The night ended attention, with 1 change since the night before.');
  expect(html).toContain('Run 7 completed 4 of 4 cells; 0 failed.');
  expect(html).toContain('No series is suspected of a change.');
  expect(html).toMatch(/<td[^>]*>device lost<\/td>/);
  expect(html).toContain(
    'alt="The last 3 nights, the oldest first: 1 fine, 1 red, 1 attention; the last one attention."',
  );
});

test('nothing of a mail is loaded from anywhere, and what a page said stays text', () => {
  const { html } = makeMail(aNight(), [lost], []);
  expect([...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, target]) => target)).toEqual([
    'cid:nights',
  ]);
  expect(html).not.toContain('<img src=x');
});

test('a mail of many changes stays short', () => {
  const changes = Array.from({ length: 50 }, () => lost);
  const { html } = makeMail(aNight(), changes, []);
  expect(html.match(/device lost/g)).toHaveLength(20);
  expect(html).toContain('30 more changes');
});

test('the picture is a PNG with a bar for each night, the higher the worse', () => {
  const png = drawNights(['fine', 'red']);
  expect(png.subarray(1, 4).toString()).toBe('PNG');
  const width = png.readUInt32BE(16);
  const from = png.indexOf('IDAT') + 4;
  const pixels = inflateSync(png.subarray(from, from + png.readUInt32BE(from - 8)));
  const heightOf = (x: number, colour: number): number =>
    Array.from({ length: png.readUInt32BE(20) }, (_, y) => pixels[y * (width + 1) + 1 + x]).filter(
      (one) => one === colour,
    ).length;
  expect(heightOf(8, 2)).toBeGreaterThan(0);
  expect(heightOf(24, 4)).toBeGreaterThan(2 * heightOf(8, 2));
});
