import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { renderComparison } from '../../../../reports/comparison.ts';
import { describeRun } from '../../analysis/findings.ts';
import { anyRecord } from '../../../testing/any-numbers.ts';

const writing = { writtenAt: '2026-01-02T00:00:00.000Z', farmVersion: '0.1.0' };

/** The text of a bad number as a reader would see it, outside of names and scripts. */
const nonsense = /\b(NaN|Infinity|undefined)\b/;

for (const [lane, numRuns] of [
  ['', 100],
  [' @campaign', 1_000],
] as const) {
  test(`no stored number breaks a report or shows as NaN${lane}`, async () => {
    await fc.assert(
      fc.asyncProperty(anyRecord, async (record) => {
        const html = await renderComparison(describeRun(record, writing));
        const shown = html.replaceAll(/<script[^]*?<\/script>|<style[^]*?<\/style>/g, '');
        expect(nonsense.exec(shown)?.[0]).toBeUndefined();
      }),
      { numRuns },
    );
  });
}
