import { expect, test } from '@playwright/test';
import { aFormerWarmUp, aWarmUp } from './golden/example-warm-up.ts';
import { visibleWords } from './golden/markup.ts';
import { drawWarmUp, renderWarmUp } from './warm-up.ts';

test('the text names the trial, draws every iteration, and explains its speed', () => {
  const course = {
    firstMs: 8,
    steadyAfterMs: 12,
    noisy: true,
    windowAtMs: 22,
    disturbed: [],
    endMs: [8, 12, 14, 16, 18, 30, 38],
    segments: [
      { fromMs: 0, toMs: 12, level: 5.66 },
      { fromMs: 12, toMs: 38, level: 2 },
    ],
  };
  const facts = aWarmUp({ warmUp: [8, 4, 2, 2, 2], timed: [2, 2], course });
  const lines = drawWarmUp(facts).split('\n');
  expect(lines.slice(0, 13)).toEqual([
    'Warm-up of fib function=syncFib n=20 place=worker',
    'Chromium (Chromium 156.0.7204.49), run 12, block 4: the least steady of 27 completed trials',
    '',
    'before the window: duration of one operation, by the time since the first call began',
    '    8.00 ms     8.00 ms  ████████████████████████████████████████',
    '    12.0 ms     4.00 ms  ████████████████████',
    '    14.0 ms     2.00 ms  ██████████',
    '    16.0 ms     2.00 ms  ██████████',
    '    18.0 ms     2.00 ms  ██████████',
    'timed:',
    '    30.0 ms     2.00 ms  ██████████',
    '    38.0 ms     2.00 ms  ██████████',
    '',
  ]);
  const [verdict, segments, starts, value, repeats] = lines.slice(13);
  expect(verdict).toMatch(/^Warm-up: .*noisy: /);
  expect(segments).toMatch(/ 5\.66 ms .*12\.0 ms, then 2\.00 ms/);
  expect(starts).toMatch(/first call .*8\.00 ms, .*steady state .*12\.0 ms, .*window .*22\.0 ms/);
  expect(value).toMatch(/^Value: 150 µs, the mean .* 2 .*less 210 µs .*median .*150 µs/);
  expect(repeats).toMatch(/^k = 4: .* 4 times.* 5\.00 µs, .*1\.25 µs/);
  expect(lines).toHaveLength(18);
});

test('iterations that do not count are crosses in the chart', async () => {
  const facts = aWarmUp();
  const { course, value } = facts;
  const disturbed = [3, 4, 5];
  const slow = { course: { ...course!, disturbed }, value: { ...value, disturbed: 3 } };
  const [calm, shared] = [await renderWarmUp(facts), await renderWarmUp(aWarmUp(slow))];
  const dots = (page: string): number => page.match(/<circle/g)?.length ?? 0;
  expect(dots(calm) - dots(shared)).toBe(3);
  expect(visibleWords(shared)).toMatch(/crosses: .*do not count/);
  expect(visibleWords(calm)).not.toContain('crosses');
});

test('many iterations are taken together, and very slow first ones make the bars logarithmic', () => {
  const text = drawWarmUp(aWarmUp());
  expect(text).toMatch(/logarithmic.* \S+ µs .*\S+ ms/);
  expect(text).toMatch(/^ +18\.\d ms /m);
  expect(drawWarmUp(aFormerWarmUp())).toMatch(/^ +1–3 /m);
  expect(text.split('\n').length).toBeLessThan(50);
});

const { course } = aWarmUp();
const [first, ...others] = course!.segments;
const many = [first!, ...Array.from({ length: 3 }, () => others).flat()];

for (const [what, facts, says] of [
  ['flat', aWarmUp({ steadiness: 'flat' }), /Flat: one speed from the first call on\./],
  ['a slowdown', aWarmUp({ steadiness: 'slowdown' }), /an earlier one was faster than that of/],
  [
    'no steady state',
    aWarmUp({ steadiness: 'no steady state', course: { ...course!, steadyAfterMs: null } }),
    /The first call took 12\.\d ms, it had no steady state, and/,
  ],
  [
    'segments in a great number',
    aWarmUp({ course: { ...course!, segments: many } }),
    /12\.2 ms for the first 12\.\d ms, then 3\.10 ms for 2\d\.\d ms, then 1\.03 ms for 1\d\.\d ms, then 6 more segments, then 150 µs\./,
  ],
  [
    'an older trial',
    aFormerWarmUp(),
    /measured before steady state was searched for\. A rule .* called it “steady”\. Value: 150 µs, the median/s,
  ],
  ['a first run', aFormerWarmUp({ steadiness: 'first run', warmUp: [] }), /no warm-up/],
  ['values of 0', aFormerWarmUp({ warmUp: [0, 0, 1], timed: [0] }), /known to 1.25 µs/],
  ['nothing at all', aFormerWarmUp({ warmUp: [], timed: [] }), /0 timed iterations/],
] as const) {
  test(`${what} is shown in the terminal and in the page`, async () => {
    expect(drawWarmUp(facts).replace(/\s+/g, ' ')).toMatch(says);
    expect(visibleWords(await renderWarmUp(facts)).replace(/\s+/g, ' ')).toMatch(says);
  });
}

test("the page draws segments, window and each iteration's end", async () => {
  const page = await renderWarmUp(aWarmUp());
  expect(page.match(/<path[^>]* d="M[\d.]+,([\d.]+)L[\d.]+,\1"/g)).toHaveLength(4);
  expect(visibleWords(page)).toContain('Ended after');
  expect(visibleWords(await renderWarmUp(aFormerWarmUp()))).not.toContain('Ended after');
});

test('sends no escape sequence to a terminal', () => {
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
