import { expect, test } from '@playwright/test';
import { findFamily } from '../../model/family.ts';
import { useTestApi } from '../../../testing/api.ts';
import { averages, isWanted, rawOf, type FirstStudyQuery } from './first-study.ts';

test.describe('its words', () => {
  type Target = Parameters<typeof isWanted>[0];

  const targets: Readonly<Record<string, Target>> = {
    chromium: aTarget('chromium', 'linux', 'Debian GNU/Linux 12'),
    chrome: aTarget('chrome', 'windows', 'Windows 11'),
    firefox: aTarget('firefox', 'linux', 'Ubuntu 24.04'),
    safari: aTarget('safari', 'macos', 'macOS 15'),
    phone: { ...aTarget('chrome', 'android', null), cores: null },
    pixel: { ...aTarget('firefox', 'android', null), cores: null },
    edge: { ...aTarget('edge', 'windows', 'Windows_NT 10.0.22631'), cores: 12 },
    brave: {
      ...aTarget('program', 'windows', 'Windows 11'),
      deviceName: 'Brave',
      family: 'chromium-based',
    },
  };

  function aTarget(browser: string, os: string, system: string | null): Target {
    const family = findFamily(browser);
    return { browser, deviceName: browser, family, version: '1.2', os, system, cores: 2 };
  }

  const wanted = (asked: FirstStudyQuery) =>
    Object.keys(targets).filter((name) => isWanted(targets[name]!, asked));

  for (const [what, asked, expected] of [
    ['nothing', {}, ['chromium', 'chrome', 'firefox', 'safari', 'phone', 'pixel', 'edge', 'brave']],
    ['a family', { browser: 'chromium based' }, ['chromium', 'chrome', 'phone', 'edge', 'brave']],
    ['a program, by the name of its device', { browser: 'brave' }, ['brave']],
    ['the other family', { browser: 'firefox based' }, ['firefox', 'pixel']],
    ['Chrome, which is not that of a phone', { browser: 'chrome' }, ['chrome']],
    ['Chrome of a phone', { browser: 'chrome mobile' }, ['phone']],
    ['Firefox of a phone', { browser: 'firefox mobile' }, ['pixel']],
    ['a name in capitals', { browser: 'Safari' }, ['safari']],
    ['a name that is a member of every object', { browser: 'constructor' }, []],
    ['Linux, which Ubuntu is', { os: 'linux' }, ['chromium', 'firefox']],
    ['Ubuntu', { os: 'ubuntu' }, ['firefox']],
    ['macOS', { os: 'mac os' }, ['safari']],
    ['macOS by its name of today', { os: 'macOS' }, ['safari']],
    ['a Linux by its own name', { os: 'debian' }, ['chromium']],
    ['Windows', { os: 'windows' }, ['chrome', 'edge', 'brave']],
    [
      'cores',
      { num_cores: '2', browser: 'undefined' },
      ['chromium', 'chrome', 'firefox', 'safari', 'brave'],
    ],
    ['cores that are no number', { num_cores: 'undefined', os: 'android' }, ['phone', 'pixel']],
    ['no cores, which no device has', { num_cores: '0', os: 'android' }, ['phone', 'pixel']],
  ] as const) {
    test(`a query for ${what} gets the answer of the study`, () => {
      expect(wanted(asked)).toEqual(expected);
    });
  }

  test('a result looks as the study showed it', () => {
    expect(rawOf(targets['chrome']!, { trial: 7, n: 5, duration: 7 })).toEqual({
      id: 7,
      browser: 'Chrome 1.2',
      os: 'Windows 11',
      num_cores: 2,
      n: 5,
      duration: 7,
    });
  });

  for (const [name, expected] of [
    ['edge', 'Windows 10.0.22631'],
    ['chromium', 'Linux (Debian GNU/Linux 12)'],
    ['firefox', 'Ubuntu 24.04'],
    ['phone', 'Android'],
  ] as const) {
    test(`a system is shown by its name and version: ${expected}`, () => {
      const { os } = rawOf(targets[name]!, { trial: 7, n: 5, duration: 7 });
      expect(os).toBe(expected);
    });
  }

  test('a mean keeps four digits, however short or long the call', () => {
    const call = { trial: 1, n: 1, duration: 0.000123456 };
    const rows = [call, { ...call, n: 2, duration: 123_456 }].map((one) =>
      rawOf(targets['chrome']!, one),
    );
    expect(averages(rows)).toEqual({ '1': '0.0001235', '2': '123500' });
  });
});

test.describe('its API', () => {
  const { shared } = useTestApi();

  test('raw data have the documented form', async () => {
    const response = await shared().get('/api/sync_benchmarks?browser=chromium&os=linux&max_n=10');
    const answer = response.json<{ data: { id: number }[] }>();
    expect(answer).toMatchObject({
      status: 'success',
      message: 'Retrieved benchmarks',
      data: [{ browser: 'Chromium 1.2.3', num_cores: 2, n: 10, duration: 22 }, {}, {}, {}, {}, {}],
    });
    expect(Object.keys(answer.data[0]!)).toEqual([
      ...['id', 'browser', 'os', 'num_cores', 'n', 'duration'],
    ]);
  });

  test('raw data are listed as documented, the newest first, up to the largest n', async () => {
    const listed = async (query: string) =>
      (await shared().get(`/api/sync_benchmarks?${query}`)).json<{
        data: { id: number; n: number }[];
      }>().data;
    const all = await listed('browser=firefox+based');
    const ids = all.map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted((one, other) => other - one));
    expect(new Set(all.map(({ n }) => n))).toEqual(new Set([10, 11, 12]));
    expect((await listed('max_n=11')).every(({ n }) => n <= 11)).toBe(true);
    expect(await listed('max_n=0')).toEqual([]);
  });

  test('one result is found by its id, under its own function only', async () => {
    const all = (await shared().get('/api/async_benchmarks')).json<{ data: { id: number }[] }>();
    const [first] = all.data;
    const one = await shared().get(`/api/async_benchmarks/${String(first!.id)}`);
    expect(one.json()).toEqual({
      status: 'success',
      data: first,
      message: 'Retrieved ONE benchmark',
    });
    expect((await shared().get(`/api/sync_benchmarks/${String(first!.id)}`)).statusCode).toBe(404);
  });

  test('means and minima are texts of four digits, by n', async () => {
    const query = 'browser=chromium%20based&os=linux&num_cores=2&max_n=11';
    const means = await shared().get(`/api/sync_benchmarks?mode=avg&${query}`);
    // Chromium's values are n, n + 1, n + 2 in the first night and 2n, 2n + 1, 2n + 2 in the second.
    expect(means.json()).toEqual({
      status: 'success',
      data: { '10': '16', '11': '17.5' },
      message: 'Retrieved benchmarks',
    });
    const minima = await shared().get(`/api/sync_benchmarks?mode=min&${query}`);
    expect(minima.json()).toMatchObject({ data: { '10': '10', '11': '11' } });
  });

  test('leaves out trials that do not count', async () => {
    const firefox = await shared().get('/api/async_benchmarks?mode=avg&browser=firefox&max_n=10');
    // 2n + block of both nights, without the quarantined first block.
    expect(firefox.json()).toMatchObject({ data: { '10': '31.5' } });
  });

  test('parameters that are not known are passed over, as the study did', async () => {
    const response = await shared().get('/api/async_memo_benchmarks?mode=avg&cache=1&os=undefined');
    expect(response.json()).toEqual({
      status: 'success',
      data: {},
      message: 'Retrieved benchmarks',
    });
  });
});
