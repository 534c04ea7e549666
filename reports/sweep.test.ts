import { expect, test } from '@playwright/test';
import { payload, poisoned } from './golden/hostile.ts';
import { parsePage } from './golden/markup.ts';
import { aSweep } from './golden/sweep-example.ts';
import { renderSweep } from './sweep.ts';

test('each build is a mark that says its value and leads to its row', () => {
  const findings = aSweep();
  const page = parsePage(renderSweep(findings));
  const marks = [...page.querySelectorAll('.versions a')].map(({ textContent }) => textContent);
  expect(marks).toHaveLength(findings.points.length);
  expect(marks[4]).toMatch(/chromium@132: 319\sµs.*1\.13 \(1\.12 … 1\.15\) times chromium@156/s);
  for (const { version } of findings.points) {
    expect(page.querySelector(`#build-chromium-${version}`)).not.toBeNull();
  }
});

test('changes are stripes with the numbers of their sentences', () => {
  const page = parsePage(renderSweep(aSweep()));
  const numbers = [...page.querySelectorAll('.versions .number')].map((one) => one.textContent);
  expect(numbers).toEqual(['1', '2']);
  const sentences = [...page.querySelectorAll('ol li')].map((one) => one.textContent);
  expect(sentences[0]).toMatch(/8\.2 % slower .* since chromium@132/);
  expect([...page.querySelectorAll('.worse')]).toHaveLength(1);
  expect([...page.querySelectorAll('.better')]).toHaveLength(1);
});

test('the axis is linear and says where it begins', () => {
  expect(renderSweep(aSweep())).toContain('it does not begin at 0');
  const [first, ...others] = aSweep().points;
  if (first === undefined) throw new Error('the example has builds');
  const far = [{ ...first, ratio: 4, low: 4, high: 4 }, ...others];
  expect(renderSweep(aSweep({ points: far }))).toContain('The axis begins at 0');
});

test('a sweep without numbers has no chart', () => {
  const points = aSweep().points.map((point) => ({ ...point, value: null, ratio: null }));
  const page = parsePage(renderSweep(aSweep({ points, changes: [], open: [] })));
  expect(page.querySelector('.versions')).toBeNull();
});

test('hostile names are text', () => {
  const markup = renderSweep(poisoned(aSweep()));
  expect(payload).toContain('<script>');
  expect(markup.replace(/<script type="application\/json"[^]*/, '')).not.toContain(
    '<script>window',
  );
});
