import { test, expect } from '@playwright/test';
import { aFolder } from '../../testing/folder.ts';
import type { FinishedCommand } from '../../testing/farm.ts';
import { runInProcess } from '../../testing/in-process-farm.ts';
import { auditCommand } from './command.ts';

function audit(folder: string, args: readonly string[]): Promise<FinishedCommand> {
  return runInProcess(folder, ['audit', ...args], { commands: [auditCommand] });
}

test('a command is audited, and its answers are kept', async () => {
  // It sees a difference in every page whose name is not that of the old one.
  const script = 'console.log(process.argv[2] === process.argv[1] ? "same" : "slower")';
  const folder = await aFolder();
  const args = ['--comparisons', '1', '--loads', 'quiet,half', '--slower', '^slower'];
  const command = ['--', process.execPath, '-e', script, '{old}', '{new}'];
  const first = await audit(folder, [...args, '--file', 'kept.jsonl', '--json', ...command]);
  expect(first.code).toBe(0);
  const { rows, falseAlarms, found } = JSON.parse(first.stdout) as Audit;
  expect(rows.map(({ load }) => load)).toEqual(['quiet', 'half']);
  expect(first.stderr).toMatch(/4 of 4: .* pages, half: slower/);
  expect([falseAlarms.rate, found.rate]).toEqual([1, 1]);
  const again = await audit(folder, [...args, '--file', 'kept.jsonl', ...command]);
  expect(again.stderr).not.toMatch(/pages, quiet/);
  expect(again.stdout).toContain('for more: a larger --comparisons (the answers are kept in ');
  expect(again.stdout).toMatch(/false alarms 100\.0 % \(95 %: 15\.8 % … 100\.0 %\)/);
});

for (const [title, args, said] of [
  ['nothing', [], /takes a tool, or a command that names/],
  ['an unknown load', ['--tool', 'crossfarm', '--loads', 'x'], /Unknown load x/],
  [
    'a command that compares nothing',
    ['--slower', 'x', '--', 'true'],
    /takes a tool, or a command/,
  ],
] as const) {
  test(`an audit of ${title} is refused`, async () => {
    const { code, stderr } = await audit(await aFolder(), args);
    expect(stderr).toMatch(said);
    expect(code).toBe(2);
  });
}

interface Audit {
  readonly rows: readonly { readonly load: string }[];
  readonly falseAlarms: { readonly rate: number };
  readonly found: { readonly rate: number };
}
