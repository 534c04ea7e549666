import { expect, test } from '@playwright/test';
import type { Anomaly } from '../../core/model/anomaly.ts';
import type { Store } from '../../core/store/store.ts';
import { useTestApi } from '../../testing/api.ts';
import { anAnomaly } from '../../testing/builders.ts';
import { anEvidence } from '../../../reports/golden/evidence-example.ts';
import { renderFinding, renderFindings } from './findings-pages.ts';

const { own } = useTestApi();
const writing = { writtenAt: '2026-11-29T12:00:00Z', farmVersion: '1.0.0' };

async function save(store: Store, sentence: string): Promise<string> {
  const { targets, question, createdAt } = anAnomaly();
  return store.saveAnomaly({ run: 1, targets, question, sentence, createdAt });
}

test('saved findings have a page each, and one of all with their states', async () => {
  const { store, get } = await own();
  expect((await get('/findings')).body).toContain('No finding is saved yet');
  await save(store, 'asyncFib is slow in Firefox');
  await save(store, '<script>window.owned=1</script>');
  const changedAt = '2026-11-22T00:00:00.000Z';
  await store.changeAnomaly('N1', { state: 'ignored', reason: 'a known limit', changedAt });
  const { body, headers } = await get('/findings');
  expect(headers['content-security-policy']).toMatch(/^default-src 'none'/);
  expect(body).toContain('2 findings are saved: 1 not measured again, 1 ignored');
  expect(body).toContain('<a href="/findings/N1">asyncFib is slow in Firefox</a>');
  expect(body).not.toContain('<script>window.owned');
  const one = (await get('/findings/N1')).body;
  expect(one).toContain('a known limit');
  expect(one).toContain('npx crossfarm findings reproduce N1');
  expect(one).toContain('<a href="/runs/1">');
  const missing = await get('/findings/N1/evidence');
  expect([missing.statusCode, (await get('/findings/N3')).statusCode]).toEqual([404, 404]);
});

test('a finding that was measured again shows both numbers and leads to the evidence', () => {
  const finding: Anomaly = { ...anAnomaly(), state: 'reproduced', reason: 'run 2: 1.5×' };
  const page = renderFinding(finding, { run: 2, evidence: anEvidence() }, writing);
  expect(page).toContain('✓ reproduced');
  expect(page).toContain('class="forest"');
  expect(page).toContain(`href="/findings/${finding.id}/evidence"`);
  expect(page).toContain('href="/report?run=2"');
});

test('one finding is counted as one', () => {
  const page = renderFindings([anAnomaly()], writing);
  expect(page).toContain('1 finding is saved: 1 not measured again');
});
