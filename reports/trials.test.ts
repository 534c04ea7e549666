import { expect, test } from '@playwright/test';
import type { TargetFacts } from './findings.ts';
import { chromium, firefox, webkit } from './golden/example-targets.ts';
import { markupOf } from './html/escape.ts';
import { legendOf } from './sections/legend.ts';
import { targetsSection } from './sections/targets.ts';

/** The text of the section, as a reader sees it. */
function shown(targets: readonly TargetFacts[]): string {
  const section = markupOf(targetsSection(targets, legendOf(targets)));
  return section.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
}

const cells = { planned: 14, completed: 12, failed: 0, timedOut: 0, skipped: 0 };

test('each target says how its trials ended, and what did not happen is left out', () => {
  const text = shown([
    { ...chromium, cells: { ...cells, failed: 1, skipped: 1 } },
    { ...firefox, cells: { ...cells, completed: 0, timedOut: 2 } },
    webkit,
  ]);
  expect(text).toContain('Trials');
  expect(text).toContain('12 completed, 1 failed, 1 skipped');
  expect(text).toContain('0 completed, 2 timed out, 12 without outcome');
  expect(text).toContain('—');
});

test('where no plan is known there is no such column', () => {
  expect(shown([chromium])).not.toContain('Trials');
});
