import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from '@playwright/test';
import { aFakeFarm } from '../../../testing/fake-farm.ts';
import { startTypeScript } from '../../../testing/typescript-process.ts';
import { addressOfLock, HostLock, timeWithoutWaits } from './host-lock.ts';

/** Of one test alone: the lock of the machine is not for tests. */
test.beforeEach(({}, info) => {
  test.skip(addressOfLock().port !== undefined, 'a port has no name of its own');
  info.annotations.push({ type: 'lock', description: randomUUID() });
});

const ownName = (): string => test.info().annotations.at(-1)?.description ?? '';

async function anotherFarm(): Promise<ChildProcess> {
  const program = new URL('../../../testing/lock-holder.ts', import.meta.url);
  const child = startTypeScript(program, [ownName()]);
  await once(child, 'message');
  return child;
}

interface Caller {
  readonly said: string[];
  readonly signal: AbortSignal;
  readonly say: (sentence: string) => void;
  /** Resolves at the next sentence. */
  readonly heard: Promise<unknown>;
}

function aCaller(signal: AbortSignal = new AbortController().signal): Caller {
  const said: string[] = [];
  let tell: (value: unknown) => void = () => undefined;
  const heard = new Promise((resolve) => {
    tell = resolve;
  });
  const say = (sentence: string): void => {
    said.push(sentence);
    tell(sentence);
  };
  return { said, signal, say, heard };
}

const measured = (): Promise<string> => Promise.resolve('measured');

test('a second farm names the first, waits, and measures after its death', async () => {
  const first = await anotherFarm();
  const { said, heard, ...caller } = aCaller();
  const before = timeWithoutWaits();
  const began = performance.now();
  const second = new HostLock(ownName()).hold(caller, measured);
  await heard;
  expect(said).toEqual([
    `waits for another farm (process ${String(first.pid)}, farm, in ${process.cwd()}), which measures here (--no-wait ends instead)`,
  ]);
  first.kill('SIGKILL');
  expect(await second).toBe('measured');
  // Waiting does not count against a budget.
  expect(timeWithoutWaits() - before).toBeLessThan(performance.now() - began);
});

test('without waiting it ends with a sentence, and takes no lock with it', async () => {
  const first = await anotherFarm();
  const lock = new HostLock(ownName());
  const hasty = { ...aCaller(), wait: false };
  await expect(lock.hold(hasty, measured)).rejects.toMatchObject({
    code: 'machine-in-use',
    exitCode: 3,
    message: expect.stringContaining(`process ${String(first.pid)}`),
    next: expect.stringContaining('--no-wait'),
  });
  first.kill('SIGKILL');
  await once(first, 'exit');
  expect(await lock.hold(hasty, measured)).toBe('measured');
});

test('a farm that waits is ended by Ctrl-C', async () => {
  const first = await anotherFarm();
  const controller = new AbortController();
  const { heard, ...caller } = aCaller(controller.signal);
  const second = new HostLock(ownName()).hold(caller, measured);
  await heard;
  controller.abort(new Error('Ctrl-C'));
  await expect(second).rejects.toThrow('Ctrl-C');
  first.kill('SIGKILL');
});

test('one process may hold it repeatedly and frees it at last', async () => {
  const [ours, theirs] = [new HostLock(ownName()), new HostLock(ownName())];
  const hasty = { ...aCaller(), wait: false };
  const inside = ours.hold(hasty, async () => {
    await ours.hold(hasty, measured);
    await expect(theirs.hold(hasty, measured)).rejects.toMatchObject({ code: 'machine-in-use' });
    return 'measured';
  });
  expect(await inside).toBe('measured');
  expect(await theirs.hold(hasty, measured)).toBe('measured');
});

test('work that fails frees the lock', async () => {
  const lock = new HostLock(ownName());
  const failing = lock.hold(aCaller(), () => Promise.reject(new Error('no browser')));
  await expect(failing).rejects.toThrow('no browser');
  expect(await new HostLock(ownName()).hold({ ...aCaller(), wait: false }, measured)).toBe(
    'measured',
  );
});

test("ignores the words of another program at the lock's address @attack", async () => {
  const stranger = createServer((socket) => {
    socket.end(`{"pid":"1","folder":"\u001b[2J","command":"${'x'.repeat(9_000)}"}\n`);
  });
  stranger.listen(addressOfLock(ownName()));
  await once(stranger, 'listening');
  const refused = new HostLock(ownName()).hold({ ...aCaller(), wait: false }, measured);
  await expect(refused).rejects.toThrow('another farm, which does not say who it is');
  stranger.close();
});

test('its address belongs to the machine: a fileless socket, pipe or port', () => {
  expect(addressOfLock('', 'linux')).toEqual({ path: '\0crossfarm-measuring' });
  expect(addressOfLock('', 'win32')).toEqual({ path: '\\\\.\\pipe\\crossfarm-measuring' });
  expect(addressOfLock('', 'darwin')).toMatchObject({ host: '127.0.0.1' });
});

for (const command of ['doctor', 'start']) {
  test(`farm ${command} --no-wait ends where another farm measures`, async () => {
    await anotherFarm();
    const { farmIn } = await aFakeFarm({ devices: ['one'] });
    const environment = { CROSSFARM_HOST_LOCK: ownName() };
    const { code, stderr } = await farmIn({ environment }, command, '--no-wait');
    expect(code, stderr).toBe(3);
    expect(stderr).toContain('another farm (process');
  });
}
