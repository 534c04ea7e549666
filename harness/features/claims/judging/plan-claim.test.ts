import { expect, test } from '@playwright/test';
import type { Presence } from '../../../core/model/device.ts';
import { listArms } from '../../../core/model/question.ts';
import {
  aBenchmark,
  aFoundDevice,
  aMeasurement,
  aMissingDevice,
  aRecord,
} from '../../../testing/builders.ts';
import { claims } from '../catalogue/index.ts';
import { causes } from '../../../core/analysis/causes.ts';
import { describeEvidence } from './evidence.ts';
import { planClaim, type PlannedClaim } from './plan-claim.ts';
import { suspect } from '../reproduce-claims.ts';
import { expectationText } from './wording.ts';

const chromium = aFoundDevice('chromium', { browser: 'chromium', name: 'Chromium' });
const firefox = aFoundDevice('firefox', { browser: 'firefox', name: 'Firefox' });
const webkitgtk = aFoundDevice('webkitgtk', { browser: 'webkitgtk', name: 'WebKitGTK' });

type Place = Partial<Parameters<typeof planClaim>[1]>;

function planOf(id: string, place: Place = {}): PlannedClaim {
  const claim = claims.find((one) => one.id === id);
  if (claim === undefined) throw new Error(`no claim ${id}`);
  return planClaim(claim, {
    presences: [chromium, firefox, webkitgtk],
    cores: 2,
    cannotPin: null,
    cannotSeeThreads: null,
    platform: 'linux',
    makeCase: (benchmark, parameters) => ({
      benchmark: { ...aBenchmark, id: benchmark },
      parameters,
    }),
    measurement: aMeasurement,
    ...place,
  });
}

function planned(id: string, place: Place = {}): Extract<PlannedClaim, { kind: 'question' }> {
  const one = planOf(id, place);
  if (one.kind !== 'question') throw new Error(one.because);
  return one;
}

test('the catalogue holds five studies, each claim with its source and what was published', () => {
  const named = (section: string, count: number): readonly string[] =>
    Array.from({ length: count }, (_, index) => `${section}${String(index + 1)}`);
  expect(claims.map(({ id }) => id)).toEqual([
    ...named('A', 16),
    ...named('B', 5),
    ...named('C', 2),
    ...named('D', 2),
    ...named('E', 6),
  ]);
  for (const { sentence, source, published } of claims) {
    expect(sentence).toMatch(/\.$/);
    expect(source).not.toBe('');
    expect(published).not.toBe('');
  }
});

test('with three browsers all claims of section A but A7, A10 and A11 are testable', () => {
  const untestable = claims.filter(
    ({ id }) => id.startsWith('A') && planOf(id).kind === 'not-testable',
  );
  expect(untestable.map(({ id }) => id)).toEqual(['A7', 'A10', 'A11']);
});

test('asks a claim of every browser of each found one, and names the missing one', () => {
  const { question } = planned('A1', { presences: [chromium, aMissingDevice('firefox')] });
  expect(question.assertions).toHaveLength(1);
  expect(question.assertions[0]?.sentence).toContain('Chromium: asyncFib');
  expect(question.notes.join(' ')).toContain('Left out: Firefox is missing');
});

test('a claim is not testable without the browser that it names, and says what helps', () => {
  const missing = aMissingDevice('firefox');
  const device = { ...missing.device, browser: 'firefox' };
  const one = planOf('A3', { presences: [chromium, { ...missing, device }] });
  expect(one).toEqual({
    kind: 'not-testable',
    because: expect.stringMatching(/Firefox is missing.*apt-get install firefox/),
  });
});

test('WebKitGTK stands in for Safari, and a note says that it is not Safari', () => {
  expect(planned('A9').question.notes.join(' ')).toContain('It is not Safari.');
  const safari = aFoundDevice('safari', { browser: 'safari' });
  expect(
    planned('A9', { presences: [chromium, firefox, webkitgtk, safari] }).question.notes.join(' '),
  ).not.toContain('stands in');
});

test('measures claims about Safari, Edge or more cores elsewhere, without judging them', () => {
  const lacks = (id: string, place: Place = {}) => planned(id, place).question.notHere;
  for (const id of ['A8', 'A9']) {
    expect(lacks(id)).toEqual({ lacks: 'Safari', seen: 'in WebKitGTK' });
  }
  const safari = aFoundDevice('safari', { browser: 'safari' });
  expect(lacks('A9', { presences: [chromium, firefox, webkitgtk, safari] })).toBeUndefined();
  // Of each browser that is there; WebKitGTK is one of them.
  expect(lacks('A1')).toBeUndefined();
  const runtimes = [aFoundDevice('node', { browser: 'node' })];
  expect(lacks('C1', { presences: runtimes })).toEqual({
    lacks: 'at least 4 cores',
    seen: 'on 2 cores',
  });
  expect(lacks('D2', { presences: runtimes })?.seen).toBe('on 2 cores');
  expect(lacks('C1', { presences: runtimes, cores: 4 })).toBeUndefined();

  const { question } = planned('A9');
  const evidence = describeEvidence(aRecord([chromium, firefox, webkitgtk], []), question, {
    writtenAt: '2026-01-01T00:00:00.000Z',
    farmVersion: '1.0.0',
  });
  expect(evidence.verdict).toBe('not-testable');
  expect(evidence.headline).toMatch(/^it takes Safari; in WebKitGTK: /);
});

test('A4 has a counterfactual in which Chromium collects garbage on one thread', () => {
  const { question, presences } = planned('A4');
  const [counterfactual] = question.counterfactuals;
  expect(counterfactual?.change).toBe('--js-flags=--single-threaded-gc');
  const changed = presences.find(
    ({ device }) => device.id === counterfactual?.withoutCause.deviceId,
  );
  expect(changed?.device.flags).toEqual(['--js-flags=--single-threaded-gc']);
  expect(changed?.target.device).toBe(changed?.device);
  const known = new Set(presences.map(({ device }) => device.id));
  expect(listArms(question).every(({ deviceId }) => known.has(deviceId))).toBe(true);
});

test('“all logical cores” are those of this machine', () => {
  const [assertion] = planned('A4', { cores: 16 }).question.assertions;
  expect(assertion?.published).toEqual({ text: 'all of them', low: 16, high: 16 });
});

test('A6 uses 1, 2, 4 and 8 cores if the machine has more, and all of them', () => {
  const devices = (cores: number): readonly string[] =>
    [...new Set(listArms(planned('A6', { cores }).question).map((one) => one.deviceId))].filter(
      (id) => id.startsWith('chromium'),
    );
  expect(devices(2)).toEqual(['chromium', 'chromium@cores-1']);
  expect(devices(6)).toEqual([
    'chromium',
    'chromium@cores-1',
    'chromium@cores-2',
    'chromium@cores-4',
  ]);
});

test('says why a claim means nothing on this machine', () => {
  expect(planOf('A3', { platform: 'darwin' })).toMatchObject({
    kind: 'not-testable',
    because: expect.stringMatching(/Linux.*darwin/),
  });
  expect(planOf('A4', { cores: 1 })).toMatchObject({
    because: expect.stringMatching(/2 cores.* 1 /),
  });
  const cannotSeeThreads = 'the time of each thread is read from Linux’s /proc';
  expect(planOf('A5', { cannotSeeThreads })).toEqual({
    kind: 'not-testable',
    because: cannotSeeThreads,
  });
});

test('“all cores” is nine tenths of them, and is not confirmed by one and a half of twelve', () => {
  const [all] = planned('A4', { cores: 12 }).question.assertions;
  expect(all).toMatchObject({ role: 'verdict', expected: { above: 10.8 } });
});

test('a stand-in is shown and does not decide a claim about every browser', () => {
  const roles = planned('A1').question.assertions.map(({ role, sentence }) => [role, sentence]);
  expect(roles.map(([role]) => role)).toEqual(['verdict', 'verdict', 'explanation']);
  expect(roles[2]?.[1]).toContain('WebKitGTK');
  const named = planned('A8').question.assertions;
  expect(named.map(({ sentence }) => sentence).join()).not.toContain('Safari');
});

test('adds a suspect once, and only where it can have an effect', () => {
  const plain = planned('A4');
  const count = plain.question.counterfactuals.length;
  const again = suspect(plain, 'parallel-gc').question.counterfactuals;
  expect(again.map(({ withCause }) => withCause.deviceId)).toEqual(['chromium', 'firefox']);
  expect(suspect(plain, 'cores', { cores: 1 }).question.counterfactuals).toHaveLength(count);
  expect(
    suspect(planned('A13'), 'concurrent-jit').question.counterfactuals.every(
      ({ effect }) => effect.kind === 'ratio',
    ),
  ).toBe(true);
});

test('without pinning A6 is not testable and A3 lacks the suspect', () => {
  const because = 'this is darwin';
  expect(planOf('A6', { cores: 8, cannotPin: because })).toEqual({ kind: 'not-testable', because });
  expect(planOf('A6', { cores: 1 })).toMatchObject({ kind: 'not-testable' });
  const one = planOf('A3', { cores: 8, cannotPin: because });
  expect(one.kind === 'question' && one.question.counterfactuals.map(({ id }) => id)).toEqual([
    'parallel-gc',
  ]);
});

test('adds any cause on request if the engine has a switch for it', () => {
  const plain = planned('A3');
  const before = plain.question.counterfactuals.length;
  const { question, presences } = suspect(plain, 'concurrent-jit');
  expect(question.counterfactuals.slice(before).map((one) => one.withoutCause.deviceId)).toEqual([
    'firefox@without-concurrent-jit',
    'chromium@without-concurrent-jit',
  ]);
  expect(presences.length).toBe(plain.presences.length + 2);
});

test('every cause of a counterfactual is in the catalogue of causes', () => {
  const known = ['cores', ...causes.map(({ id }) => id)];
  for (const { ask } of claims) {
    for (const { cause } of ask.counterfactuals) expect(known).toContain(cause);
  }
});

test('words an expectation as the end of a sentence', () => {
  expect(expectationText({ above: 1 }, '×')).toBe('above 1×');
  expect(expectationText({ above: 0.8, below: 1.25 }, '×')).toBe('0.8× to 1.25×');
  expect(expectationText({ below: 1 }, 'ms')).toBe('below 1 ms');
});

const onPhone = (id: string, browser: string, platform: 'android' | 'ios', udid?: string) =>
  aFoundDevice(id, { browser, phone: { platform, ...(udid !== undefined && { udid }) } });
const iphone = onPhone('iphone', 'safari', 'ios');
const pixel = onPhone('pixel', 'firefox', 'android', 'p1');
const pixelChrome = onPhone('pixel-chrome', 'chrome', 'android', 'p1');

test('a phone that is listed changes nothing in a claim about computers', () => {
  const desktops = [chromium, firefox, webkitgtk];
  for (const id of ['A3', 'A8', 'A9']) {
    const alone = planned(id);
    expect(planned(id, { presences: [iphone, pixel, pixelChrome, ...desktops] })).toEqual(alone);
  }
  expect(planOf('A8', { presences: [iphone, chromium, firefox] })).toEqual({
    kind: 'not-testable',
    because: 'Safari is missing: iphone is on an iPhone or iPad, and the claim is about a computer',
  });
  const ipad = onPhone('ipad', 'chrome', 'ios');
  expect(planOf('A3', { presences: [pixel, ipad] })).toMatchObject({
    because: expect.stringMatching(/is on an? .*, and the claim is about a computer/),
  });
});

test('claims about phones are asked of browsers on one of that platform', () => {
  const devicesOf = (id: string, ...presences: readonly Presence[]): readonly string[] => {
    const { question } = planned(id, { presences: [chromium, firefox, ...presences] });
    return [...new Set(listArms(question).map(({ deviceId }) => deviceId))].sort();
  };
  expect(devicesOf('A11', iphone, pixel, pixelChrome)).toEqual(['pixel', 'pixel-chrome']);
  const others = ['firefox', 'chrome'].map((browser) => onPhone(`ipad-${browser}`, browser, 'ios'));
  expect(devicesOf('A10', pixel, iphone, ...others)).toEqual([
    'ipad-chrome',
    'ipad-firefox',
    'iphone',
  ]);
  expect(planOf('A11', { presences: [chromium, firefox, pixel] })).toEqual({
    kind: 'not-testable',
    because:
      'Chromium on an Android phone or tablet is missing: chromium is on a computer, and the claim is about an Android phone or tablet',
  });
  const another = onPhone('another', 'chrome', 'android', 'p2');
  expect(planOf('A11', { presences: [pixel, another] })).toMatchObject({
    because: expect.stringMatching(/one device, and (another and pixel|pixel and another) are/),
  });
});
