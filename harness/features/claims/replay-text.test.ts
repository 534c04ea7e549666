import { expect, test } from '@playwright/test';
import { stripVTControlCharacters } from 'node:util';
import type { Bundle } from '../bundles/bundle/format.ts';
import { compareNumbers } from '../bundles/bundle/replay.ts';
import { numbers, question, record } from '../../testing/bundle-example.ts';
import type { ReplayedBundle } from './reproduce-bundle.ts';
import { describeReplay, replayJson } from './replay-text.ts';

function told(id: string, title = 'Claim A3'): ReplayedBundle {
  const asked = { ...question, id, title };
  const bundle: Bundle = {
    question: asked,
    numbers,
    targets: [],
    trials: [],
    pages: [],
    farmVersion: '0.1.0',
    seed: 7,
    isolation: 'session',
    command: 'x',
    startedAt: record.run.startedAt,
    machine: record.run.machine,
  };
  return {
    path: '/a3.zip',
    bundle,
    verdict: 'reproduced',
    reason: 'same direction',
    remedy: null,
    unfinished: false,
    replay: compareNumbers(asked, numbers, numbers),
    differences: [],
    run: 1,
    report: '/out/replay-run-1.html',
    command: 'npx crossfarm claims reproduce a3.zip',
  };
}

/** Without colours, and without the lines of the table. */
async function textOf(id: string, title?: string): Promise<string> {
  const text = stripVTControlCharacters(await describeReplay(told(id, title)));
  return text.replace(/[│\s]+/g, ' ');
}

test('a bundle with the name of a claim is reported as its own question', async () => {
  for (const id of ['A3', 'a3', 'X']) {
    const text = await textOf(id);
    expect(text).toMatch(/bundle’s own question.{1,20} A3 /);
    expect(text.indexOf('Claim A3 asyncFib is slower')).toBeGreaterThan(0);
  }
  expect(await textOf('N1', 'Anomaly N1')).toMatch(/^Anomaly N1 asyncFib is slower/);
});

test('every row names what was measured, where, and what was expected', async () => {
  const text = (await textOf('A3')).replaceAll(' ', '');
  for (const part of [
    'Firefox takes longer',
    'duration: above 1×',
    'firefox, fib function=asyncFib n=12',
    'over chromium, fib function=asyncFib n=12',
    'duration: 0.5 ms to 1.5 ms',
    'duration: shown beside',
    'over chromium@without-parallel-gc, fib function=asyncFib n=12',
  ]) {
    expect(text).toContain(part.replaceAll(' ', ''));
  }
});

test('the evidence is named, and only where something was run', async () => {
  expect(await textOf('A3')).toContain('evidence: /out/replay-run-1.html');
  expect(replayJson(told('A3'))).toMatchObject({ report: '/out/replay-run-1.html' });
  expect(replayJson({ ...told('A3'), report: null })).not.toHaveProperty('report');
});

test('gives the expected values and sides of each assertion as JSON', () => {
  expect(replayJson(told('A3'))).toMatchObject({
    assertions: [
      {
        quantity: 'duration',
        expected: { above: 1 },
        sides: ['firefox, fib function=asyncFib n=12', 'over chromium, fib function=asyncFib n=12'],
      },
      { expected: { above: 0.5, below: 1.5 }, sides: ['of firefox, fib function=asyncFib n=12'] },
      { expected: {} },
    ],
  });
});
