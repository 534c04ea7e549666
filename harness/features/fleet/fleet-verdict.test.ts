import { expect, test } from '@playwright/test';
import type { Device } from '../../core/model/device.ts';
import { type Display, makeDisplayReading } from '../../core/model/display.ts';
import {
  aCompletion,
  aDisplay,
  aFoundDevice,
  aJob,
  aRecord,
  aResult,
  aTrial,
} from '../../testing/builders.ts';
import { type HostRun, judgeFleet } from './fleet-verdict.ts';

/** A host on which browser a takes 20 % longer than b, in eight blocks. */
function aHostRun(host: string, display: Display | null, device: Partial<Device> = {}): HostRun {
  const readings = display === null ? [] : [makeDisplayReading(display)];
  const trials = Array.from({ length: 16 }, (_, ordinal) => {
    const block = Math.floor(ordinal / 2);
    const isA = ordinal % 2 === 0;
    const job = aJob({ ordinal, block, deviceId: isA ? 'a' : 'b' });
    const result = aResult([(isA ? 12 : 10) + block / 100]);
    return aTrial(job, aCompletion({ result, readings }));
  });
  const presences = ['a', 'b'].map((id) => aFoundDevice(id, device));
  const record = aRecord(presences, trials);
  return { host, job: 1, record: { ...record, run: { ...record.run, suite: 'compare' } } };
}

const hostsOf = (runs: readonly HostRun[]) =>
  judgeFleet(runs).rows.map(({ title, hosts }) => [title, hosts.map(({ host }) => host)]);

test('pools hosts that draw in one way, also by different GPUs', () => {
  const gpu = aDisplay({ drawnBy: 'GPU', rasteriser: 'Apple M1', viewport: '800 × 600' });
  const other = aDisplay({ drawnBy: 'GPU', rasteriser: 'Intel(R) UHD Graphics 620' });
  expect(hostsOf([aHostRun('x', gpu), aHostRun('y', other)])).toEqual([
    [expect.not.stringContaining('drawn'), ['x', 'y']],
  ]);
  expect(hostsOf([aHostRun('x', null), aHostRun('y', null)])).toEqual([
    [expect.not.stringContaining('drawn'), ['x', 'y']],
  ]);
});

test('hosts that draw in different ways have a row for each way', () => {
  const runs = [
    aHostRun('x', aDisplay()),
    aHostRun('y', aDisplay()),
    aHostRun('gpu', aDisplay({ drawnBy: 'GPU', rasteriser: null, scale: 2 })),
    aHostRun('older', null),
  ];
  expect(hostsOf(runs)).toEqual([
    [expect.stringMatching(/, drawn by software \(SwiftShader\), headless, scale 1$/), ['x', 'y']],
    [expect.stringMatching(/, drawn by a GPU, headless, scale 2$/), ['gpu']],
    [expect.stringMatching(/, drawn by an unknown rasteriser$/), ['older']],
  ]);
});

test('phones whose data are kept and erased are not judged together', () => {
  const phone = { platform: 'android' } as const;
  const erased = { ...phone, profile: 'erase' } as const;
  const runs = [aHostRun('x', null, { phone }), aHostRun('y', null, { phone: erased })];
  expect(hostsOf(runs).map(([, hosts]) => hosts)).toEqual([['x'], ['y']]);
});
