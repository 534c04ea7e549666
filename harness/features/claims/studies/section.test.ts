import { expect, test } from '@playwright/test';
import type { ClaimFacts, RebuiltTable } from '../../../core/results/index.ts';
import { anExample } from '../../../../reports/golden/example.ts';
import { visibleWords } from '../../../../reports/golden/markup.ts';
import { renderWhole } from '../../../../reports/golden/whole-report.ts';

const study: RebuiltTable = {
  section: 'T',
  title: 'A <published> table',
  source: '“A study”, somebody',
  columns: ['1 file', '100 files'],
  groups: [
    {
      label: 'asynchronous',
      unit: 'ms',
      published: ['3.8 to 4.5', null],
      rows: [
        {
          targetId: 'chromium',
          cells: [{ value: 1.234, low: 1.1, high: 1.4, trials: 9 }, null],
        },
        { targetId: 'firefox', cells: [{ value: 2, low: null, high: null, trials: 1 }, null] },
      ],
    },
    { label: 'nobody measured it', unit: '×', published: ['11', '3'], rows: [] },
  ],
  note: 'One thing to know.',
};

test('a published table is above the measured one, with intervals, trials and the source', async () => {
  const page = await renderWhole({ ...anExample(), rebuilt: [study] });
  const words = visibleWords(page);
  expect(words).toContain('Published tables, made anew');
  expect(words).toContain('T. A <published&gt; table');
  expect(words).toMatch(/asynchronous \( ?ms ?\) published 3\.8 to 4\.5 —/);
  expect(words).toMatch(/Chromium 1\.23\d* ms 1\.10?\d*–1\.40?\d* ms, 9 trials —/);
  expect(words).toMatch(/Firefox ESR 2\.?0* ms 1 trial/);
  expect(words).toContain('Source: “A study”, somebody. One thing to know.');
  expect(page).not.toContain('<published>');
});

test("lists the studies' claims below their tables with verdict and command", async () => {
  const claim = { id: 'B2', sentence: 'one <file> is as fast', published: 'no difference' };
  const claims: readonly ClaimFacts[] = [
    {
      ...claim,
      verdict: 'confirmed',
      run: 14,
      directionVerdict: 'not published',
      sizeVerdict: 'confirmed',
      headline: 'size confirmed: 1.02×, published no difference',
      measured: { value: 1.02, low: 0.97, high: 1.06, unit: '×' },
      command: 'npx crossfarm claims reproduce B2',
    },
    {
      ...claim,
      id: 'B3',
      verdict: 'inconclusive',
      run: null,
      directionVerdict: null,
      sizeVerdict: null,
      headline: 'not measured yet',
      measured: null,
      command: 'npx crossfarm claims reproduce B3',
    },
  ];
  const words = visibleWords(await renderWhole({ ...anExample(), rebuilt: [study], claims }));
  expect(words).toMatch(
    /B2 one <file&gt; is as fast ✓ confirmed size confirmed: 1\.02×, published no difference no difference 1\.02\d*× , between 0\.97\d*–1\.06\d*× run 14 npx crossfarm claims reproduce B2/,
  );
  expect(words).toMatch(/B3 .* \? inconclusive not measured yet no difference — not measured/);
});

test('a run without cases of the studies has no such section', async () => {
  expect(visibleWords(await renderWhole(anExample()))).not.toContain('Published tables');
});
