import { expect, test } from '@playwright/test';
import { commands } from '../../features.ts';
import { aFolder } from '../../testing/folder.ts';
import { runInProcess } from '../../testing/in-process-farm.ts';
import { aStoredHistory } from '../../testing/stored-history.ts';
import type { CommandEntry } from './index.ts';
import type { CalledCommand, CommandListener } from './io.ts';

/** Runs a command that does no more than call another one. */
async function call(
  words: readonly string[],
  heard: CommandListener = {},
): Promise<CalledCommand & { readonly printed: string }> {
  let called: CalledCommand | undefined;
  const caller: CommandEntry = {
    name: 'caller',
    summary: 'calls',
    load: () =>
      Promise.resolve({
        declare(command, run) {
          command.action(async () => {
            await run(async (io) => {
              called = await io.callCommand?.(words, heard);
              return 0;
            });
          });
        },
      }),
  };
  const told = await runInProcess(await aFolder(), ['caller'], { commands: [...commands, caller] });
  if (called === undefined) throw new Error(told.stderr);
  return { ...called, printed: told.stdout + told.stderr };
}

test('gives the answer of another command, and prints none of it', async () => {
  const database = await aStoredHistory();
  const lines: string[] = [];
  const called = await call(['db', '--database', database], { onLine: (line) => lines.push(line) });
  expect(called).toMatchObject({ exitCode: 0, printed: '' });
  expect(called.document).toMatchObject({ runs: [{ run: 2 }, { run: 1 }] });
  expect(called.text).toBe(lines.join('\n'));
});

test('says what a command refuses, instead of throwing it', async () => {
  const called = await call(['compare', '--no-such-option']);
  expect(called).toMatchObject({ exitCode: 2, document: null, printed: '' });
  expect(called.text).toContain("unknown option '--no-such-option'");
});
