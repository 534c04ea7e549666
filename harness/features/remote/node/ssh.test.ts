import { expect, test } from '@playwright/test';
import { aFolder } from '../../../testing/folder.ts';
import { type SshServer, startSshd, whyNoSshd } from '../../../testing/sshd.ts';
import { type NodeLine, NodeUnreadable, parseFrame, parseNumber } from './frame.ts';
import { alignClock } from './nodes.ts';
import { openSsh } from './ssh.ts';

const reason = whyNoSshd();
test.skip(reason !== null, reason ?? '');

async function withServer(work: (server: SshServer) => Promise<void>): Promise<void> {
  const server = await startSshd(await aFolder());
  try {
    await work(server);
  } finally {
    await server.close();
  }
}

const lineTo = ({ destination }: SshServer, config: string): NodeLine =>
  openSsh(destination, { arguments: ['-F', config] });

test('files, clock and ticks of another machine come over one connection', async () => {
  await withServer(async (server) => {
    const line = lineTo(server, server.config);
    expect(parseNumber(await line.ask('ticks'), 'ticks')).toBeGreaterThan(0);
    const pid = String(process.pid);
    const frame = parseFrame(
      await line.ask(
        `files /proc/uptime /proc/stat /proc/${pid}/task/*/schedstat /proc/${pid}/cmdline /proc/0/stat`,
      ),
    );
    expect(frame.files.read('/proc/stat')).toMatch(/^cpu0 /m);
    expect(frame.files.list(`/proc/${pid}/task`)).toContain(pid);
    expect(frame.files.read(`/proc/${pid}/cmdline`)).toContain('\0');
    expect(frame.files.read('/proc/0/stat')).toBeNull();
    // The reader is known, and so is the cost of reading.
    expect(frame.files.read(`/proc/${String(frame.reader)}/stat`)).toContain('(sh)');
    const again = parseFrame(await line.ask('files /proc/stat'));
    expect(again.reader).toBe(frame.reader);
    await line.close();
    expect(line.ended).toBe(true);
  });
});

test("this machine's clock over ssh matches within the error bound", async () => {
  await withServer(async (server) => {
    const line = lineTo(server, server.config);
    const { offsetMs, errorMs } = await alignClock(line);
    expect(Math.abs(offsetMs)).toBeLessThanOrEqual(errorMs);
    await line.close();
  });
});

test('questions that wait for their turn are answered in order', async () => {
  await withServer(async (server) => {
    const line = lineTo(server, server.config);
    const answers = await Promise.all(
      ['clock', 'ticks', 'clock', 'files /proc/stat'].map((question) => line.ask(question)),
    );
    expect(answers.map(({ text }) => /^\/(\w+):/.exec(text)?.[1])).toEqual([
      ...['clock', 'ticks', 'clock', 'self'],
    ]);
    await line.close();
  });
});

test("refuses a wrong key and an unknown server in ssh's words", async () => {
  await withServer(async (server) => {
    const wrongKey = lineTo(server, server.wrongKeyConfig);
    await expect(wrongKey.ask('ticks')).rejects.toThrow(/Permission denied/);
    const stranger = lineTo(server, server.strangerConfig);
    await expect(stranger.ask('ticks')).rejects.toThrow(/Host key verification failed/);
    expect([wrongKey.ended, stranger.ended]).toEqual([true, true]);
  });
});

test('a machine without an ssh server is reported', async () => {
  let gone: SshServer | null = null;
  await withServer((server) => {
    gone = server;
    return Promise.resolve();
  });
  const line = lineTo(gone!, gone!.config);
  await expect(line.ask('ticks')).rejects.toThrow(/Connection refused/);
  await expect(line.ask('ticks')).rejects.toThrow(NodeUnreadable);
});

test('a connection that is lost fails what was asked, and everything after', async () => {
  await withServer(async (server) => {
    const line = lineTo(server, server.config);
    const { reader } = parseFrame(await line.ask('files /proc/stat'));
    const open = line.ask('files /proc/stat');
    process.kill(reader, 'SIGKILL');
    await open.catch(() => undefined);
    await expect(line.ask('clock')).rejects.toThrow(NodeUnreadable);
    expect(line.ended).toBe(true);
  });
});
