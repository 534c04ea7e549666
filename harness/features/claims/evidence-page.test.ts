import { expect, test } from '@playwright/test';
import { renderEvidence } from './evidence-page.ts';
import type { EvidenceFindings } from '../../core/results/index.ts';
import { anEvidence, anUntestable } from '../../../reports/golden/evidence-example.ts';
import { parseData, expectGolden, markupIn, visibleWords } from '../../../reports/golden/markup.ts';

function sectionsOf(page: string): readonly (string | undefined)[] {
  return [...page.matchAll(/<h2 id="([^"]+)"/g)].map((match) => match[1]);
}

test('the representative evidence is the golden one', async () => {
  expectGolden(await renderEvidence(anEvidence()), 'evidence.html');
});

test('the same evidence gives the same report, and it is small', async () => {
  const page = await renderEvidence(anEvidence());
  expect(await renderEvidence(anEvidence())).toBe(page);
  expect(Buffer.byteLength(page)).toBeLessThan(300_000);
});

test('the first screen has the claim, its source, the verdict, and both answers', async () => {
  const words = visibleWords(await renderEvidence(anEvidence()));
  const first = words.slice(0, words.indexOf('1 case of 1 benchmark'));
  expect(first).toContain(anEvidence().claim.sentence);
  expect(first).toContain('“Explorations in Asynchronicity”');
  expect(first).toContain('12 of 12 cores on the CPU chart');
  expect(first).toContain(`✓ confirmed ${anEvidence().headline}`);
  expect(first).toContain('Direction confirmed');
  expect(first).toMatch(/Size refuted: .{0,30}7\.68: 1\.56 cores/);
  expect(first).toMatch(/Not settled .{0,9}9 more blocks/);
  expect(first).toMatch(/parallel: 0\.97 cores/);
});

for (const [verdict, says] of [
  ['confirmed', '✓ confirmed'],
  ['refuted', '✗ refuted'],
  ['inconclusive', '? inconclusive'],
] as const) {
  test(`a verdict of ${verdict} is a word and a symbol`, async () => {
    expect(visibleWords(await renderEvidence(anEvidence({ verdict })))).toContain(says);
  });
}

test('published and measured values are shown together, with interval, unit and blocks', async () => {
  const words = visibleWords(await renderEvidence(anEvidence()));
  expect(words).toMatch(
    /published: 12 of 12 cores.{0,3}measured: 1\.56 cores .{0,12}1\.49–1\.63 cores, 12 blocks/,
  );
  expect(words).toContain('measured: 3.12× , between 2.97–3.28×, 12 blocks');
  expect(words).toMatch(
    /Firefox keeps no more than one core busy [^✓✗]* below 1\.1 cores never more than one 1\.07 cores 1\.02–1\.13 cores, 12 blocks \? open open/,
  );
});

/** Positions of marks, in per cent of the width, in the order of the rows. */
function placesOf(page: string, mark: RegExp): readonly number[] {
  return [...page.matchAll(mark)].map((match) => Number(match[1]));
}

test('ratios have a logarithmic and a linear axis, levels one from 0', async () => {
  const { assertions } = anEvidence();
  const ratio = assertions.at(-1)!;
  const at = (value: number) => ({ ...ratio, measured: { value, low: null, high: null } });
  const [, page] = await Promise.all([
    null,
    renderEvidence(anEvidence({ assertions: [at(0.25), at(1), at(4)], counterfactuals: [] })),
  ]);
  const places = placesOf(page, /<circle class="m open" cx="([\d.]+)%"/g);
  const [below, same, above] = places.filter((_, i) => i % 2 === 0);
  expect(same! - below!).toBeCloseTo(above! - same!, 1);
  const [quarter, one, four] = places.filter((_, i) => i % 2 === 1);
  expect((four! - one!) / (one! - quarter!)).toBeCloseTo(4, 1);
  const level = assertions[0]!;
  const levels = [0, 6, 12].map((value) => ({
    ...level,
    measured: { value, low: null, high: null },
  }));
  const linear = await renderEvidence(anEvidence({ assertions: levels, counterfactuals: [] }));
  expect(placesOf(linear, /<circle class="m open" cx="([\d.]+)%"/g)).toEqual([5, 50, 95]);
});

test('a counterfactual shows both effects and the explained share', async () => {
  const words = visibleWords(await renderEvidence(anEvidence()));
  expect(words).toContain('--js-flags=--single-threaded-gc');
  expect(words).toContain('with the suspect 1.56 cores , between 1.49–1.63 cores');
  expect(words).toContain('without it 1.02 cores , between 1.01–1.04 cores');
  expect(words).toContain('explained 96 % , between 89–103 %');
});

test('sections are in the documented order', async () => {
  expect(sectionsOf(await renderEvidence(anEvidence()))).toEqual([
    'in-short',
    'assertions',
    'counterfactuals',
    'cpu',
    'comparison',
    'targets',
    'troubles',
    'environment',
    'method',
    'repeat',
    'data',
  ]);
});

test('a claim that cannot be tested names what is missing, and no more', async () => {
  const page = await renderEvidence(anUntestable());
  expect(sectionsOf(page)).toEqual(['in-short', 'repeat']);
  const words = visibleWords(page);
  expect(words).toContain('— not testable here');
  expect(words).toContain(anUntestable().reason);
  expect(words).not.toContain('Direction');
  expect(words).toContain('npx crossfarm claims reproduce A10');
});

test('unmeasured values are named, never drawn', async () => {
  const assertions = anEvidence().assertions.map((one) => ({
    ...one,
    measured: null,
    blocks: 0,
    outcome: 'open' as const,
    published: { text: '', low: null, high: null },
  }));
  const counterfactuals = anEvidence().counterfactuals.map((one) => ({
    ...one,
    withCause: null,
    withoutCause: null,
    explained: null,
    verdict: 'not measured',
  }));
  const changes = { assertions, counterfactuals, verdict: 'inconclusive' } as const;
  const page = await renderEvidence(anEvidence({ ...changes, findings: null }));
  expect(page).not.toContain('<circle class="m');
  expect(visibleWords(page)).toContain('published: nothing; measured: not measured');
  expect(visibleWords(page)).toContain('— not measured');
});

test('renders a page without any data', async () => {
  const nothing: EvidenceFindings = {
    ...anUntestable(),
    verdict: 'inconclusive',
    reason: '',
    direction: '',
    size: '',
    command: '',
    claim: { id: '', sentence: '', source: '', published: '' },
  };
  expect(sectionsOf(await renderEvidence(nothing))).toEqual(['in-short']);
});

test('numbers that no axis can hold are stated and not drawn', async () => {
  const assertions = anEvidence().assertions.map((one) => ({
    ...one,
    measured: { value: Number.NaN, low: -1, high: Number.POSITIVE_INFINITY },
  }));
  const page = await renderEvidence(anEvidence({ assertions, counterfactuals: [] }));
  expect(markupIn(page)).not.toMatch(/NaN|Infinity%/);
  expect(page).not.toContain('<circle class="m');
});

test('the embedded data hold the whole evidence', async () => {
  const evidence = anEvidence();
  const data = parseData(await renderEvidence(evidence)) as EvidenceFindings & { format: string };
  expect(data.format).toBe('crossfarm-evidence-1');
  expect(data.assertions).toEqual(evidence.assertions);
  expect(data.counterfactuals).toEqual(evidence.counterfactuals);
  expect(data.findings?.rows).toHaveLength(1);
});
