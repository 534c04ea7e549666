import { expect, test } from '@playwright/test';
import { aResult } from '../../testing/builders.ts';
import { parseMessage, trialResult } from './messages.ts';

const mostValues = 100_100;

function parse(warmUp: readonly unknown[], timed: readonly unknown[]) {
  const samples = [{ metric: 'duration', unit: 'ms', warmUp, timed }];
  const text = JSON.stringify({ ...aResult([1]), samples });
  return parseMessage('result', text, trialResult);
}

test('accepts as many numbers as a trial may have', () => {
  const numbers = Array<number>(mostValues).fill(1.5);
  const parsed = parse(numbers, numbers);
  expect(parsed).toMatchObject({ ok: true });
  expect(parsed.ok && parsed.value.samples[0]?.timed).toEqual(numbers);
});

test('refuses a message with a hundred thousand mistakes, and names one of each list', () => {
  const mistakes = Array(mostValues).fill('');
  expect(parse(mistakes, mistakes)).toEqual({
    ok: false,
    why: expect.stringMatching(
      /: \$\.samples\[0\]\.warmUp\[0\]: [^$]+; \$\.samples\[0\]\.timed\[0\]: [^$]+$/,
    ),
  });
});

for (const [what, timed, sentence] of [
  ['none', [], 'timed: '],
  ['one too many', Array(mostValues + 1).fill(1), 'timed: '],
  ['a word', [1, '2'], 'timed[1]: must be a finite number'],
  ['nothing', [1, null], 'timed[1]: must be a finite number'],
] as const) {
  test(`timed values with ${what} are refused`, () => {
    expect(parse([], timed)).toMatchObject({
      ok: false,
      why: expect.stringContaining(sentence),
    });
  });
}

test('refuses numbers that no clock gives and accepts the adjacent ones @attack', () => {
  for (const beyond of [1.7e308, -1.7e308, 1e-300, 5e-324, 1.1e18]) {
    expect(parse([], [1, beyond]), String(beyond)).toMatchObject({
      ok: false,
      why: expect.stringContaining('timed[1]: must be a finite number: 0, or 1e-30 to'),
    });
    const counted = JSON.stringify({ ...aResult([1]), counters: { calls: beyond } });
    expect(parseMessage('result', counted, trialResult), String(beyond)).toMatchObject({
      ok: false,
      why: expect.stringContaining('$.counters.calls'),
    });
  }
  expect(parse([], [0, 1e-9, 1e18])).toMatchObject({ ok: true });
});

test('a duration below 0 is refused, and another value below 0 is taken @attack', () => {
  const [sample] = aResult([1, -1]).samples;
  const parsed = (unit: string) =>
    parseMessage(
      'result',
      JSON.stringify({ ...aResult([1]), samples: [{ ...sample, unit }] }),
      trialResult,
    );
  expect(parsed('ms')).toMatchObject({ ok: false, why: expect.stringContaining('below 0') });
  expect(parsed('points')).toMatchObject({ ok: true });
});

test('a number beyond all bounds is refused', () => {
  const text = JSON.stringify(aResult([4711])).replace('4711', '1e999');
  expect(parseMessage('result', text, trialResult)).toMatchObject({ ok: false });
});

test('refuses a message at which a schema throws', () => {
  const throwing = trialResult.transform(() => {
    throw new RangeError('too many');
  });
  const text = JSON.stringify(aResult([1]));
  expect(parseMessage('result', text, throwing)).toEqual({
    ok: false,
    why: "The page's result is not of the protocol's form: too many.",
  });
});
