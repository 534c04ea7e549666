import { mkdtempSync, promises, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import bcrypt from 'bcrypt';
import express from 'express';
import { fileContent } from './file-content.js';
import { namePoolThreads } from './pool-threads.js';

/**
 * The server that is measured, a separate process: `<runtime> server.js <work> <password> <cost>
 * <port>`. It prints its port in one line of JSON, and ends when its standard input does: even if
 * the process that started it dies, nothing is left running.
 */

const [work, password, cost, port] = readArguments(process.argv.slice(2));

const folder = mkdtempSync(join(tmpdir(), 'file-server-'));
const path = join(folder, 'file');
writeFileSync(path, fileContent);
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

/** @type {Readonly<Record<string, { sync: () => string, async: () => Promise<string> }>>} */
const works = {
  hash: {
    sync: () => bcrypt.hashSync(password, cost),
    async: () => bcrypt.hash(password, cost),
  },
  file: {
    sync: () => readFileSync(path, 'utf8'),
    async: () => promises.readFile(path, 'utf8'),
  },
};

const chosen = works[work];
if (chosen === undefined) throw new Error(`There is no work "${work}".`);

/** @type {Set<number | undefined>} Ports of the clients whose requests were answered: one a connection. */
const clients = new Set();

const app = express();
app.get('/sync', (request, response) => {
  clients.add(request.socket.remotePort);
  response.send(chosen.sync());
});
app.get('/async', async (request, response) => {
  clients.add(request.socket.remotePort);
  response.send(await chosen.async());
});
/** How many connections were used since this was asked last. */
app.get('/connections', (_request, response) => {
  response.json({ connections: clients.size });
  clients.clear();
});

process.stdin.on('end', leave).on('close', leave).on('error', leave).resume();
await namePoolThreads(() => bcrypt.hash(password, cost));

const server = createServer(app);
server.on('error', (/** @type {NodeJS.ErrnoException} */ error) => {
  process.stderr.write(`${describeError(error)}\n`);
  process.exit(1);
});
server.listen(port, '127.0.0.1', () => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  process.stdout.write(`${JSON.stringify({ port: address.port })}\n`);
});

function leave() {
  process.exit(0);
}

/**
 * @param {readonly string[]} texts
 * @returns {[string, string, number, number]}
 */
function readArguments([name = '', text = '', ...numbers]) {
  const [first = NaN, second = NaN] = numbers.map(Number);
  return [name, text, first, second];
}

/** @param {NodeJS.ErrnoException} error */
function describeError(error) {
  if (error.code !== 'EADDRINUSE') return error.message;
  const where = `Port ${String(port)} of 127.0.0.1`;
  return `${where} is in use: free it, or leave the parameter port at 0, and a free one is taken.`;
}
