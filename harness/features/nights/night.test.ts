import { expect, test } from '@playwright/test';
import type { RunRecord } from '../../core/model/run.ts';
import { aFoundDevice, aJob, aMissingDevice, aRecord, aTrial } from '../../testing/builders.ts';
import { aNight } from '../../testing/nights.ts';
import { twinOf } from './aa-lane.ts';
import { NightDiary } from './diary.ts';
import { newNight, nightDeclaration, nightSteps, type NightDocument } from './night-document.ts';
import { holdNight, type NightWork } from './night.ts';

function aGoodRecord(): RunRecord {
  const one = aFoundDevice('one');
  const trials = ['one', 'one@aa'].map((deviceId, ordinal) =>
    aTrial(aJob({ ordinal, deviceId }), [1 + ordinal / 10]),
  );
  return aRecord([one, twinOf(one)], trials);
}

/** A farm on which everything works, and what it was asked to do. */
function aFarm(changes: Partial<NightWork> = {}, record = aGoodRecord()) {
  const asked: string[] = [];
  const saved: NightDocument[] = [];
  const does =
    <T>(what: string, answer: T) =>
    (): Promise<T> => {
      asked.push(what);
      return Promise.resolve(answer);
    };
  const work: NightWork = {
    preflight: does('preflight', { fit: true, findings: [] }),
    measure: (notes) => {
      asked.push('measure');
      notes.found(record.presences);
      notes.begun(7, record.jobs.length);
      return Promise.resolve();
    },
    readRun: does('readRun', record),
    keepBuilds: does('keepBuilds', [
      { browser: 'chromium', version: '1.2.3', kept: true, because: null },
    ]),
    analyse: does('analyse', {
      series: 2,
      suspects: [],
      anomalies: [],
      unconfirmed: [],
      gone: [],
    }),
    blame: (confirmed) => {
      asked.push('blame');
      return Promise.resolve(confirmed.map((one) => ({ ...one, blame: 'it is in fib' })));
    },
    report: does('report', '/night/report.html'),
    junit: does('junit', '/night/junit.xml'),
    integrity: does('integrity', []),
    backup: does('backup', '/backups/farm.db'),
    prune: does('prune', { removed: [1], bytesBefore: 10, bytesAfter: 5, notShrunk: null }),
    notify: does('notify', []),
    ...changes,
  };
  return { work, asked, saved };
}

const facts = { ...aNight(), id: 'tonight' };

interface PlayedNight {
  readonly night: NightDocument;
  readonly asked: readonly string[];
  readonly saved: readonly NightDocument[];
  readonly diary: NightDiary;
}

async function hold(
  changes: Partial<NightWork> = {},
  {
    record = aGoodRecord(),
    earlier = [] as readonly NightDocument[],
    diskIsFull = false,
    life = {},
  } = {},
): Promise<PlayedNight> {
  const { work, asked, saved } = aFarm(changes, record);
  const { id, startedAt, host, farm, farmVersion, database, suite, asked: options } = facts;
  const diary = new NightDiary(
    {
      ...newNight({ id, startedAt, host, farm, farmVersion, database, suite, asked: options }),
      ...life,
    },
    {
      save: (document) => {
        if (diskIsFull) return Promise.reject(new Error('no space left on device'));
        saved.push(document);
        return Promise.resolve();
      },
      complain: (sentence) => asked.push(sentence),
    },
  );
  const night = await holdNight(diary, work, { earlier, runMs: 1_000, analysisMs: 1_000 });
  return { night, asked, saved, diary };
}

test('a night measures, analyses, reports, keeps the database in order and notifies, in this order', async () => {
  const { night, asked } = await hold();
  expect(asked).toEqual([
    ...['preflight', 'measure', 'readRun', 'keepBuilds', 'analyse', 'report', 'junit'],
    ...['integrity', 'backup', 'prune', 'notify'],
  ]);
  expect(night).toMatchObject({ status: 'fine', exitCode: 0, run: 7, reasons: [], changes: [] });
  expect(night.finishedAt).not.toBeNull();
  expect(night.steps.map(({ step, outcome }) => `${step} ${outcome}`)).toEqual(
    nightSteps.map((step) => `${step} ${step === 'blame' ? 'left-out' : 'done'}`),
  );
  expect(night.ledger).toMatchObject({ planned: 2, completed: 2, withoutOutcome: 0 });
  expect(night.devices.map(({ id }) => id)).toEqual(['one']);
  expect(night.aa).toMatchObject({ target: 'one', history: { nights: 1 } });
  expect(night.files).toEqual({
    report: '/night/report.html',
    junit: '/night/junit.xml',
    backup: '/backups/farm.db',
  });
});

test('its document has the declared form each time it is saved', async () => {
  const { saved } = await hold();
  expect(saved[0]).toMatchObject({ status: 'running', steps: [] });
  for (const document of saved) {
    expect(nightDeclaration.safeParse(JSON.parse(JSON.stringify(document))).error).toBeUndefined();
  }
  expect(saved.at(-1)).toMatchObject({ status: 'fine' });
});

const failures: readonly [keyof NightWork, string, readonly string[]][] = [
  ['preflight', 'preflight', []],
  ['readRun', 'ledger', ['builds', 'report', 'junit']],
  ['keepBuilds', 'builds', []],
  ['analyse', 'analysis', []],
  ['report', 'report', []],
  ['junit', 'junit', []],
  ['integrity', 'integrity', ['backup', 'prune']],
  ['backup', 'backup', []],
  ['prune', 'prune', []],
];

for (const [what, step, leftOut] of failures) {
  test(`when ${what} fails the night is red and says so, and all else is done`, async () => {
    const boom = (): Promise<never> => Promise.reject(new Error('boom'));
    const throwsAtOnce = (): never => {
      throw new Error('boom');
    };
    for (const fails of [boom, throwsAtOnce]) {
      const { night, asked } = await hold({ [what]: fails });
      expect(night).toMatchObject({ status: 'red', exitCode: 3 });
      expect(night.reasons).toContainEqual({
        step,
        level: 'red',
        text: `${step} failed: boom`,
      });
      expect(night.steps.map((one) => one.step)).toEqual([...nightSteps]);
      const undone = night.steps.filter(({ outcome }) => outcome === 'left-out');
      expect(
        undone.map((one) => one.step).filter((one) => one !== 'aa' && one !== 'blame'),
      ).toEqual(leftOut);
      expect(asked.at(-1)).toBe('notify');
      expect(night.changes.map(({ kind }) => kind)).toEqual(['red-night']);
    }
  });
}

test('reports only the devices of a run that never began, and still maintains the database', async () => {
  const { night, asked } = await hold({
    measure: (notes) => {
      notes.found([aMissingDevice('pixel')]);
      return Promise.reject(new Error('no device'));
    },
  });
  expect(night).toMatchObject({ status: 'red', run: null, ledger: null });
  expect(night.devices).toMatchObject([{ id: 'pixel', state: 'missing' }]);
  expect(asked).toEqual(['preflight', 'integrity', 'backup', 'prune', 'notify']);
});

test('reports an interrupted run with its missing cells', async () => {
  const complete = aGoodRecord();
  const record = { ...complete, trials: complete.trials.slice(0, 1) };
  const { night, asked } = await hold(
    {
      measure: (notes) => {
        notes.found(record.presences);
        notes.begun(7, 2);
        return Promise.reject(new Error('the disk is full'));
      },
    },
    { record },
  );
  expect(night).toMatchObject({ status: 'red', run: 7, ledger: { withoutOutcome: 1 } });
  expect(night.reasons.map(({ step }) => step)).toEqual(['run', 'ledger']);
  expect(asked).toContain('report');
  // The build may be replaced before the next night.
  expect(asked).toContain('keepBuilds');
  expect(asked).not.toContain('analyse');
});

test('measures nothing if the disk has too little room', async () => {
  const finding = {
    id: 'disk',
    level: 'unfit',
    what: '0.1 GiB of disk are free',
    remedy: 'free some',
  };
  const { night, asked } = await hold({
    preflight: () => Promise.resolve({ fit: false, findings: [finding] as never }),
  });
  expect(asked).not.toContain('measure');
  expect(night.reasons[0]!.text).toMatch(/ 0\.1 GiB .*nothing was measured/);
});

test('a busy machine is measured, and disturbed trials are excluded one by one', async () => {
  const finding = { id: 'foreign-cpu', level: 'unfit', what: 'busy', remedy: '' };
  const { night, asked } = await hold({
    preflight: () => Promise.resolve({ fit: false, findings: [finding] as never }),
  });
  expect(asked).toContain('measure');
  expect(night).toMatchObject({ status: 'fine', preflight: { fit: false } });
});

test('damage of the database is reported in SQLite’s words, and nothing is copied or pruned', async () => {
  const { night, asked } = await hold({ integrity: () => Promise.resolve(['page 3 is torn']) });
  expect(night.reasons[0]!.text).toContain('page 3 is torn');
  expect(asked).not.toContain('prune');
  expect(asked).not.toContain('backup');
});

test('a step that was not requested is left out without a reason', async () => {
  const { night } = await hold({ backup: undefined, prune: undefined } as never);
  expect(night).toMatchObject({ status: 'fine', prune: null, files: { backup: null } });
});

/** An analysis that confirmed a change. */
const confirming = {
  series: 2,
  suspects: [],
  unconfirmed: [],
  gone: [],
  anomalies: [{ id: 'N1', title: 'fib is slower' }],
};

test('a new anomaly is exit code 1, and the notification has the verdict and the function', async () => {
  const told: NightDocument[] = [];
  const { night, asked } = await hold({
    analyse: () => Promise.resolve(confirming),
    notify: (document) => {
      told.push(document);
      return Promise.resolve([{ channel: 'webhook', sent: true, attempts: 1, because: null }]);
    },
  });
  expect(night).toMatchObject({ status: 'attention', exitCode: 1 });
  const text = 'N1 is new: fib is slower; it is in fib';
  expect(told[0]).toMatchObject({ status: 'attention', changes: [{ kind: 'new-anomaly', text }] });
  expect(night.headline).toBe('Confirmed: N1: fib is slower; it is in fib');
  expect(night.notifications).toHaveLength(1);
  expect(asked.indexOf('blame')).toBeLessThan(asked.indexOf('report'));
});

test('a night that may not or cannot look for the function has its change all the same', async () => {
  const analyse = (): Promise<typeof confirming> => Promise.resolve(confirming);
  const { night: without } = await hold({ analyse, blame: undefined } as never);
  expect(without).toMatchObject({ status: 'attention', analysis: confirming });
  const { night: broken } = await hold({ analyse, blame: () => Promise.reject(new Error('boom')) });
  expect(broken).toMatchObject({ status: 'red', analysis: confirming });
  expect(broken.reasons.map(({ text }) => text)).toEqual([
    'blame failed: boom',
    'N1 is new: fib is slower',
  ]);
});

test('the function is looked for in what the analysis left of its time', async () => {
  const given: number[] = [];
  await hold({
    analyse: () => Promise.resolve(confirming),
    blame: (confirmed, budgetMs) => {
      given.push(budgetMs);
      return Promise.resolve(confirmed);
    },
  });
  expect(given).toHaveLength(1);
  expect(given[0]).toBeLessThanOrEqual(1_000);
});

test('a full disk is reported once, and the night continues to its end', async () => {
  const { night, asked, diary } = await hold({}, { diskIsFull: true });
  expect(night.status).toBe('fine');
  expect(diary.unsaved).toContain('no space left');
  expect(asked.filter((one) => one.includes('no space left'))).toHaveLength(1);
});

test('the lanes of nights before count in the rate of false alarms', async () => {
  const { night: first } = await hold();
  const { night } = await hold({}, { earlier: [first, aNight({ aa: null })] });
  expect(night.aa!.history.nights).toBe(2);
});

/** Lives of the night that ended with their farm. */
function deaths(count: number): NightDocument['goneOn'] {
  const at = '2026-11-21T02:40:00.000Z';
  return Array.from({ length: count }, () => ({ at, farm: 'dead', during: 'run' as const }));
}

test('a continued night does the remaining steps, and ends once', async () => {
  const { night, asked } = await hold({}, { life: { run: 7, goneOn: deaths(3) } });
  expect(asked).toContain('measure');
  expect(night).toMatchObject({ status: 'fine', run: 7, ledger: { planned: 2 } });
  expect(night.goneOn).toHaveLength(3);
  expect(night.steps.map(({ step }) => step)).toEqual([...nightSteps]);
});

test('a run that ended before the farm died is reported, though nothing is left to measure', async () => {
  const nothing = (): Promise<void> => Promise.resolve();
  const { night, asked } = await hold({ measure: nothing }, { life: { run: 7 } });
  expect(asked).toContain('report');
  expect(night).toMatchObject({ status: 'fine', ledger: { planned: 2, withoutOutcome: 0 } });
});

test('a night whose farm dies each time is measured no further, and ends red with its results', async () => {
  const complete = aGoodRecord();
  const record = { ...complete, trials: complete.trials.slice(0, 1) };
  const life = { run: 7, goneOn: deaths(4) };
  const { night, asked } = await hold({}, { record, life });
  expect(asked).not.toContain('measure');
  expect(asked).toContain('report');
  expect(night).toMatchObject({ status: 'red', exitCode: 3, ledger: { withoutOutcome: 1 } });
  expect(night.changes).toMatchObject([
    { kind: 'red-night', text: expect.stringMatching(/died 4 times/) },
  ]);
});

test('findings from before the farm died are reported without a second search', async () => {
  const analysis = {
    series: 2,
    suspects: [],
    unconfirmed: [],
    gone: [],
    anomalies: [{ id: 'N1', title: 'fib is slower' }],
  };
  const { night, asked } = await hold({}, { life: { run: 7, goneOn: deaths(1), analysis } });
  expect(asked).not.toContain('analyse');
  expect(night.changes.map(({ kind }) => kind)).toEqual(['new-anomaly']);
});
