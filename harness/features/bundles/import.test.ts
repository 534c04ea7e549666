import { expect, test } from '@playwright/test';
import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FarmError } from '../../core/errors.ts';
import { connect } from '../../core/store/connection.ts';
import { completed, makeFacts, failed, makeJobs } from '../../core/store/fixtures/example.ts';
import { openStore } from '../../core/store/store.ts';
import { aFolder, useOwnTemporaryFolder } from '../../testing/folder.ts';
import { importFiles } from './import.ts';

useOwnTemporaryFolder();

/** A farm's database with this number of runs, made without measuring. */
async function aDatabase(path: string, runs: number): Promise<void> {
  const store = await openStore(path);
  for (let run = 0; run < runs; run += 1) {
    const jobs = makeJobs(4);
    const id = await store.createRun(makeFacts(jobs));
    await store.writeTrial(id, completed(jobs[0]!, [1 / 3, 2, 3]));
    await store.writeTrial(id, failed(jobs[1]!));
    await store.finishRun(id, 'finished', '2026-11-21T01:00:00.000Z');
  }
  await store.close();
}

/** Copies of foreign databases, which must be removed. */
const copies = (): readonly string[] =>
  readdirSync(tmpdir()).filter((name) => /^crossfarm-(import|versions)-/.test(name));

async function refusalOf(files: readonly string[], into: string): Promise<FarmError> {
  const error: unknown = await importFiles(files, into).catch((reason: unknown) => reason);
  if (!(error instanceof FarmError)) throw new Error(`no FarmError but ${String(error)}`);
  return error;
}

test('refuses a foreign file with a sentence and writes nothing', async () => {
  const folder = await aFolder();
  const place = (name: string): string => join(folder, name);
  await aDatabase(place('good.db'), 1);
  const change = async (name: string, sql: string): Promise<string> => {
    cpSync(place('good.db'), place(name));
    const connection = await connect(place(name));
    await connection.execute(sql);
    await connection.close();
    return name;
  };
  const damaged = readFileSync(place('good.db'));
  damaged.fill(0x5a, 8192, damaged.length - 4096);
  writeFileSync(place('damaged.db'), damaged);
  writeFileSync(place('text.txt'), 'hello');
  writeFileSync(place('forged.json'), '{"kind":"crossfarm-run","format":1,"run":{}}');
  writeFileSync(place('short.db'), damaged.subarray(0, 3000));
  const deep = '['.repeat(5_000) + ']'.repeat(5_000);
  writeFileSync(place('deep.json'), `{"kind":"crossfarm-run","format":1,"run":${deep}}`);
  writeFileSync(place('name.json'), JSON.stringify({ ['n'.repeat(2 ** 21)]: 1 }));
  execFileSync('mkfifo', [place('pipe')]);
  const refusals: readonly (readonly [string, number, RegExp])[] = [
    ['nope.db', 2, /nope\.db is refused: it does not exist/],
    ['text.txt', 2, /neither a database nor JSON/],
    ['forged.json', 2, /forged\.json is refused: it is not an exported run: \$\.run/],
    ['damaged.db', 3, /damaged\.db is not a database of crossfarm, or it is damaged/],
    ['short.db', 3, /short\.db is not a database of crossfarm, or it is damaged/],
    [await change('newer.db', 'PRAGMA user_version = 999'), 3, /written by a newer crossfarm/],
    [await change('older.db', 'PRAGMA user_version = 21'), 3, /written by an older crossfarm/],
    [await change('other.db', 'PRAGMA application_id = 7'), 3, /is not a database of crossfarm/],
    [
      await change('view.db', 'CREATE VIEW spy AS SELECT 1'),
      3,
      /it has not the view spy that crossfarm makes/,
    ],
    [
      await change('trigger.db', 'DROP TRIGGER trial_outcome_is_final'),
      3,
      /trigger trial_outcome_is_final/,
    ],
    [
      await change('seed.db', 'UPDATE run SET seed = -1'),
      2,
      /of its run 1, it is not an exported run: \$\.run\.seed/,
    ],
    [
      await change('question.db', `INSERT INTO question VALUES (1, 'A1', '{}')`),
      2,
      /of its run 1, it cannot be read/,
    ],
    [
      await change(
        'deep.db',
        `PRAGMA ignore_check_constraints = ON; UPDATE target SET flags = '${deep}'`,
      ),
      3,
      /malformed JSON/,
    ],
    ['deep.json', 2, /nested more than 100 deep/],
    ['name.json', 2, /a text of more than 1048576 characters/],
    ['pipe', 2, /pipe is refused: it is not a file/],
    [
      await change('long.db', `UPDATE run SET suite = hex(zeroblob(${String(9 * 2 ** 20)}))`),
      3,
      /a value of its run\.suite has more than/,
    ],
    [
      await change('json.db', `UPDATE target SET flags = '["a", {"b": 1}]'`),
      2,
      /of its run 1, it is not an exported run: \$\.devices/,
    ],
  ];
  for (const [name, code, sentence] of refusals) {
    const refused = await refusalOf([place('good.db'), place(name)], place('all.db'));
    expect(refused.message, name).toMatch(sentence);
    expect(refused.exitCode, name).toBe(code);
    expect(readdirSync(folder).filter((one) => one.startsWith('all.db'))).toEqual([]);
  }
  const self = await refusalOf([place('good.db')], place('good.db'));
  expect(self).toMatchObject({ code: 'bad-argument' });
  expect(self.message).toContain(`${place('good.db')} is the database`);
  expect(copies()).toEqual([]);
});

/** Additions to a farm's database that an editor of SQLite's schema can write. */
const endless =
  'SELECT (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n)';
const intruders: Readonly<Record<string, readonly (string | number)[]>> = {
  'a trigger with a name of SQLite': [
    ...['trigger', 'sqlite_evil', 'trial', 0],
    `CREATE TRIGGER sqlite_evil AFTER INSERT ON trial BEGIN ${endless}; END`,
  ],
  'a view with a name of SQLite': [
    ...['view', 'sqlite_stat3', 'sqlite_stat3', 0],
    `CREATE VIEW sqlite_stat3 AS ${endless}`,
  ],
  'a view that says it is the statistics': [
    ...['table', 'sqlite_stat1', 'sqlite_stat1', 0],
    `CREATE VIEW sqlite_stat1 AS ${endless}`,
  ],
  'an index with a text that says it is a unique column': [
    ...['trigger', 'sqlite_autoindex_trial_9', 'trial', 0],
    `CREATE TRIGGER sqlite_autoindex_trial_9 BEFORE DELETE ON trial BEGIN ${endless}; END`,
  ],
  'a view whose name clears the terminal': [
    ...['view', 'evil\u001b[2J', 'evil\u001b[2J', 0],
    `CREATE VIEW "evil\u001b[2J" AS ${endless}`,
  ],
  'a second entry behind a name of ours': [
    ...['trigger', 'trial_outcome_is_final', 'cell', 0],
    `CREATE TRIGGER again AFTER INSERT ON cell BEGIN ${endless}; END`,
  ],
};

for (const [what, entry] of Object.entries(intruders)) {
  test(`a database with ${what} is refused @attack`, async () => {
    const folder = await aFolder();
    const file = join(folder, 'evil.db');
    await aDatabase(file, 1);
    const connection = await connect(file);
    await connection.execute('PRAGMA writable_schema = ON');
    // In front of the others, so that an own entry of the same name comes after it.
    await connection.all('INSERT INTO sqlite_schema VALUES (?, ?, ?, ?, ?)', entry as string[]);
    await connection.execute(
      'CREATE TEMP TABLE kept AS SELECT * FROM sqlite_schema ORDER BY rowid DESC',
    );
    await connection.execute('DELETE FROM sqlite_schema');
    await connection.execute('INSERT INTO sqlite_schema SELECT * FROM kept');
    await connection.close();
    const refused = await refusalOf([file], join(folder, 'all.db'));
    expect(refused.code).toBe('bad-database');
    expect(refused.message).not.toMatch(/[\u0000-\u001f]/);
    expect(readdirSync(folder)).toEqual(['evil.db']);
    expect(copies()).toEqual([]);
  });
}

test('a new database appears only with all its runs @attack', async () => {
  const folder = await aFolder();
  const [good, bad] = [join(folder, 'good.db'), join(folder, 'bad.json')];
  await aDatabase(good, 1);
  writeFileSync(bad, '{}');
  const seen = new Set<string>();
  const watching = watch(folder, (_event, name) => seen.add(String(name)));
  await refusalOf([good, bad], join(folder, 'all.db'));
  expect((await importFiles([good], join(folder, 'new', 'all.db')))[0]?.runs).toHaveLength(1);
  watching.close();
  expect([...seen].filter((name) => name.startsWith('all.db'))).toEqual([]);
  expect(readdirSync(join(folder, 'new'))).toEqual(['all.db']);
  expect(copies()).toEqual([]);
});

test('a time longer than its whole trial makes an imported trial a failed one @attack', async () => {
  const folder = await aFolder();
  const [file, into] = [join(folder, 'evil.db'), join(folder, 'all.db')];
  await aDatabase(file, 1);
  const connection = await connect(file);
  await connection.execute('UPDATE sample SET value = 1e18');
  await connection.close();
  await importFiles([file], into);
  const store = await openStore(into);
  const [trial] = (await store.readRun(1))!.trials;
  await store.close();
  expect(trial?.outcome).toMatchObject({
    kind: 'failed',
    failure: { message: expect.stringContaining('longer than the whole trial') },
  });
});

test("accepts SQLite's internal tables, such as the statistics of ANALYZE", async () => {
  const folder = await aFolder();
  const [file, into] = [join(folder, 'analysed.db'), join(folder, 'all.db')];
  await aDatabase(file, 1);
  const connection = await connect(file);
  await connection.execute('ANALYZE');
  await connection.close();
  expect((await importFiles([file], into))[0]).toMatchObject({ runs: [{ run: 1, known: false }] });
});

test('an import that is interrupted stores nothing, and says so @attack', async () => {
  const folder = await aFolder();
  const [file, into] = [join(folder, 'good.db'), join(folder, 'all.db')];
  await aDatabase(file, 1);
  const signal = AbortSignal.abort(new Error('enough'));
  const refused: unknown = await importFiles([file], into, signal).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 'run-interrupted', exitCode: 3 });
  expect(readdirSync(folder)).toEqual(['good.db']);
  expect(copies()).toEqual([]);
});

test('a refused file leaves the database unchanged, also after good ones', async () => {
  const folder = await aFolder();
  await aDatabase(join(folder, 'into.db'), 1);
  await aDatabase(join(folder, 'good.db'), 1);
  writeFileSync(join(folder, 'bad.json'), '{}');
  const files = ['good.db', 'bad.json'].map((name) => join(folder, name));
  expect((await refusalOf(files, join(folder, 'into.db'))).code).toBe('bad-import');
  const store = await openStore(join(folder, 'into.db'));
  expect(await store.listRuns()).toHaveLength(1);
  await store.close();
});

test('a database knows the runs that came from it', async () => {
  const folder = await aFolder();
  const [old, into] = [join(folder, 'old.db'), join(folder, 'into.db')];
  await aDatabase(old, 2);
  for (const [from, to, known] of [
    [old, into, false],
    [into, old, true],
  ] as const) {
    const [taken, ...others] = await importFiles([from], to);
    expect(others).toEqual([]);
    expect(taken).toMatchObject({ file: from, runs: [1, 2].map((run) => ({ run, known })) });
  }
  const stores = [await openStore(old), await openStore(into)];
  const [first, second] = await Promise.all(stores.map((store) => store.readRun(2)));
  expect(second).toEqual(first);
  for (const store of stores) await store.close();
});
