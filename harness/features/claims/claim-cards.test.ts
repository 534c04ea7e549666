import { expect, test } from '@playwright/test';
import { anEvidence } from '../../../reports/golden/evidence-example.ts';
import { parsePage } from '../../../reports/golden/markup.ts';
import { aMachine } from '../../testing/builders.ts';
import { hostile } from '../../testing/stored-history.ts';
import { claims } from './catalogue/index.ts';
import { type AskedClaim, claimsHeadline, renderClaims } from './claim-cards.ts';

const writing = { writtenAt: '2026-11-29T12:00:00Z', farmVersion: '1.0.0' };
const run = { id: 7, startedAt: '2026-11-25T10:00:00.000Z', machine: aMachine };

/** All claims of the catalogue; those that are named have an answer. */
function asked(answers: Readonly<Record<string, ReturnType<typeof anEvidence>>>): AskedClaim[] {
  return claims.map((claim) => {
    const evidence = answers[claim.id];
    const command = `npx crossfarm claims reproduce ${claim.id}`;
    return { claim, command, answer: evidence === undefined ? null : { evidence, run } };
  });
}

const some = asked({
  A3: anEvidence({ verdict: 'confirmed' }),
  A4: anEvidence({ verdict: 'refuted' }),
});

test('the heading counts the claims by their verdicts', () => {
  const rest = claims.length - 2;
  expect(claimsHeadline(some)).toBe(
    `Of ${String(claims.length)} published claims 1 is confirmed, 1 refuted, ${String(rest)} not measured`,
  );
});

test('every claim has a card with its sentence, its verdict and its command', () => {
  const page = parsePage(renderClaims(some, writing));
  for (const { id, sentence } of claims) {
    expect(page.querySelector(`#claim-${id} h3`)?.textContent).toBe(sentence);
  }
  const a3 = page.querySelector('#claim-A3');
  expect(a3?.textContent).toContain('confirmed');
  expect(a3?.querySelector('[data-copy]')?.textContent).toBe('npx crossfarm claims reproduce A3');
  expect(page.querySelector('#claim-E1')?.textContent).toContain('not measured');
});

test('an answer by short trials says so on its card', () => {
  const quick = asked({ A3: anEvidence() }).map((one) => ({
    ...one,
    answer: one.answer && { ...one.answer, run: { ...run, preset: 'fast' as const } },
  }));
  const page = parsePage(renderClaims(quick, writing));
  expect(page.querySelector('#claim-A3')?.textContent).toContain('smoke test');
  const usual = parsePage(renderClaims(some, writing));
  expect(usual.querySelector('#claim-A3')?.textContent).not.toContain('smoke test');
});

test('a tile of each claim leads to its card', () => {
  const markup = renderClaims(some, writing);
  const page = parsePage(markup);
  const links = [...markup.matchAll(/href="(#claim-\w+)"/g)].map(([, link = '']) => link);
  expect(links).toHaveLength(claims.length);
  for (const link of links) expect(page.querySelector(link)).not.toBeNull();
});

test('an unmeasured claim shows its published number alone', () => {
  const page = parsePage(renderClaims(asked({}), writing));
  const card = page.querySelector('#claim-A8');
  expect(card?.querySelectorAll('.log .p')).toHaveLength(2);
  expect(card?.querySelectorAll('.m')).toHaveLength(0);
});

test('ratios of all claims have one axis', () => {
  const markup = renderClaims(some, writing);
  const axes = markup.match(/<svg class="line log" height="20".*?<\/svg>/gs) ?? [];
  expect(axes.length).toBeGreaterThan(3);
  expect(new Set(axes).size).toBe(1);
});

test('names and reasons of a database are text', () => {
  const evidence = anEvidence({ unsettled: hostile, notes: [hostile], command: hostile });
  const all = asked({ A4: evidence }).map((one) => ({ ...one, command: hostile }));
  const markup = renderClaims(all, writing);
  expect(markup).not.toContain('<script>window');
  expect(markup).not.toContain('<img');
  expect(markup).not.toContain('\u202e');
});
