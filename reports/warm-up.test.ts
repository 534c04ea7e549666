import { expect, test } from '@playwright/test';
import { aWarmUp } from './golden/example-warm-up.ts';
import { drawWarmUp } from './warm-up-text.ts';
import { renderWarmUp } from './warm-up.ts';

const judged = aWarmUp().judged!;

test('the text says which trial, draws every iteration, and gives the rule’s verdict', () => {
  const lines = drawWarmUp(aWarmUp({ warmUp: [8, 4, 2, 2, 2, 2, 2], timed: [2, 2] })).split('\n');
  expect(lines).toEqual([
    'Warm-up of fib function=syncFib n=20 place=worker',
    'Chromium (Chromium 156.0.7204.49), run 12, block 4: the least steady of 27 completed trials',
    '',
    'warm-up: duration of one operation',
    '          1     8.00 ms  ████████████████████████████████████████',
    '          2     4.00 ms  ████████████████████',
    '          3     2.00 ms  ██████████',
    '          4     2.00 ms  ██████████',
    '          5     2.00 ms  ██████████',
    '          6     2.00 ms  ██████████',
    '          7     2.00 ms  ██████████',
    'timed:',
    '          8     2.00 ms  ██████████',
    '          9     2.00 ms  ██████████',
    '',
    'Warm-up ended steady, after 7 iterations.',
    'The last 6, in two halves, have medians of 150 µs and 160 µs: a change of 1.3 %, where up to ± 5 % counts as none; Kendall’s τ is 0.20.',
    'k = 4: each of the 2 timed iterations ran the operation 4 times. The clock steps by 5.00 µs, so one operation is known to 1.25 µs.',
  ]);
});

test('many iterations are taken together, and very slow first ones make the bars logarithmic', () => {
  const text = drawWarmUp(aWarmUp());
  expect(text).toMatch(/bars logarithmic, from \S+ µs to \S+ ms/);
  expect(text).toMatch(/^ +1–3 /m);
  expect(text).toMatch(/^ +79–80 /m);
  expect(text.split('\n').length).toBeLessThan(50);
});

for (const [what, changes, says] of [
  ['slowing', { steadiness: 'slowing', judged: { ...judged, change: 0.3 } }, /still got slower/],
  ['no steady state', { steadiness: 'no steady state' }, /By these alone it would be steady/],
  [
    'a slow slide',
    { steadiness: 'no steady state', judged: { ...judged, trend: -1 } },
    /strictly falling order, a slow slide/,
  ],
  [
    'too few to judge',
    { warmUp: [1, 1], judged: null },
    /looks at six iterations, and there were 2/,
  ],
  ['values of 0', { warmUp: [0, 0, 1], timed: [0] }, /known to 1.25 µs/],
  ['nothing at all', { warmUp: [], timed: [], judged: null }, /there were 0/],
] as const) {
  test(`${what} is told in the terminal and in the page`, async () => {
    const facts = aWarmUp(changes);
    expect(drawWarmUp(facts)).toMatch(says);
    const html = (await renderWarmUp(facts)).replaceAll('\u00a0', ' ');
    expect(html.replace(/\s+/g, ' ')).toMatch(says);
  });
}

test('a terminal is sent nothing that it would obey', () => {
  const text = drawWarmUp(
    aWarmUp({
      title: 'a\u001b[31mred\u001b[0m',
      target: { id: 'x', name: 'b\u202egnp.exe', browser: '\u0007\u009bc1' },
    }),
  );
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u0080-\u009f\u202a-\u202e]/);
  expect(text).toContain('ared');
});

test('a page of a hundred thousand iterations stays small', async () => {
  const warmUp = Array.from({ length: 100_000 }, (_, i) => 1 + (i % 7) / 100);
  const html = await renderWarmUp(aWarmUp({ warmUp }));
  expect(Buffer.byteLength(html)).toBeLessThan(1_000_000);
});
