import { execFileSync } from 'node:child_process';
import { expect, test } from '@playwright/test';
import { aFolder } from '../../testing/folder.ts';
import { farmInProcess as farm } from '../../testing/in-process-farm.ts';
import { completions } from './text/completion-text.ts';

const commands = [
  {
    name: 'run',
    summary: "measure: a suite's cases",
    options: [
      { flag: '--suite', description: "a suite [its name]: it's one", takesValue: true },
      { flag: '--json', description: 'print $(echo lines)', takesValue: false },
    ],
  },
  { name: 'runs', summary: 'what is stored', options: [] },
  { name: 'serve', summary: 'the explorer', options: [] },
  {
    name: 'db',
    summary: "a group's list",
    options: [{ flag: '--limit', description: 'how many', takesValue: true }],
    commands: [
      {
        name: 'export',
        summary: 'one run',
        options: [{ flag: '--format', description: 'csv', takesValue: true }],
      },
    ],
  },
];

/** Skipped where the shell is not installed. */
function inShell(shell: string, args: readonly string[], after: string): string {
  const script = `${completions[shell]?.(commands) ?? ''}\n${after}`;
  try {
    return execFileSync(shell, [...args, '-c', script], { encoding: 'utf8' });
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    test.skip(isMissing, `${shell} is not installed`);
    throw error;
  }
}

const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');

test('bash completes commands, and the options of the one that is named', () => {
  const asked = (...line: string[]): string[] => {
    const typed = line.map((word) => `'${word}'`).join(' ');
    const after = `COMP_WORDS=(${typed}); COMP_CWORD=${String(line.length - 1)}; _farm; echo "\${COMPREPLY[@]}"`;
    return words(inShell('bash', [], after));
  };
  expect(asked('farm', 'ru')).toEqual(['run', 'runs']);
  expect(asked('farm', 'run', '--')).toEqual(['--suite', '--json', '--help']);
  expect(asked('crossfarm', 'serve', '--s')).toEqual([]);
  expect(asked('farm', 'db', 'e')).toEqual(['export']);
  expect(asked('farm', 'db', '--')).toEqual(['--limit', '--help']);
  expect(asked('farm', 'db', 'export', '--')).toEqual(['--format', '--help']);
});

test('fish completes them with what they are for', () => {
  const asked = (line: string): string[] =>
    inShell('fish', ['-N'], `complete -C '${line}'`).trim().split('\n');
  expect(asked('farm ru')).toEqual(["run\tmeasure: a suite's cases", 'runs\twhat is stored']);
  expect(asked('crossfarm run --')).toEqual(
    expect.arrayContaining([
      "--suite\ta suite [its name]: it's one",
      '--json\tprint $(echo lines)',
    ]),
  );
  expect(asked('farm db ex')).toEqual(['export\tone run']);
  expect(asked('farm db export --fo')).toEqual(['--format\tcsv']);
});

test('zsh takes it, and knows who completes the program', () => {
  const script = 'autoload -U compinit; compinit -D -u;';
  const after = 'print ${_comps[farm]} ${_comps[crossfarm]}';
  const text = completions['zsh']?.(commands) ?? '';
  let told = '';
  try {
    told = execFileSync('zsh', ['-f', '-c', `${script}\n${text}\n${after}`], { encoding: 'utf8' });
  } catch (error) {
    test.skip((error as NodeJS.ErrnoException).code === 'ENOENT', 'zsh is not installed');
    throw error;
  }
  expect(words(told)).toEqual(['_farm', '_farm']);
});

test('a shell is given the options of every command', async () => {
  const { stdout } = await farm(await aFolder(), 'completion', 'bash');
  expect(stdout).toMatch(/"compare "\*\) words="[^"]*--fail-on/);
  expect(stdout).toMatch(/"db "\*\) words="[^"]*--limit.*commands="list export import/);
  expect(stdout).toMatch(/"db export"\) words="[^"]*--format/);
});
