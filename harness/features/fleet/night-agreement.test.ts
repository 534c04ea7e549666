import { expect, test } from '@playwright/test';
import { agreeOnNights } from './night-agreement.ts';
import { describeNights } from './fleet-text.ts';
import { splitWords } from './split-words.ts';

function night(host: string, title: string, ratio: number, confirmed = false) {
  const whole = `${title}: ${String(ratio)}× since run 7`;
  const suspects = [{ title: whole, ratio }];
  const anomalies = confirmed ? [{ title: `${whole}, confirmed` }] : [];
  return { host, document: { analysis: { suspects, anomalies } } };
}

test('counts on how many machines a change of a night was found', () => {
  const agreement = agreeOnNights([
    night('a', 'fib in chromium', 1.1, true),
    night('b', 'fib in chromium', 1.08),
    night('c', 'fib in chromium', 0.9),
    { host: 'd', document: { analysis: null } },
    { host: 'e', document: 'no night' },
    busy('f'),
  ]);
  expect(describeNights(agreement)).toEqual([
    'fib in chromium went up on 2 of 3 machines (a: confirmed, b: suspected)',
    'fib in chromium went down on 1 of 3 machines (c: suspected)',
    'f: The machine was not fit',
  ]);
});

/** A night during which something else used the machine. */
function busy(host: string): { host: string; document: object } {
  const ledger = { completed: 8, quarantined: 8 };
  const analysis = { suspects: [], anomalies: [] };
  return { host, document: { headline: 'The machine was not fit', ledger, analysis } };
}

test('calls nothing unchanged of which no trial counts', () => {
  expect(describeNights(agreeOnNights([]))).toEqual(['No host has ended its night yet.']);
  const one = { suspects: [], anomalies: [] };
  expect(
    describeNights(agreeOnNights([busy('a'), { host: 'b', document: { analysis: one } }])),
  ).toEqual(['Nothing changed on 1 machine.', 'a: The machine was not fit']);
  expect(describeNights(agreeOnNights([busy('a')]))).toEqual(['a: The machine was not fit']);
});

test('splits a typed command at blanks outside of quotes', () => {
  expect(splitWords(`compare 'old page.html' new.html --param "n=1 2" a'b c'd`)).toEqual([
    ...['compare', 'old page.html', 'new.html', '--param', 'n=1 2', 'ab cd'],
  ]);
  expect(() => splitWords(`run 'x`)).toThrow(/no end/);
  expect(splitWords('  ')).toEqual([]);
});
