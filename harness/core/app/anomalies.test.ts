import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { Anomaly, AnomalyState } from '../model/anomaly.ts';
import { openStore } from '../store/store.ts';
import { aJob, anAnomaly, aRecord } from '../../testing/builders.ts';
import { aFolder } from '../../testing/folder.ts';
import { keepState } from './anomalies.ts';

const changedAt = '2026-11-22T00:00:00.000Z';

async function anomalyIn(state: Exclude<AnomalyState, 'untriaged'> | null): Promise<string> {
  const database = join(await aFolder(), 'farm.db');
  const store = await openStore(database);
  const { targets, question, sentence, createdAt } = anAnomaly();
  const presences = targets.map((target) => ({
    status: 'found' as const,
    device: target.device,
    target,
    capabilities: [],
  }));
  const { run: facts } = aRecord(presences, []);
  const jobs = [aJob({ deviceId: 'old' })];
  const run = await store.createRun({ ...facts, presences, jobs });
  await store.saveAnomaly({ run, targets, question, sentence, createdAt });
  if (state !== null)
    await store.changeAnomaly('N1', { state, reason: 'a known limit', changedAt });
  await store.close();
  return database;
}

function keep(database: string): Promise<Anomaly> {
  return keepState('N1', { state: 'reproduced', reason: 'run 2: 1.5×' }, database);
}

for (const state of ['ignored', 'closed'] as const) {
  test(`an anomaly that a person has ${state} stays so, with the reason`, async () => {
    const anomaly = await keep(await anomalyIn(state));
    expect(anomaly).toMatchObject({ state, reason: 'a known limit', changedAt });
  });
}

for (const state of [null, 'not-reproduced', 'inconclusive'] as const) {
  test(`an anomaly that was ${state ?? 'untriaged'} gets the state of the newest measurement`, async () => {
    const anomaly = await keep(await anomalyIn(state));
    expect(anomaly).toMatchObject({ state: 'reproduced', reason: 'run 2: 1.5×' });
  });
}
