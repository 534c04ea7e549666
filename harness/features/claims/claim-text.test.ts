import { stripVTControlCharacters } from 'node:util';
import { expect, test } from '@playwright/test';
import { claims } from './catalogue/index.ts';
import { describeEvidence } from './judging/evidence.ts';
import type { ClaimAnswer } from './claims.ts';
import type { Question } from '../../core/model/question.ts';
import type { RunRecord } from '../../core/model/run.ts';
import {
  aCompletion,
  aFoundDevice,
  aJob,
  anAnomaly,
  aRecord,
  aTrial,
} from '../../testing/builders.ts';
import { claimJson, describeAnswer, worst } from './claim-text.ts';
import { claimsMarkdown } from './claims-markdown.ts';

type MeasuredAnswer = Extract<ClaimAnswer, { kind: 'measured' }>;

const [claim] = claims;
if (claim === undefined) throw new Error('the catalogue is empty');

/** An answer to “old is slower than new, 1.4 to 1.6 times”, of the given number of blocks. */
function measured(ratio: number, blocks: number, published?: string): MeasuredAnswer {
  const { question: plain } = anAnomaly();
  const question: Question = {
    ...plain,
    assertions: plain.assertions.map((one) =>
      published === undefined
        ? one
        : { ...one, published: { text: published, low: null, high: null } },
    ),
  };
  const trials = Array.from({ length: blocks }, (_, block) =>
    ['old', 'new'].map((deviceId, index) =>
      aTrial(aJob({ deviceId, block, ordinal: block * 2 + index }), [
        10 * (deviceId === 'old' ? ratio : 1) * (1 + (block % 3) / 100),
      ]),
    ),
  ).flat();
  const plainRecord = aRecord(
    ['old', 'new'].map((id) => aFoundDevice(id)),
    trials,
  );
  const command = 'npx crossfarm claims reproduce T1 --max-blocks 3 --seed 1';
  const record: RunRecord = { ...plainRecord, question, run: { ...plainRecord.run, command } };
  const writing = { writtenAt: '2026-11-21T00:00:00.000Z', farmVersion: '0.1.0' };
  return {
    kind: 'measured',
    claim: claim as MeasuredAnswer['claim'],
    evidence: describeEvidence(record, question, writing),
    answer: { record, interrupted: false, vanished: null },
    path: null,
  };
}

const confirmed = measured(1.5, 20);
const refuted = measured(0.5, 20);
const open = measured(1.5, 3);
const untestable: ClaimAnswer = {
  kind: 'not-testable',
  claim,
  because: 'no | phone\nis here',
  command: 'npx crossfarm claims reproduce A10',
  path: null,
};

test('confirmed is 0, refuted 1, undecided or not testable here 4', () => {
  expect(worst([confirmed])).toBe(0);
  expect(worst([refuted])).toBe(1);
  expect(worst([open])).toBe(4);
  expect(worst([untestable])).toBe(4);
});

test('a farm that could not finish gives 3, also if something else is open', () => {
  expect(worst([{ ...open, answer: { ...open.answer, interrupted: true } }])).toBe(3);
  expect(worst([{ ...open, answer: { ...open.answer, vanished: 'trials fail' } }])).toBe(3);
  expect(worst([measured(1, 0)])).toBe(3);
  const busy = open.answer.record.trials.map((trial) => ({
    ...trial,
    outcome: aCompletion({ quarantine: ['the machine was busy'] }),
  }));
  const record = { ...open.answer.record, trials: busy };
  expect(worst([{ ...open, answer: { ...open.answer, record } }])).toBe(3);
  // Earlier decisions stay decided.
  expect(worst([{ ...confirmed, answer: { ...confirmed.answer, vanished: 'x' } }])).toBe(0);
});

test('unfinished claims come before refuted ones, and these before open ones', () => {
  const vanished = { ...open, answer: { ...open.answer, vanished: 'trials fail' } };
  expect(worst([confirmed, open, refuted, vanished])).toBe(3);
  expect(worst([confirmed, open, refuted])).toBe(1);
  expect(worst([confirmed, open])).toBe(4);
  expect(worst([])).toBe(0);
});

test('direction and size have separate answers, for a program and for a person', () => {
  const told = measured(5, 20);
  expect(claimJson(told)).toMatchObject({
    verdict: 'confirmed',
    directionVerdict: 'confirmed',
    sizeVerdict: 'refuted',
    unsettled: null,
    moreBlocks: null,
    headline: expect.stringMatching(/direction confirmed.* size refuted.*larger.* 3\.1\d*\): 5× /),
  });
  expect(stripVTControlCharacters(describeAnswer(told))).toMatch(
    /^ +confirmed: direction confirmed.* size refuted.*larger.* 3\.1/m,
  );
  expect(claimJson(untestable)).toMatchObject({
    verdict: 'not-testable',
    directionVerdict: null,
    sizeVerdict: null,
  });
});

test('an open claim says what it would take, and why it stopped', () => {
  const text = stripVTControlCharacters(describeAnswer(open));
  expect(text).toMatch(/ open .*\d+ more blocks.* 3 blocks of --max-blocks/);
});

test('as Markdown each section is a table, and nothing in it ends a cell', () => {
  const lines = claimsMarkdown([
    measured(5, 20),
    open,
    untestable,
    { ...untestable, kind: 'not-measured' },
    measured(1, 0),
    { ...measured(1.5, 20, 'a chart'), claim: { ...claim, id: 'B1', sentence: 'a | b\n<c>' } },
  ]).split('\n');
  expect(lines[0]).toMatch(/^### A\. “/);
  expect(lines[2]).toMatch(/^\| id \| claim \| published \|.*\|$/);
  const rows = lines.filter((line) => line.startsWith('| A') || line.startsWith('| B'));
  expect(rows).toHaveLength(6);
  for (const row of rows) expect(row.match(/(?<!\\)\|/g)).toHaveLength(10);
  expect(rows[0]).toMatch(
    /\| confirmed \| confirmed \| refuted \(larger\) \| 5× \([\d.]+ … [\d.]+\) \| 20 \| `npx crossfarm claims reproduce T1 --max-blocks 3 --seed 1` \|$/,
  );
  expect(rows[1]).toMatch(/\| open (\| open \([\w ]+ \d+ more blocks\) ){2}\|/);
  expect(rows[2]).toContain('| not testable |  |  | no \\| phone is here |  |');
  expect(rows[3]).toContain('| not measured |  |  | not measured yet |');
  expect(rows[4]).toMatch(/\| open \| open \| open \| [^|]*trials failed/);
  expect(lines).toContain(`### B. ${lines[0]?.slice('### A. '.length) ?? ''}`);
  expect(rows[5]).toContain('| B1 | a \\| b &lt;c> |');
  expect(rows[5]).toContain('| confirmed | not published | 1.5× (');
});
