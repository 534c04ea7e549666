import { expect, test } from '@playwright/test';
import { anAnomaly } from '../../testing/builders.ts';
import { anomalyJson, stateNote } from './anomaly-text.ts';

test('an anomaly is listed with the executable and the driver of every build', () => {
  expect(anomalyJson(anAnomaly())).toMatchObject({
    id: 'N1',
    devices: [
      { id: 'old', driver: 'fake', executable: '/opt/old', browser: { version: '150.0' } },
      { id: 'new', driver: 'fake', executable: '/opt/new', browser: { version: '156.0' } },
    ],
  });
});

test('prints next to the verdict only a state that a person gave', () => {
  const closed = { ...anAnomaly(), state: 'closed' as const, reason: 'a known limit' };
  expect(stateNote(closed)).toBe('N1 stays closed: a known limit');
  expect(stateNote({ ...anAnomaly(), state: 'reproduced' })).toBeNull();
});
