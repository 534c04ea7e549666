import { expect, test } from '@playwright/test';
import { redacted, redactFlag } from './redaction.ts';

test('redacts letters behind a short flag, and keeps known ones @attack', () => {
  for (const flag of ['-pSECRET', '-psecret', '-p12', '-token', '-u-me']) {
    expect(redactFlag(flag)).toBe(redacted);
  }
  for (const flag of ['-p', '-headless', '-no-remote', '--no-opt', '--']) {
    expect(redactFlag(flag)).toBe(flag);
  }
});
