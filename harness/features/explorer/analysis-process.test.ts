/** Long analyses run in another process, and the server answers meanwhile. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { execa } from 'execa';
import { FarmError } from '../../core/errors.ts';
import { openStore } from '../../core/store/store.ts';
import { aTestApi } from '../../testing/api.ts';
import { aFolder } from '../../testing/folder.ts';
import { aStoredHistory } from '../../testing/stored-history.ts';
import { startTypeScript } from '../../testing/typescript-process.ts';
import { analyseHere } from './analyst.ts';
import { AnalysisProcess } from './analysis-process.ts';

const program = new URL('../../analysis-program.ts', import.meta.url);
const gatedProgram = new URL('../../testing/gated-analysis.ts', import.meta.url);

/** Answers from a database, with every process that was started for it. */
function aAnalyst(database: string, idleMs = 60_000) {
  const begun: ChildProcess[] = [];
  const analyst = new AnalysisProcess({
    idleMs,
    start: () => {
      const child = startTypeScript(program, [database]);
      begun.push(child);
      return child;
    },
  });
  return { analyst, begun };
}

test('a process answers what the one that asks would have answered', async () => {
  const database = await aStoredHistory();
  const { analyst, begun } = aAnalyst(database);
  const store = await openStore(database);
  try {
    expect(begun).toHaveLength(0);
    const here = analyseHere(store);
    const history = { suite: 'quick', newest: 2, runs: 2 };
    const [findings, none, changes] = await Promise.all([
      analyst.findings(2, 'firefox'),
      analyst.findings(99, null),
      analyst.changes(history),
    ]);
    expect(findings).toEqual(await here.findings(2, 'firefox'));
    expect(findings!.rows).toHaveLength(6);
    expect(none).toBeNull();
    expect(changes).toEqual(await here.changes(history));
    expect(await analyst.added('claim', 'A3')).toEqual(await here.added('claim', 'A3'));
    expect(begun).toHaveLength(1);
  } finally {
    await analyst.close();
    await store.close();
  }
});

/** A search without an early end, in the first process. */
async function aGate() {
  const gate = join(await aFolder(), 'gate');
  await execa('mkfifo', [gate]);
  const begun: ChildProcess[] = [];
  const analysts: AnalysisProcess[] = [];
  let pipe: FileHandle | undefined;
  return {
    /** A pipe opens for writing only after it is opened for reading. */
    searching: async (): Promise<ChildProcess> => {
      pipe = await open(gate, 'w');
      return begun[0]!;
    },
    open: () => pipe?.close(),
    analystOf: (database: string) => {
      const start = (): ChildProcess => {
        const isFirst = begun.length === 0;
        const child = startTypeScript(isFirst ? gatedProgram : program, [database, gate]);
        begun.push(child);
        return child;
      };
      const analyst = new AnalysisProcess({ start });
      analysts.push(analyst);
      return analyst;
    },
    close: async () => {
      await Promise.all(analysts.map((analyst) => analyst.close()));
    },
  };
}

test('other questions are answered while the nights are searched', async () => {
  const search = await aGate();
  const api = await aTestApi(search.analystOf);
  try {
    const order: string[] = [];
    const changes = api.get('/api/v1/changes').then((answer) => {
      order.push('changes');
      return answer;
    });
    await search.searching();
    for (const url of ['/api/v1/runs', '/api/v1/trials', '/api/openapi.json']) {
      expect((await api.get(url)).statusCode).toBe(200);
      order.push(url);
    }
    await search.open();
    const { statusCode, body } = await changes;
    expect(statusCode, body).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ suite: 'quick', nights: 2 });
    expect(order).toEqual(['/api/v1/runs', '/api/v1/trials', '/api/openapi.json', 'changes']);
  } finally {
    await search.close();
    await api.close();
  }
});

test('a pending question fails when the farm ends, and the process is gone', async () => {
  const search = await aGate();
  const analyst = search.analystOf(await aStoredHistory());
  const told = analyst.changes({ suite: 'quick', newest: 2, runs: 2 }).catch(String);
  await search.searching();
  // The gate stays closed: this process ends by force.
  await search.close();
  await search.open();
  expect(await told).toContain('The farm is ending');
  await expect(analyst.findings(1, null)).rejects.toThrow('The farm is ending');
});

test('an idle process ends, and the next question begins another', async () => {
  const { analyst, begun } = aAnalyst(await aStoredHistory(), 1);
  try {
    expect((await analyst.findings(1, null))!.run).toBe(1);
    await once(begun[0]!, 'exit');
    expect((await analyst.findings(2, null))!.run).toBe(2);
    expect(begun).toHaveLength(2);
  } finally {
    await analyst.close();
  }
});

test('a failure of the store keeps its code and its advice', async () => {
  const { analyst } = aAnalyst(await aFolder());
  try {
    const failure = await analyst.findings(1, null).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(FarmError);
    expect(failure).toMatchObject({ code: 'cannot-write', next: expect.any(String) as unknown });
  } finally {
    await analyst.close();
  }
});

test('if a process dies its questions fail, and the next one begins another', async () => {
  const search = await aGate();
  const analyst = search.analystOf(await aStoredHistory());
  try {
    const told = analyst.changes({ suite: 'quick', newest: 2, runs: 2 }).catch(String);
    (await search.searching()).kill('SIGKILL');
    expect(await told).toMatch(/process.* ended.*SIGKILL/);
    expect((await analyst.findings(1, 'firefox'))!.baseline).toBe('firefox');
  } finally {
    await search.open();
    await search.close();
  }
});
