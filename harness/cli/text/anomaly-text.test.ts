import { expect, test } from '@playwright/test';
import { anAnomaly } from '../../testing/anomaly-example.ts';
import { anomalyJson } from './anomaly-text.ts';

test('an anomaly is listed with the executable and the driver of every build', () => {
  expect(anomalyJson(anAnomaly())).toMatchObject({
    id: 'N1',
    devices: [
      { id: 'old', driver: 'fake', executable: '/opt/old', browser: { version: '150.0' } },
      { id: 'new', driver: 'fake', executable: '/opt/new', browser: { version: '156.0' } },
    ],
  });
});
