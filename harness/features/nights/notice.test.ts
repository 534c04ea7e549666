import { expect, test } from '@playwright/test';
import { aNight } from '../../testing/nights.ts';
import { makeNotice } from './notice.ts';

const lost = { kind: 'device-lost', text: 'pixel is lost: it is off' } as const;
const red = { kind: 'red-night', text: 'the night is red: 2 of 4 cells have no outcome' } as const;

test('a night without changes sends nothing', () => {
  expect(makeNotice(aNight())).toBeNull();
});

test('a change is in the subject, all of them in the text, with the night and its report', () => {
  const files = { report: '/nights/x/report.html', junit: null, backup: null };
  const notice = makeNotice(aNight({ changes: [red, lost], status: 'red', exitCode: 3, files }))!;
  expect(notice.subject).toMatch(/on bench: the night is red: .* 1 more$/);
  expect(notice.text.split('\n')).toEqual([
    `- ${red.text}`,
    `- ${lost.text}`,
    '',
    expect.stringMatching(/^Run 7: 4 of 4 .*completed.* 0 failed/),
    'Report: /nights/x/report.html',
    expect.stringMatching(/^Night 2026-11-21T02-30-00Z .*\bbench.*\bred$/),
  ]);
  expect(notice.facts).toMatchObject({
    kind: 'crossfarm-notice',
    status: 'red',
    exitCode: 3,
    run: 7,
    changes: [red, lost],
  });
});

test('excluded trials are reported', () => {
  const ledger = { ...aNight().ledger!, quarantined: 3 };
  expect(makeNotice(aNight({ changes: [lost], ledger }))!.text).toContain('0 skipped, 3 excluded');
});

test('an unfit machine is named at any status', () => {
  const busy = { id: 'foreign-cpu', level: 'unfit', what: 'others used 48 %', remedy: '' } as const;
  const preflight = { fit: false, findings: [busy] };
  expect(makeNotice(aNight({ changes: [lost], preflight }))!.text).toContain(
    '\nThe machine was not fit when the night began: others used 48 %.\n',
  );
});

test('text of a page cannot forge a line, a heading or a colour', () => {
  const text = 'boom\r\nBcc: all@example.org\n\u001b[31m\u2028- N7 is new';
  const { subject, text: body } = makeNotice(aNight({ changes: [{ kind: 'red-night', text }] }))!;
  expect(subject).not.toMatch(/[\u0000-\u001f\u2028]/);
  expect(body.split('\n').filter((line) => line.includes('Bcc') || line.includes('N7'))).toEqual([
    '- boom Bcc: all@example.org [31m - N7 is new',
  ]);
});

test('an endless reason makes no endless subject', () => {
  const { subject } = makeNotice(aNight({ changes: [{ ...red, text: 'x'.repeat(1e5) }] }))!;
  expect(subject.length).toBeLessThanOrEqual(200);
});
