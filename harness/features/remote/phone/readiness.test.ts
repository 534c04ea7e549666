import { expect, test } from '@playwright/test';
import { untilReady, type PhoneWait } from './readiness.ts';

interface Facts {
  readonly awake?: boolean;
  readonly locked?: boolean;
  readonly level?: number;
  readonly powered?: boolean;
  readonly celsius?: number;
  readonly status?: number;
}

function told({
  awake = true,
  locked = false,
  level = 80,
  powered = true,
  celsius = 30,
  status = 0,
}: Facts): string {
  return `  USB powered: ${String(powered)}
  level: ${String(level)}
  scale: 100
  temperature: ${String(celsius * 10)}
  mWakefulness=${awake ? 'Awake' : 'Asleep'}
    KeyguardServiceDelegate
      showing=${String(locked)}
Thermal Status: ${String(status)}
`;
}

interface WatchedPhone {
  readonly asked: string[];
  readonly waits: PhoneWait[];
  readonly controller: AbortController;
  readonly ready: Promise<unknown>;
}

/** A phone that is in one state after the other; the last one stays. Resting takes no time. */
function aPhone(...states: readonly Facts[]): WatchedPhone {
  const asked: string[] = [];
  const waits: PhoneWait[] = [];
  const controller = new AbortController();
  let [clock, look] = [0, 0];
  const ready = untilReady('pixel', {
    ask: (command) => {
      asked.push(command.split(' ')[0]!);
      if (command.startsWith('input')) return Promise.resolve('');
      look += 1;
      return Promise.resolve(told(states[Math.min(look, states.length) - 1] ?? {}));
    },
    signal: controller.signal,
    tell: (wait) => waits.push(wait),
    now: () => clock,
    rest: (ms) => {
      clock += ms;
      return Promise.resolve();
    },
  });
  return { asked, waits, controller, ready };
}

test('a phone that is fit is asked once, and not waited for', async () => {
  const { ready, asked, waits } = aPhone({});
  expect(await ready).toMatchObject({ batteryPercent: 80, batteryCelsius: 30 });
  expect(asked).toEqual(['dumpsys']);
  expect(waits).toEqual([]);
});

test('a dark screen is switched on', async () => {
  const { ready, asked } = aPhone({ awake: false, locked: true }, {});
  await ready;
  expect(asked).toEqual(['dumpsys', 'input', 'dumpsys']);
});

const refusals: readonly (readonly [string, Facts, RegExp])[] = [
  ['that stays dark', { awake: false }, /pixel does not switch its screen on/],
  ['that stays locked', { locked: true }, /pixel is locked: unlock it/],
  [
    'with an empty battery',
    { level: 9, powered: false },
    /has 9 % of its battery left and is not charging \(limit 15 %\)/,
  ],
];

for (const [what, facts, message] of refusals) {
  test(`a phone ${what} is refused with what to do`, async () => {
    await expect(aPhone(facts).ready).rejects.toMatchObject({
      code: 'launch-failed',
      message: expect.stringMatching(message) as unknown,
    });
  });
}

test('accepts an empty battery that is charging', async () => {
  await aPhone({ level: 9, powered: true }).ready;
});

test('waits until a hot phone cooled well and reports each look', async () => {
  const { ready, waits } = aPhone(
    { celsius: 43 },
    { celsius: 41 },
    { celsius: 39 },
    { celsius: 37 },
  );
  expect(await ready).toMatchObject({ batteryCelsius: 37 });
  expect(waits).toEqual([
    { why: expect.stringMatching(/hot.* 41\.0 °C.* 38 °C/), leftMs: 300_000 },
    { why: expect.stringMatching(/hot.* 39\.0 °C.* 38 °C/), leftMs: 295_000 },
  ]);
});

test('a phone that slows itself down is waited for, however cool its battery is', async () => {
  const { ready, waits } = aPhone({ status: 2 }, { status: 1 }, { status: 0 });
  await ready;
  expect(waits.map(({ why }) => why)).toEqual([expect.stringMatching(/slow.* heat .*status 1\b/)]);
});

test('a phone that stays hot is given up in time', async () => {
  const { ready, waits } = aPhone({ celsius: 45 });
  await expect(ready).rejects.toMatchObject({
    code: 'timed-out',
    message: expect.stringMatching(/\bpixel .* 300 s.* hot, 45\.0 °C/) as unknown,
  });
  expect(waits).toHaveLength(60);
});

test('a run that is aborted meanwhile does not wait', async () => {
  const { ready, controller } = aPhone({ celsius: 45 });
  const reason = new Error('enough');
  controller.abort(reason);
  await expect(ready).rejects.toBe(reason);
});
