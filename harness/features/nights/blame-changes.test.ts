import { expect, test } from '@playwright/test';
import type { CalledCommand, CallCommand } from '../../core/cli/io.ts';
import { anAnomaly } from '../../testing/builders.ts';
import { blameChanges } from './blame-changes.ts';

interface Scene {
  readonly answer?: Partial<CalledCommand>;
  readonly budgetMs?: number;
}

const hour = 3_600_000;

/** Two confirmed changes, of which the run of the second is gone. */
async function blameTwo({ answer, budgetMs = hour }: Scene) {
  const asked: (readonly string[])[] = [];
  const callCommand: CallCommand = (words) => {
    asked.push(words);
    return Promise.resolve({ exitCode: 0, document: null, text: '', ...answer });
  };
  const anomalies = [anAnomaly({ id: 'N1', run: 7 }), anAnomaly({ id: 'N2', run: null })];
  const confirmed = [
    { id: 'N1', title: 'fib is slower' },
    { id: 'N2', title: 'sort is slower' },
  ];
  const blamed = await blameChanges(confirmed, {
    database: 'a.db',
    anomalies,
    budgetMs,
    callCommand,
    signal: new AbortController().signal,
    say: () => undefined,
  });
  return { asked, blames: blamed.map(({ blame }) => blame) };
}

test('asks for the function of each confirmed change, and says where that cannot be found', async () => {
  const { asked, blames } = await blameTwo({ answer: { document: { inShort: 'it is in fib' } } });
  expect(blames).toEqual([
    'it is in fib',
    'its function is not known: the run that confirmed it is gone',
  ]);
  expect(asked).toEqual([
    ['blame', '7', '--database', 'a.db', '--budget', '240s', '--max-blocks', '20'],
  ]);
});

test('quotes why a command refused, and reads no other document', async () => {
  const text = 'wait\nRun 7 cannot be measured again: it was imported.';
  const answer = { exitCode: 2, document: { inShort: 1 }, text } as const;
  const { blames } = await blameTwo({ answer, budgetMs: 100_000 });
  expect(blames[0]).toBe(
    'its function is not known: Run 7 cannot be measured again: it was imported.',
  );
});

test('begins nothing where the time of the analysis is over', async () => {
  const { asked, blames } = await blameTwo({ budgetMs: 10_000 });
  expect(asked).toEqual([]);
  expect(blames[0]).toBe('its function is not known: the time of the analysis was over');
});
