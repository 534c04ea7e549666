import { expect, test } from '@playwright/test';
import { networkInterfaces } from 'node:os';
import { aFolder } from '../../testing/folder.ts';
import { farmInProcess } from '../../testing/in-process-farm.ts';
import { useOwnState } from '../../testing/own-state.ts';

useOwnState();

const small = ['--bench', 'promise', '--param', 'operation=chain', '--trials', '2'];

/** An address of this machine in its network; undefined without one. */
const lan = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

/** What is printed until nobody has come. */
async function invite(...args: readonly string[]): Promise<string> {
  const told = await farmInProcess(
    await aFolder(),
    ...['attend', ...small, '--patience', '0.2', ...args],
  );
  return told.stderr;
}

/** Characters of a code in a terminal. */
const code = /[▀▄█]/;

test('without --lan no code is shown, which a phone could not open', async () => {
  const told = await invite();
  expect(told).not.toMatch(code);
  expect(told).toContain('For a phone, add --lan to the command.');
});

test('with --lan a code is shown', async () => {
  test.skip(lan === undefined, 'this machine has no address in a local network');
  expect(await invite('--lan', lan!)).toMatch(code);
});

test('with --tls the code leads to a page at which a phone learns to trust the farm', async () => {
  test.skip(lan === undefined, 'this machine has no address in a local network');
  const told = await invite('--lan', lan!, '--tls');
  expect(told).toMatch(/http:\/\/[\d.]+:\d+\/#\/join\/[\w-]{22}\n/);
  expect(told).toMatch(/SHA-256 there:\n([\dA-F]{2}:){31}[\dA-F]{2}\n/);
  expect(told).not.toContain('PRIVATE KEY');
});

test('without any device the command ends in time, and stores nothing', async () => {
  const folder = await aFolder();
  const { code, stderr } = await farmInProcess(folder, 'attend', ...small, '--patience', '0.2');
  expect(code).toBe(3);
  expect(stderr).toContain('No device has joined in time.');
  expect(stderr).toMatch(/http:\/\/127\.0\.0\.1:\d+\/join\/[\w-]{22}/);
  expect((await farmInProcess(folder, 'report')).code).not.toBe(0);
});
