import { expect, test } from '@playwright/test';
import type { Presence } from '../model/device.ts';
import { describeRasteriser, findDisplay, makeDisplayReading } from '../model/display.ts';
import type { Trial } from '../model/trial.ts';
import { aCompletion, aDisplay, aFoundDevice, aPlan, aTrial } from '../../testing/builders.ts';
import { aJobInEachBlock as jobs, aScene, collect } from '../../testing/runner-scene.ts';
import { nameDrawing } from './display-watch.ts';
import type { Equipment } from './runner.ts';

const gpu = 'ANGLE (Apple, ANGLE Metal Renderer: Apple M1, Unspecified Version)';
const told = {
  renderer: 'llvmpipe, or similar',
  isSlow: true,
  scale: 1,
  viewport: [1280, 720],
  screen: [1280, 720],
};

interface Scene {
  readonly trials: readonly Trial[];
  readonly log: readonly string[];
}

/** Measures with sessions whose pages give these answers, the last one again and again. */
async function measure(
  answers: readonly unknown[],
  { presence = aFoundDevice('one'), oneSession = false, joined = false, ...more }: Measuring = {},
): Promise<Scene> {
  const { log, equipment } = aScene(['completes'], more);
  let asked = 0;
  const evaluate = (): Promise<unknown> => {
    log.push('ask');
    const answer = answers[Math.min(asked, answers.length - 1)];
    asked += 1;
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
  const startSession: Equipment['startSession'] = async (...args) => ({
    ...(await equipment.startSession(...args)),
    ...(joined ? { client: 'secret', drawing: () => answers[0] } : { evaluate }),
  });
  const planned = jobs(3).map((job) => (oneSession ? { ...job, sessionKey: 'one' } : job));
  const plan = { ...aPlan(planned, [presence]), repeatQuarantined: false };
  return { trials: await collect(plan, { ...equipment, startSession }), log };
}

interface Measuring extends Partial<Equipment> {
  readonly presence?: Presence;
  readonly oneSession?: boolean;
  /** Nothing evaluates in its pages: they told how they draw. */
  readonly joined?: boolean;
}

const displaysOf = (trials: readonly Trial[]) =>
  trials.map(({ outcome }) =>
    outcome.kind === 'completed' ? findDisplay(outcome.readings) : null,
  );

const reasonsOf = (trials: readonly Trial[]) =>
  trials.map(({ outcome }) => (outcome.kind === 'completed' ? outcome.quarantine : null));

test('stores with each trial what drew it, asked once a session when the trial is over', async () => {
  const { trials, log } = await measure([told], { oneSession: true });
  const display = aDisplay({ rasteriser: 'llvmpipe' });
  expect(displaysOf(trials)).toEqual([display, display, display]);
  expect(reasonsOf(trials)).toEqual([[], [], []]);
  expect(log.filter((line) => line === 'ask')).toHaveLength(1);
  expect(log.indexOf('ask')).toBeGreaterThan(log.indexOf('revoke'));
});

test('excludes trials that were drawn in another way than those before', async () => {
  const now = { ...told, renderer: gpu, isSlow: false };
  const { trials } = await measure([told, now]);
  const reason =
    'its display is not that of the trials before: software (llvmpipe) → GPU (Apple M1)';
  expect(reasonsOf(trials)).toEqual([[], [reason], [reason]]);
});

test('a continued run goes on with the display of its trials before', async () => {
  const readings = [makeDisplayReading(aDisplay({ scale: 2, rasteriser: 'llvmpipe' }))];
  const trialsBefore = [aTrial(jobs(1)[0]!, aCompletion({ readings }))];
  const { trials } = await measure([told], { trialsBefore });
  expect(reasonsOf(trials)[0]).toEqual([
    'its display is not that of the trials before: scale 2 → scale 1',
  ]);
});

test('a browser without WebGL, or that calls its own slow, draws by software', async () => {
  const { trials } = await measure([
    { ...told, renderer: null },
    { ...told, renderer: 'Some GPU' },
  ]);
  expect(displaysOf(trials).map((one) => [one?.drawnBy, one?.rasteriser])).toEqual([
    ['software', null],
    ...[1, 2].map(() => ['software', 'Some GPU']),
  ]);
});

for (const [what, answer] of Object.entries({
  'an error': new Error('the page is gone'),
  'no object': 'software',
  'a scale of 0': { ...told, scale: 0 },
  'a huge name': { ...told, renderer: 'x'.repeat(10_000) },
  'no size': { ...told, viewport: ['<b>', 1] },
})) {
  test(`${what} as the answer leaves the trial as it is, without a display`, async () => {
    const { trials } = await measure([answer]);
    expect(displaysOf(trials)).toEqual([null, null, null]);
    expect(reasonsOf(trials)).toEqual([[], [], []]);
  });
}

const shell = aFoundDevice('one');
const cannotHide = [{ name: 'headless', supported: false, because: 'it has no such mode' }];
const windows: Readonly<Record<string, Presence>> = {
  headless: shell,
  'headless shell': {
    ...shell,
    target: { ...shell.target, executable: '/opt/chrome-headless-shell' },
  },
  shown: aFoundDevice('one', { headless: false, environment: { DISPLAY: ':0' } }),
  unknown: { ...aFoundDevice('one', { remote: {} }), capabilities: cannotHide },
};

for (const [window, presence] of Object.entries(windows)) {
  test(`the window of a browser is ${window}`, async () => {
    const { trials } = await measure([told], { presence });
    expect(displaysOf(trials)[0]?.window).toBe(window);
  });
}

test('a device that joined tells how it draws, in the hand of its owner', async () => {
  const { trials } = await measure([{ ...told, scale: 3 }], { joined: true });
  const display = aDisplay({ rasteriser: 'llvmpipe', scale: 3, window: 'shown' });
  expect(displaysOf(trials)).toEqual([display, display, display]);
  const lies = await measure([{ ...told, renderer: 7 }], { joined: true });
  expect(displaysOf(lies.trials)).toEqual([null, null, null]);
  expect(reasonsOf(lies.trials)).toEqual([[], [], []]);
});

test('believes the GPU of a Safari that joined a farm on any system', async () => {
  const masked = { ...told, renderer: 'Apple GPU', isSlow: false };
  const drawnBy = async (browser: string): Promise<string> => {
    const presence = aFoundDevice('one', { browser });
    const { trials } = await measure([masked], { joined: true, presence });
    return describeRasteriser(displaysOf(trials)[0] ?? null);
  };
  expect(await drawnBy('safari')).toBe('GPU (Apple GPU)');
  expect(await drawnBy('webkit')).toBe('unknown');
});

test('WebKit names a GPU everywhere, which is believed of Apple’s systems alone', () => {
  const masked = { renderer: 'Apple GPU', isSlow: false };
  const on = (isApple: boolean, mayHaveGpu: boolean): string =>
    describeRasteriser(nameDrawing(masked, { isApple, mayHaveGpu }));
  expect(on(true, true)).toBe('GPU (Apple GPU)');
  expect(on(false, true)).toBe('unknown');
  expect(on(false, false)).toBe('software');
});

test('a runtime, which draws nothing, is not asked', async () => {
  const { trials, log } = await measure([told], {
    presence: aFoundDevice('one', { browser: 'node' }),
  });
  expect(displaysOf(trials)).toEqual([null, null, null]);
  expect(log).not.toContain('ask');
});
