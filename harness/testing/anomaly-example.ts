import type { Anomaly } from '../model/anomaly.ts';
import type { Target } from '../model/device.ts';
import { aCase, aDevice, aMeasurement } from './builders.ts';

/** A difference between two builds of one browser, for tests. */
export function anAnomaly(overrides: Partial<Anomaly> = {}): Anomaly {
  return {
    id: 'N1',
    run: 1,
    sentence: 'slow there',
    question: {
      id: 'N1',
      title: 'Anomaly N1',
      sentence: 'slow there',
      source: 'this farm, run 1',
      published: '1.5×',
      assertions: [
        {
          kind: 'ratio',
          sentence: 'it is slower',
          role: 'verdict',
          quantity: 'duration',
          expected: { above: 1 },
          published: { text: '1.5×', low: 1.4, high: 1.6 },
          a: { deviceId: 'old', case: aCase() },
          b: { deviceId: 'new', case: aCase() },
        },
      ],
      counterfactuals: [],
      notes: [],
      measurement: aMeasurement,
    },
    targets: [aTarget('old', '150.0'), aTarget('new', '156.0')],
    createdAt: '2026-11-21T00:00:00.000Z',
    state: 'untriaged',
    reason: null,
    changedAt: '2026-11-21T00:00:00.000Z',
    ...overrides,
  };
}

function aTarget(id: string, version: string): Target {
  const browser = { name: 'chromium', version };
  return { device: aDevice(id), browser, executable: `/opt/${id}` };
}
