import { connect } from 'node:net';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { aFolder } from '../../../testing/folder.ts';
import { readServer, withServers } from './own-servers.ts';

const url = 'http://localhost:{port}/';

/** A folder with a server that answers with its port, and starts another process. */
async function aServedFolder(program: string): Promise<string> {
  const folder = await aFolder();
  await writeFile(join(folder, 'server.cjs'), program);
  return folder;
}

const listens = `
  const { spawn } = require('node:child_process');
  spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  require('node:http').createServer((_, answer) => answer.end(process.cwd())).listen(process.env.PORT);
`;

function aCaller(): { signal: AbortSignal; said: string[]; say: (text: string) => void } {
  const said: string[] = [];
  return { signal: new AbortController().signal, said, say: (text) => void said.push(text) };
}

function isListening(address: string): Promise<boolean> {
  const { port } = new URL(address);
  return new Promise((resolve) => {
    const socket = connect(Number(port), 'localhost');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
}

test('each version has its own server in its folder, until it is not needed', async () => {
  const folders = [await aServedFolder(listens), await aServedFolder(listens)];
  const versions = folders.map((folder, index) => ({ name: ['old', 'new'][index] ?? '', folder }));
  const how = { command: 'node server.cjs', url };
  const addresses = await withServers(versions, how, {
    caller: aCaller(),
    use: async (served) => {
      const found = served.map(({ place }) => place.url);
      const answers = await Promise.all(
        found.map(async (address) => (await fetch(address)).text()),
      );
      expect(answers).toEqual(folders);
      return found;
    },
  });
  expect(await Promise.all(addresses.map(isListening))).toEqual([false, false]);
});

for (const [title, program, says] of [
  ['ends', 'console.error("no such page"); process.exit(3)', /ended with code 3.*\nno such page/s],
  [
    'never listens',
    'console.log("building"); setInterval(() => {}, 1e3)',
    /not listen on port \d+ after 1 s:\nbuilding/,
  ],
  ['says nothing', 'setInterval(() => {}, 1e3)', /and it has said nothing/],
] as const) {
  test(`a server that ${title} is refused with its last words`, async () => {
    const folder = await aServedFolder(program);
    const how = { command: 'node server.cjs {port}', url };
    const use = () => Promise.reject(new Error('not reached'));
    const using = { caller: aCaller(), use, deadlineMs: 1000 };
    await expect(withServers([{ name: 'old', folder }], how, using)).rejects.toThrow(says);
  });
}

test('a server that ends while it is used is named', async () => {
  const folder = await aServedFolder(`
    const server = require('node:http').createServer((_, answer) => answer.end('bye', () => process.exit(7)));
    server.listen(process.argv[2]);
  `);
  const caller = aCaller();
  const how = { command: 'node server.cjs {port}', url };
  await withServers([{ name: 'old', folder }], how, {
    caller,
    use: async ([one]) => {
      await (await fetch(one?.place.url ?? '')).text();
      await expect
        .poll(() => caller.said.join('\n'))
        .toContain('the server of old ended with code 7');
    },
  });
});

for (const [title, given, says] of [
  ['no address', { server: 'x' }, /--server needs --url/],
  ['no command', { url }, /--url needs --server/],
  ['a port for all', { server: 'x', url: 'http://localhost:80/' }, /lacks \{port\}/],
  [
    'an address that is none',
    { server: 'x', url: 'localhost:{port}' },
    /not the address of a page/,
  ],
  [
    'a port in the path',
    { server: 'x', url: 'http://localhost/{port}' },
    /not the address of a page/,
  ],
] as const) {
  test(`--server with ${title} is refused`, () => {
    expect(() => readServer(given)).toThrow(says);
  });
}
