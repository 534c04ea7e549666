import { existsSync, readFileSync } from 'node:fs';
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { aFolder } from '../../testing/folder.ts';
import { auditTool, type AuditOptions, type AuditResult } from './audit.ts';
import { under } from './foreign-load.ts';
import type { Answer, Question, Tool } from './tool.ts';
import { commandTool } from './tools.ts';
import { parseAnswer, findVitest } from './vitest.ts';

/** Answers by the kind of page and by how often it was asked for that before. */
function aTool(answer: (kind: 'equal' | 'different', count: number) => Answer): Tool {
  const counts = { equal: 0, different: 0 };
  return {
    name: 'a tool',
    ask: ({ new: page }) => {
      const kind = page.startsWith('equal') ? 'equal' : 'different';
      counts[kind] += 1;
      return Promise.resolve(answer(kind, counts[kind] - 1));
    },
  };
}

async function anAudit(change: Partial<AuditOptions> = {}): Promise<AuditOptions> {
  return {
    tool: aTool((kind) => (kind === 'equal' ? 'same' : 'slower')),
    comparisons: 4,
    loads: ['quiet'],
    percent: 10,
    patienceMs: 10_000,
    file: join(await aFolder(), 'deep', 'audit.jsonl'),
    anew: false,
    ...change,
  };
}

function audit(options: AuditOptions, signal = new AbortController().signal): Promise<AuditResult> {
  return auditTool(options, { signal, say: () => undefined });
}

test('counts false alarms and differences found, missed or reversed', async () => {
  const equal: Answer[] = ['same', 'faster', 'undecided', 'slower'];
  const different: Answer[] = ['slower', 'faster', 'undecided', 'failed'];
  const tool = aTool((kind, count) => ({ equal, different })[kind][count]!);
  const { rows, falseAlarms, found } = await audit(await anAudit({ tool }));
  expect(rows).toMatchObject([
    {
      load: 'quiet',
      equal: { right: 1, wrong: 2, undecided: 1, failed: 0 },
      different: { right: 1, wrong: 1, undecided: 1, failed: 1 },
    },
  ]);
  expect(falseAlarms?.rate).toBe(0.5);
  // The failed answer was not a comparison.
  expect(found?.rate).toBeCloseTo(1 / 3, 9);
});

test('an interrupted audit continues, also after a cut-off line', async () => {
  const options = await anAudit({ loads: ['quiet', 'half'] });
  const stop = new AbortController();
  const tool: Tool = {
    name: 'a tool',
    ask: () => {
      stop.abort();
      return Promise.resolve('same');
    },
  };
  const first = await audit({ ...options, tool }, stop.signal);
  expect(first.interrupted).toBe(true);
  await appendFile(options.file, '{"load":"quiet","kind":"diff');
  let asked = 0;
  const counting = aTool((kind) => {
    asked += 1;
    return kind === 'equal' ? 'same' : 'slower';
  });
  const { rows, interrupted } = await audit({ ...options, tool: counting });
  expect(interrupted).toBe(false);
  expect(asked).toBe(2 * 2 * 4 - 1);
  expect(rows.map(({ equal, different }) => [equal.right, different.right])).toEqual([
    [4, 4],
    [4, 4],
  ]);
  const lines = (await readFile(options.file, 'utf8')).trimEnd().split('\n');
  expect(lines.map((line) => typeof JSON.parse(line))).toEqual(Array(17).fill('object'));
});

test('answers about another loop are those of another audit', async () => {
  const options = await anAudit({ comparisons: 1 });
  await audit(options);
  const text = await readFile(options.file, 'utf8');
  await writeFile(options.file, text.replace(/,"loop":"[^"]+"/, ''));
  await expect(audit(options)).rejects.toThrow(/another audit/);
  await writeFile(options.file, text);
  expect((await audit(options)).interrupted).toBe(false);
});

test("refuses another audit's file and restarts it on request", async () => {
  const options = await anAudit({ comparisons: 1 });
  await audit(options);
  const other = { ...options.tool, conditions: 'another pattern' };
  for (const change of [{ percent: 5 }, { patienceMs: 1 }, { tool: other }]) {
    await expect(audit({ ...options, ...change })).rejects.toThrow(/another audit/);
  }
  const { percent } = await audit({ ...options, percent: 5, anew: true });
  expect(percent).toBe(5);
  expect((await readFile(options.file, 'utf8')).split('\n')).toHaveLength(4);
});

const answers = {
  slower: /^slower/m,
  faster: /^faster/m,
  same: /^same/m,
};

function questionOf(folder: string, patienceMs = 20_000): Question {
  const { signal } = new AbortController();
  return { folder, old: 'old.html', new: 'new.html', patienceMs, signal, say: () => undefined };
}

function saying(script: string): Tool {
  const words = [process.execPath, '-e', script, '{old}', '{new}'];
  return commandTool('x', { words, patterns: answers });
}

test('a command gets both pages, and its answer is read from what it prints', async () => {
  const question = questionOf(await aFolder());
  const tool = saying('console.log(process.argv.slice(1).join()); console.log("slower by 10 %")');
  expect(await tool.ask(question)).toBe('slower');
  await writeFile(join(question.folder, 'old.html'), 'same');
  const isThere = 'console.log(require("node:fs").readFileSync(process.argv[1], "utf8"))';
  expect(await saying(isThere).ask(question)).toBe('same');
  const words = [process.execPath, '-p', '{seconds} === 16 ? "same" : 1'];
  const timed = commandTool('x', { words, patterns: answers });
  expect(await timed.ask(question)).toBe('same');
  expect(await saying('console.log("unsure"); process.exit(1)').ask(question)).toBe('undecided');
  const said: string[] = [];
  const hearing = { ...question, say: (sentence: string) => said.push(sentence) };
  const failing = saying('throw new Error("no such page")');
  expect(await failing.ask(hearing)).toBe('failed');
  expect(said).toEqual(['x failed: Error: no such page']);
});

test('ends a slow command with its children and leaves it undecided', async () => {
  const folder = await aFolder();
  // A shell has started another process long before the patience ends, also on a busy machine.
  const script = 'setsid sleep 600 > /dev/null 2>&1 & echo $! > "$0"; wait';
  const tool = commandTool('x', {
    words: ['sh', '-c', script, '{old}', '{new}'],
    patterns: answers,
  });
  expect(await tool.ask(questionOf(folder, 1_500))).toBe('undecided');
  const pid = readFileSync(join(folder, 'old.html'), 'utf8').trim();
  expect(pid).toMatch(/^\d+$/);
  await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
});

test('a program that is not there is refused', async () => {
  const words = ['no-such-program-here', '{old}', '{new}'];
  const tool = commandTool('x', { words, patterns: answers });
  await expect(tool.ask(questionOf(await aFolder()))).rejects.toThrow(/program .* was not found/);
});

test('a load runs during the measurement and ends with it', async () => {
  test.skip(process.platform !== 'linux', 'the children of a process are read from /proc');
  const children = (): string =>
    readFileSync(`/proc/self/task/${String(process.pid)}/children`, 'utf8').trim();
  const before = children();
  const beside = await under('whole', () => Promise.resolve(children()));
  expect(beside).not.toBe(before);
  expect(children()).toBe(before);
});

test('a Vitest whose benchmarks are written in another way is refused', async () => {
  const folder = await aFolder();
  for (const name of ['vitest', '@vitest/browser-playwright']) {
    await mkdir(join(folder, 'node_modules', name), { recursive: true });
  }
  const about = join(folder, 'node_modules', 'vitest', 'package.json');
  const before = process.env['VITEST_FOLDER'];
  process.env['VITEST_FOLDER'] = folder;
  try {
    await writeFile(about, '{ "version": "4.1.12" }');
    expect(await findVitest('chromium')).toEqual({ because: expect.stringContaining('4.1.12') });
    await writeFile(about, '{ "version": "5.1.1" }');
    expect(await findVitest('chromium')).toMatchObject({ name: 'vitest 5.1.1' });
  } finally {
    if (before === undefined) delete process.env['VITEST_FOLDER'];
    else process.env['VITEST_FOLDER'] = before;
  }
});

test('Vitest reports differences by separate intervals, and never equality', () => {
  const table = (old: object, changed: object): string =>
    `stdout | audit.bench.mjs\nAUDIT-RESULT ${JSON.stringify({ old, new: changed, kept: 7 })}\n ✓ 1 test`;
  const one = { mean: 1, rme: 2 };
  expect(parseAnswer(table(one, { mean: 1.1, rme: 2 }))).toBe('slower');
  expect(parseAnswer(table({ mean: 1.1, rme: 2 }, one))).toBe('faster');
  expect(parseAnswer(table(one, { mean: 1.03, rme: 2 }))).toBe('undecided');
  expect(parseAnswer(table(one, one))).toBe('undecided');
  expect(parseAnswer('Error: no browser')).toBe('failed');
});
