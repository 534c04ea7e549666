import { test, expect } from '@playwright/test';
import { parseAb } from './ab-report.js';
import { checkLoad, checkParameters } from './checks.js';
import { summarizeLatencies, tableOf } from './latency.js';

test.describe('latencies', () => {
  test('have the mean, the deviation of a sample, and a percentile that was measured', () => {
    expect(summarizeLatencies([2, 4, 4, 4, 5, 5, 7, 9])).toEqual({
      mean: 5,
      sd: Math.sqrt(32 / 7),
      p99: 9,
    });
    const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect(summarizeLatencies(hundred).p99).toBe(99);
  });

  test('of one request have no spread, and of none cannot be summarized', () => {
    expect(summarizeLatencies([3])).toEqual({ mean: 3, sd: 0, p99: 3 });
    expect(() => summarizeLatencies([])).toThrow('no latencies');
  });
});

test.describe('a report of ab', () => {
  const report = (change: (text: string) => string = (text) => text): string =>
    change(`This is ApacheBench, Version 2.3 <$Revision: 1923142 $>
Benchmarking 127.0.0.1 (be patient).....done


Server Software:        
Server Hostname:        127.0.0.1
Server Port:            40123

Document Path:          /async
Document Length:        60 bytes

Concurrency Level:      2
Time taken for tests:   0.141 seconds
Complete requests:      3
Failed requests:        0
Keep-Alive requests:    3
Total transferred:      795 bytes
HTML transferred:       180 bytes
Requests per second:    21.28 [#/sec] (mean)
Time per request:       94.000 [ms] (mean)
Time per request:       47.000 [ms] (mean, across all concurrent requests)
Transfer rate:          5.51 [Kbytes/sec] received
`);
  const header = 'starttime\tseconds\tctime\tdtime\tttime\twait\n';
  const rows = [47, 52, 90].map(
    (ms) =>
      `Sat Nov 21 15:41:10 2026\t1795275670\t1\t${String(ms - 1)}\t${String(ms)}\t${String(ms - 3)}`,
  );
  const table = `${header}${rows.join('\n')}\n`;
  const expected = { requests: 3, bodyBytes: 60 };

  test('gives the time of the load and the latency of each request', () => {
    const load = parseAb({ report: report(), table }, expected);
    expect(load).toEqual({
      elapsedMs: 141,
      latencies: [47, 52, 90],
      bytes: 795,
      phases: { connect: [1, 1, 1], processing: [46, 51, 89], waiting: [44, 49, 87] },
    });
    const printed = tableOf({ ...load, answers: null });
    expect(printed).toMatchObject({ 'connect-max': 1, 'processing-min': 46, 'waiting-mean': 60 });
    expect(printed).toMatchObject({ 'total-min': 47, 'total-median': 52, 'total-max': 90 });
    expect(printed['total-sd']).toBeCloseTo(23.5, 1);
    expect(printed['kbytesPerSecond']).toBeCloseTo(5.51, 2);
  });

  for (const [what, from, to, sentence] of [
    ['with requests left out', 'requests:      3', 'requests:      2', 'Complete requests: 2'],
    ['with failures', 'Failed requests:        0', 'Failed requests:        1', 'instead of 0'],
    [
      'of new connections',
      'Keep-Alive requests:    3',
      'Keep-Alive requests:    0',
      'sent 0 of 3 requests over connections that were kept',
    ],
    ['of other answers', '180 bytes', '160 bytes', '"HTML transferred: 160" instead of 180'],
    ['without its time', /Time taken.*\n/, '', 'no number for "Time taken for tests"'],
    ['with a strange number', '0.141 seconds', '0,141 seconds', 'no number for "Time taken'],
    [
      'with answers that are no success',
      'Total tr',
      'Non-2xx responses:      3\nTotal tr',
      'Non-2xx',
    ],
    ['with writes that failed', 'Total tr', 'Write errors:           1\nTotal tr', 'Write errors'],
  ] as const) {
    test(`${what} is refused`, () => {
      const changed = report((text) => text.replace(from, to));
      expect(() => parseAb({ report: changed, table }, expected)).toThrow(sentence);
    });
  }

  test('refuses a table that lacks a request', () => {
    const parse = (text: string) => () => parseAb({ report: report(), table: text }, expected);
    expect(parse(`${header}${rows[0]!}\n`)).toThrow('1 rows for 3 requests');
    expect(parse(`${header}${rows[0]!}\n${rows[1]!}\nrubbish`)).toThrow('"rubbish"');
    expect(parse('')).toThrow('begins with ""');
  });
});

test.describe('parameters', () => {
  const sound = {
    route: 'sync',
    work: 'hash',
    generator: 'ab',
    concurrency: 20,
    requests: 250,
    cost: 10,
    threadPool: 0,
    port: 0,
  };

  test('are taken as they are when they are sound', () => {
    expect(checkParameters(sound)).toEqual(sound);
  });

  for (const [change, sentence] of [
    [{ route: 'both' }, 'route cannot be both: it is sync or async.'],
    [{ work: 'both' }, 'work cannot be both: it is hash or file.'],
    [{ generator: 'wrk' }, 'generator cannot be wrk: it is autocannon or ab.'],
    [{ cost: 13 }, 'cost cannot be 13: it is 4 to 12.'],
    [{ requests: '9' }, 'requests cannot be 9: it is 1 to 5000.'],
    [{ threadPool: 1.5 }, 'threadPool cannot be 1.5'],
    [{ port: -1 }, 'port cannot be -1'],
    [{ requests: 19 }, '19 requests cannot keep 20 connections busy'],
  ] as const) {
    test(`${JSON.stringify(change)} are refused with a sentence`, () => {
      expect(() => checkParameters({ ...sound, ...change })).toThrow(sentence);
    });
  }
});

test.describe('the answers of a load', () => {
  const hash = (salt: string): string => `$2b$10$${salt.padEnd(53, 'x')}`;
  const answers = ['a', 'b'].map((salt) => ({ status: 200, body: hash(salt) }));
  const load = { elapsedMs: 9, latencies: [4, 5], bytes: 300, answers };
  const expected = {
    work: 'hash' as 'hash' | 'file',
    requests: 2,
    cost: 10,
    verify: (text: string): boolean => text === 'secret',
  };

  test('are right as different hashes, the last one of the password', () => {
    checkLoad(load, expected);
    checkLoad({ ...load, answers: null }, expected);
  });

  test('are wrong if missing, of another kind, repeated or unverified', () => {
    const check = (change: Partial<typeof load>, more: Partial<typeof expected> = {}) =>
      expect(() => {
        checkLoad({ ...load, ...change }, { ...expected, ...more });
      });
    check({ latencies: [4] }).toThrow('1 of 2 requests were answered.');
    check({ answers: [{ status: 500, body: 'oh' }] }).toThrow('500 "oh" instead of 200 and a hash');
    check({}, { cost: 4 }).toThrow('instead of 200 and a hash');
    check({ answers: [answers[0]!, answers[0]!] }).toThrow('Two answers are the same hash');
    check({}, { verify: () => false }).toThrow('is not a hash of the password');
    check({}, { verify: () => true }).toThrow('is not a hash of the password');
    check({}, { work: 'file' }).toThrow('instead of 200 and the file');
  });
});
