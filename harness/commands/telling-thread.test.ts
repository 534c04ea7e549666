/** What takes long to tell is told by another thread, and the server answers meanwhile. */
import { once } from 'node:events';
import { MessageChannel, type Worker } from 'node:worker_threads';
import { expect, test } from '@playwright/test';
import { FarmError } from '../errors.ts';
import { openStore } from '../store/store.ts';
import { aTestApi } from '../testing/api.ts';
import { aFolder } from '../testing/folder.ts';
import { aStoredHistory } from '../testing/stored-history.ts';
import { startTypeScript } from '../testing/threads.ts';
import { tellHere } from './teller.ts';
import { TellingThread } from './telling-thread.ts';

const program = new URL('./telling-program.ts', import.meta.url);
const gatedProgram = new URL('../testing/gated-telling.ts', import.meta.url);

/** The thread of a database, and every thread that was begun for it. */
function aThread(database: string, idleMs = 60_000) {
  const begun: Worker[] = [];
  const teller = new TellingThread({
    idleMs,
    start: () => {
      const worker = startTypeScript(program, { database });
      begun.push(worker);
      return worker;
    },
  });
  return { teller, begun };
}

test('a thread tells what the thread that asks would have told', async () => {
  const database = await aStoredHistory();
  const { teller, begun } = aThread(database);
  const store = await openStore(database);
  try {
    expect(begun).toHaveLength(0);
    const here = tellHere(store);
    const history = { suite: 'quick', newest: 2, runs: 2 };
    const [findings, none, changes] = await Promise.all([
      teller.findings(2, 'firefox'),
      teller.findings(99, null),
      teller.changes(history),
    ]);
    expect(findings).toEqual(await here.findings(2, 'firefox'));
    expect(findings!.rows).toHaveLength(6);
    expect(none).toBeNull();
    expect(changes).toEqual(await here.changes(history));
    expect(await teller.claim('A3')).toEqual(await here.claim('A3'));
    expect(begun).toHaveLength(1);
  } finally {
    await teller.close();
    await store.close();
  }
});

/** A search that does not end before it may, in the first thread that is begun. */
function aGate() {
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const { port1, port2 } = new MessageChannel();
  const begun: Worker[] = [];
  const threads: TellingThread[] = [];
  return {
    searching: async (): Promise<Worker> => {
      await once(port1, 'message');
      return begun[0]!;
    },
    open: () => {
      Atomics.store(gate, 0, 1);
      Atomics.notify(gate, 0);
    },
    tellerOf: (database: string) => {
      const start = (): Worker => {
        const worker =
          begun.length === 0
            ? startTypeScript(gatedProgram, { database, gate, begun: port2 }, [port2])
            : startTypeScript(program, { database });
        begun.push(worker);
        return worker;
      };
      const thread = new TellingThread({ start });
      threads.push(thread);
      return thread;
    },
    close: async () => {
      await Promise.all(threads.map((thread) => thread.close()));
      port1.close();
    },
  };
}

test('other questions are answered while the nights are searched', async () => {
  const search = aGate();
  const api = await aTestApi(search.tellerOf);
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
    search.open();
    const { statusCode, body } = await changes;
    expect(statusCode, body).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ suite: 'quick', nights: 2 });
    expect(order).toEqual(['/api/v1/runs', '/api/v1/trials', '/api/openapi.json', 'changes']);
  } finally {
    search.open();
    await search.close();
    await api.close();
  }
});

test('who still waits when the farm ends is told so, and the thread is gone', async () => {
  const search = aGate();
  const teller = search.tellerOf(await aStoredHistory());
  const told = teller.changes({ suite: 'quick', newest: 2, runs: 2 }).catch(String);
  await search.searching();
  // The gate stays closed: this thread ends by force.
  await search.close();
  expect(await told).toContain('The farm is ending');
  await expect(teller.findings(1, null)).rejects.toThrow('The farm is ending');
});

test('a thread that nobody asks ends, and the next question begins another', async () => {
  const { teller, begun } = aThread(await aStoredHistory(), 1);
  try {
    expect((await teller.findings(1, null))!.run).toBe(1);
    await once(begun[0]!, 'exit');
    expect((await teller.findings(2, null))!.run).toBe(2);
    expect(begun).toHaveLength(2);
  } finally {
    await teller.close();
  }
});

test('a failure of the store keeps its code and its advice', async () => {
  const { teller } = aThread(await aFolder());
  try {
    const failure = await teller.findings(1, null).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(FarmError);
    expect(failure).toMatchObject({ code: 'cannot-write', next: expect.any(String) as unknown });
  } finally {
    await teller.close();
  }
});

test('a thread that dies fails what it was asked, and the next question begins another', async () => {
  const search = aGate();
  const teller = search.tellerOf(await aStoredHistory());
  try {
    const told = teller.changes({ suite: 'quick', newest: 2, runs: 2 }).catch(String);
    const worker = await search.searching();
    await worker.terminate();
    expect(await told).toContain('The thread that was asked ended');
    expect((await teller.findings(1, 'firefox'))!.baseline).toBe('firefox');
  } finally {
    await search.close();
  }
});
