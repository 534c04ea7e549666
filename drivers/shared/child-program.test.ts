import { expect, test } from '@playwright/test';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { isLiving, listChildren } from './child-program.ts';

test('lists the children that another thread of a process started', async () => {
  test.skip(process.platform !== 'linux', 'only Linux lists the children of a process');
  const worker = new Worker(
    `const { spawn } = require('node:child_process');
     const { parentPort } = require('node:worker_threads');
     const child = spawn(process.execPath, ['-e', 'process.stdin.resume()']);
     child.once('exit', () => parentPort.close());
     parentPort.on('message', () => child.stdin.end());
     parentPort.postMessage(child.pid);`,
    { eval: true },
  );
  const [pid] = (await once(worker, 'message')) as [number];
  expect(isLiving(pid)).toBe(true);
  expect(listChildren(process.pid)).toContain(pid);
  worker.postMessage('end');
  await once(worker, 'exit');
  expect(listChildren(process.pid)).not.toContain(pid);
});
