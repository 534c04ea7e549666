import { newNight, type NightDocument } from '../app/nights/night-document.ts';

/** A night that ended well, unless a test says otherwise. */
export function aNight(overrides: Partial<NightDocument> = {}): NightDocument {
  const facts = {
    id: '2026-11-21T02-30-00Z',
    startedAt: '2026-11-21T02:30:00.000Z',
    host: 'bench',
    farm: '1:1:bench/pid',
    farmVersion: '0.1.0',
    database: '/farm/farm.db',
    suite: 'nightly',
    asked: null,
  };
  return {
    ...newNight(facts),
    status: 'fine',
    exitCode: 0,
    run: 7,
    finishedAt: '2026-11-21T03:00:00.000Z',
    ledger: {
      planned: 4,
      completed: 4,
      failed: 0,
      timedOut: 0,
      skipped: 0,
      quarantined: 0,
      withoutOutcome: 0,
      missing: [],
    },
    analysis: { series: 4, suspects: [], anomalies: [], unconfirmed: [], gone: [] },
    ...overrides,
  };
}
