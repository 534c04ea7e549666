/** An agent's side of `crossfarm mcp`: the SDK's client, over the standard streams of a process. */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { Client, type Progress } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { aFakeFarm } from '../../testing/fake-farm.ts';
import { typeScriptOptions } from '../../testing/typescript-process.ts';

const program = fileURLToPath(new URL('../../testing/fake-farm-program.ts', import.meta.url));

interface Answer {
  readonly exitCode: number;
  readonly meaning: string;
  readonly answer: unknown;
  readonly notes: string;
}

interface Agent {
  readonly folder: string;
  readonly client: Client;
  readonly use: (
    name: string,
    input: Readonly<Record<string, unknown>>,
    options?: { readonly signal?: AbortSignal; readonly onprogress?: (one: Progress) => void },
  ) => Promise<{ readonly isError: boolean; readonly text: string; readonly answer: Answer }>;
  readonly complaints: () => string;
}

/** An agent that has started the farm in a folder with two pages. */
async function withAgent(args: readonly string[], act: (agent: Agent) => Promise<void>) {
  const { folder } = await aFakeFarm({ devices: ['chromium'] });
  for (const name of ['10ms.html', '20ms.html'])
    await writeFile(join(folder, name), '<!doctype html>');
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, 'mcp', ...args],
    cwd: folder,
    env: { ...(process.env as Record<string, string>), NODE_OPTIONS: typeScriptOptions },
    stderr: 'pipe',
  });
  let complained = '';
  transport.stderr?.on('data', (chunk: Buffer) => (complained += String(chunk)));
  const client = new Client({ name: 'agent', version: '1' });
  // The transport reports other text than messages as an error.
  const broken: Error[] = [];
  client.onerror = (error) => broken.push(error);
  await client.connect(transport);
  const use: Agent['use'] = async (name, input, options) => {
    const given = await client.callTool({ name, arguments: input }, options);
    const text = given.content.map((one) => ('text' in one ? one.text : '')).join('');
    return {
      isError: given.isError === true,
      text,
      answer: given.structuredContent as unknown as Answer,
    };
  };
  try {
    await act({ folder, client, use, complaints: () => complained });
    expect(broken).toEqual([]);
  } finally {
    await client.close();
  }
}

test('an agent compares, hears of each trial, and reads what was found', async () => {
  await withAgent([], async ({ client, use }) => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      ...['compare', 'run', 'bisect', 'reproduce', 'findings', 'explain'],
    ]);
    const heard: Progress[] = [];
    const versions = ['10ms.html', '20ms.html'];
    const compared = await use(
      'compare',
      { versions, seed: 1 },
      { onprogress: (one) => heard.push(one) },
    );
    expect(compared.isError).toBe(false);
    expect(compared.answer.answer).toMatchObject({
      comparisons: [{ verdict: 'slower', ratio: expect.closeTo(2) }],
    });
    expect(heard.at(-1)!.progress).toBeGreaterThanOrEqual(10);
    expect(heard.map(({ progress }) => progress)).toEqual(
      heard.map(({ progress }) => progress).toSorted((a, b) => a - b),
    );

    const ran = await use('run', { pages: ['10ms.html'], trials: 2 });
    expect(ran.answer).toMatchObject({ exitCode: 0, answer: { type: 'run-finished', run: 2 } });
    const explained = await use('explain', { runs: ['1'] });
    expect(JSON.stringify(explained.answer.answer)).toContain('slower');
    expect((await use('findings', {})).answer).toMatchObject({ exitCode: 0, answer: [] });
  });
});

test('an agent reads what was wrong, and what to do', async () => {
  await withAgent([], async ({ use }) => {
    const missing = await use('compare', { versions: ['10ms.html', 'none.html'] });
    expect(missing).toMatchObject({ isError: true, answer: { exitCode: 2 } });
    expect(missing.answer.notes).toContain('none.html');
    const range = await use('bisect', { between: ['HEAD..HEAD'], page: '10ms.html' });
    expect(range.isError).toBe(true);
    const unknown = await use('reproduce', { ids: ['N7'] });
    expect(unknown).toMatchObject({ isError: true, answer: { exitCode: 2 } });
  });
});

test('no tool runs a program or leaves this machine unless the user allows it @attack', async () => {
  await withAgent([], async ({ folder, use, client }) => {
    const { tools } = await client.listTools();
    for (const { inputSchema } of tools) {
      const given = Object.keys(inputSchema.properties ?? {});
      for (const option of [
        'build',
        'server',
        'input',
        'a-flag',
        'a-executable',
        'out',
        'pages-folder',
      ]) {
        expect(given).not.toContain(option);
      }
    }
    const touched = join(folder, 'touched');
    const refused = [
      ['compare', { versions: ['main', 'HEAD'], page: 'x.html', build: `touch ${touched}` }],
      ['compare', { versions: ['--build', `touch ${touched}`] }],
      ['compare', { versions: ['10ms.html', '20ms.html'], input: 'steps.js' }],
      ['compare', { versions: ['10ms.html', 'http://192.0.2.1/'] }],
      ['compare', { versions: ['10ms.html', 'lit@https://example.org/lit.tgz'] }],
      ['compare', { versions: ['10ms.html', 'lit@github:lit/lit'] }],
      ['compare', { versions: ['chromium', 'chromium'], page: 'http://192.0.2.1/' }],
      ['run', { pages: ['http://localhost.example.org/'] }],
      ['reproduce', { ids: ['bundle.zip'] }],
      ['explain', { runs: ['--studies=x'] }],
    ] as const;
    for (const [tool, input] of refused) {
      const { isError, text } = await use(tool, input);
      expect(isError, text).toBe(true);
      expect(text).toMatch(/allow|Unrecognized|Invalid|must/);
    }
    expect(existsSync(touched)).toBe(false);
  });
  await withAgent(['--allow-build'], async ({ client }) => {
    const { tools } = await client.listTools();
    const compare = tools.find(({ name }) => name === 'compare');
    expect(Object.keys(compare?.inputSchema.properties ?? {})).toContain('build');
  });
});

test('a tool that is cancelled ends, and the next one works', async () => {
  await withAgent([], async ({ use }) => {
    const cancelling = new AbortController();
    const versions = ['10ms.html', '20ms.html'];
    const cancelled = use(
      'run',
      { pages: versions, trials: 1000 },
      {
        signal: cancelling.signal,
        onprogress: ({ progress }) => {
          if (progress === 2) cancelling.abort(new Error('enough'));
        },
      },
    );
    await expect(cancelled).rejects.toThrow('enough');
    const next = await use('explain', { runs: ['latest'] });
    expect(next.answer.exitCode).toBe(0);
  });
});
