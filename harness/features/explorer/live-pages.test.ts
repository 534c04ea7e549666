import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { Progress } from '../../core/model/history.ts';
import { aFakeFarm } from '../../testing/fake-farm.ts';
import { typeScriptOptions } from '../../testing/typescript-process.ts';

const metrics = [{ metric: 'duration', unit: 'ms', timed: [10] }];

interface Watched {
  readonly events: readonly Progress[];
  readonly found: string;
}

/** Follows run 1 to its end, and reads what it found. */
async function follow(origin: string, isOpen: () => void): Promise<Watched> {
  const stream = await fetch(`${origin}/api/v1/runs/1/events`);
  isOpen();
  const lines = (await stream.text()).split('\n').filter((line) => line.startsWith('data: '));
  const part = (await (await fetch(`${origin}/parts/run?run=1`)).json()) as { found: string };
  return {
    events: lines.map((line) => JSON.parse(line.slice('data: '.length)) as Progress),
    found: part.found,
  };
}

test('--open shows a comparison to its end, and leaves no server', async () => {
  test.skip(process.platform === 'win32', 'a script stands for the browser');
  let begin = (): void => undefined;
  const watched = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const { folder, farmIn } = await aFakeFarm({
    trial: { does: 'completes', metrics, work: () => watched },
  });
  const browser = join(folder, 'browser');
  await writeFile(browser, `#!/bin/sh\nprintf '%s' "$1" > '${folder}/told'\n`);
  await chmod(browser, 0o755);
  let printed = '';
  let following: Promise<Watched> | undefined;
  const address = (): string => /http:\/\/127\.0\.0\.1:\d+\/runs\/1/.exec(printed)?.[0] ?? '';
  const onOutput = (text: string): void => {
    printed += text;
    if (address() !== '') following ??= follow(new URL(address()).origin, begin);
  };
  const surroundings = {
    onOutput,
    environment: { BROWSER: browser, NODE_OPTIONS: typeScriptOptions },
  };
  const { code, stdout } = await farmIn(surroundings, 'compare', 'one', 'two', '--open');
  expect(code, printed).toBe(0);
  expect(stdout).toContain('equivalent');
  const { events = [], found = '' } = (await following) ?? {};
  expect(events[0]).toMatchObject({ status: 'running', stage: { endsEarly: true, looked: 0 } });
  expect(events.at(-1)).toMatchObject({ status: 'finished', stage: null });
  expect(found).toMatch(/equivalent.*5 blocks/s);
  expect(await readFile(join(folder, 'told'), 'utf8')).toBe(address());
  await expect(fetch(address())).rejects.toThrow('fetch failed');
});
