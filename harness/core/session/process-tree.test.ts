import { expect, test } from '@playwright/test';
import { execa } from 'execa';
import { randomUUID } from 'node:crypto';
import { identify, isAlive, type ProcessEntry } from './process-table.ts';
import { ProcessTree, selectTree, sessionVariable } from './process-tree.ts';

const mark = `${sessionVariable}=5e551011`;
const profile = '/farm/5e551011/profile';

function entry(pid: number, parent: number, changes: Partial<ProcessEntry> = {}): ProcessEntry {
  return { pid, parent, start: '100', dead: false, command: '', environment: [], ...changes };
}

const marked = { environment: ['PATH=/bin', mark] };
const named = { command: `chromium --type=renderer --user-data-dir=${profile}` };

function pidsOf(table: readonly ProcessEntry[], roots = [] as { pid: number; start: string }[]) {
  return selectTree(table, { roots, mark, profile }, 1000).map(({ pid }) => pid);
}

test("finds Chromium's unmarked helpers by profile, its crash handler by mark", () => {
  const table = [
    entry(1, 0),
    entry(10, 1000, { ...marked, command: `chromium --user-data-dir=${profile}` }),
    entry(11, 1, { ...marked, command: 'chrome_crashpad_handler' }),
    entry(12, 10, { ...named, environment: [] }),
    entry(13, 12, { ...named, environment: [] }),
    entry(20, 1, { command: 'chromium --user-data-dir=/farm/0ther000/profile' }),
  ];
  expect(pidsOf(table)).toEqual([10, 11, 12, 13]);
});

test("WebKit's tree: no process names the profile, all carry the mark", () => {
  const table = [
    entry(10, 1000, { ...marked, command: 'WebKitWebDriver --port=1' }),
    entry(11, 10, { ...marked, command: 'MiniBrowser --automation' }),
    entry(12, 1, { ...marked, command: 'WebKitWebProcess 6 13 23' }),
    entry(30, 1, { environment: [`${mark}2`], command: 'WebKitWebProcess of another session' }),
  ];
  expect(pidsOf(table)).toEqual([10, 11, 12]);
});

test('children are followed through any number of generations, also through an unmarked one', () => {
  const table = [entry(40, 30), entry(30, 20), entry(20, 10), entry(10, 1, marked), entry(50, 1)];
  expect(pidsOf(table)).toEqual([10, 20, 30, 40]);
});

test('a root counts only as the same process, not a reused pid', () => {
  const table = [entry(10, 1, { start: '900' }), entry(11, 10)];
  expect(pidsOf(table, [{ pid: 10, start: '900' }])).toEqual([10, 11]);
  expect(pidsOf(table, [{ pid: 10, start: '100' }])).toEqual([]);
});

test('the farm itself is never a part, nor are the dead', () => {
  const table = [
    entry(10, 1, marked),
    entry(1000, 10, { environment: [mark] }),
    entry(1001, 1000),
    entry(12, 10, { dead: true }),
  ];
  expect(pidsOf(table)).toEqual([10]);
});

test('an unused pid identifies no process', () => {
  expect(identify(2 ** 30)).toBeNull();
  expect(identify(process.pid)).not.toBeNull();
});

test.describe('on real processes', () => {
  test.skip(process.platform !== 'linux', 'only Linux shows the mark of a process');
  const quick = { politeMs: 1000, forcedMs: 5000 };

  /** A shell that starts `script` and says `ready`. */
  async function start(id: string, script: string) {
    const child = execa('sh', ['-c', `${script}\necho ready\nwait`], {
      env: { [sessionVariable]: id },
      reject: false,
      stdin: 'ignore',
      buffer: false,
    });
    await new Promise((resolve) => child.stdout.once('data', resolve));
    // Not the child itself: it is a promise, and to return it would wait for its end.
    return { pid: child.pid!, end: () => child };
  }

  function treeOf(id: string): ProcessTree {
    return new ProcessTree({ roots: [], mark: `${sessionVariable}=${id}`, profile: null });
  }

  test('the whole tree ends, with a child that lost its parent', async () => {
    const id = randomUUID();
    const shell = await start(id, 'sleep 600 & (sleep 601 & sleep 602 &)');
    // The inner shell goes as soon as it has started its two, which may be a moment later.
    await expect.poll(() => treeOf(id).find().length).toBe(4);
    const tree = treeOf(id);
    const found = tree.find();
    expect(found.map(({ pid }) => pid)).toContain(shell.pid);
    expect(found).toHaveLength(4);
    expect(await tree.end(quick)).toEqual([]);
    expect(found.some(isAlive)).toBe(false);
    await shell.end();
  });

  test('ends a process that ignores SIGTERM by SIGKILL', async () => {
    const id = randomUUID();
    const shell = await start(id, "trap '' TERM; sleep 600 &");
    const found = treeOf(id).find();
    expect(await treeOf(id).end({ politeMs: 100, forcedMs: 5000 })).toEqual([]);
    expect(found).toHaveLength(2);
    expect(found.some(isAlive)).toBe(false);
    expect((await shell.end()).signal).toBe('SIGKILL');
  });

  test('knows a seen process that lost its marks and its parent', async () => {
    const id = randomUUID();
    const shell = await start(id, `env -u ${sessionVariable} sleep 600 &`);
    const tree = treeOf(id);
    // The unmarked child shows its own environment only after it has become `sleep`.
    await expect.poll(() => tree.find().length).toBe(2);
    process.kill(shell.pid, 'SIGKILL');
    await expect.poll(() => identify(shell.pid)).toBeNull();
    await expect.poll(() => treeOf(id).find()).toEqual([]);
    const [orphan, ...others] = tree.find();
    expect(others).toEqual([]);
    expect(await tree.end(quick)).toEqual([]);
    expect(isAlive(orphan!)).toBe(false);
    await shell.end();
  });
});
