import { expect, test } from '@playwright/test';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Reading } from '../../../core/model/reading.ts';
import { aFolder } from '../../../testing/folder.ts';
import { phoneProbes } from './phone-probes.ts';
import { openSampleStream, type SampleStream } from './sample-stream.ts';
import { samplingScript } from './sampling-script.ts';

test.skip(process.platform !== 'linux', 'the sampling script reads /proc, which only Linux has');

const app = 'org.example.app';

/** This machine in place of a phone, and this very process in place of an app. */
async function aStream(): Promise<SampleStream> {
  const bin = join(await aFolder(), 'bin');
  await mkdir(bin);
  await writeFile(join(bin, 'ps'), `#!/bin/sh\necho 'PID ARGS\n${String(process.pid)} ${app}'\n`);
  await chmod(join(bin, 'ps'), 0o755);
  const environment = { PATH: `${bin}:${process.env['PATH'] ?? ''}` };
  const never = new AbortController().signal;
  return openSampleStream({ command: ['bash', '-c'], environment, app }, never);
}

/** Works for so much CPU time of this process, and lets the sampler speak meanwhile. */
async function work(cpuMs: number): Promise<void> {
  const before = process.cpuUsage().user;
  while (process.cpuUsage().user - before < cpuMs * 1000) {
    for (let turn = 0; turn < 1e5; turn += 1) Math.sqrt(turn);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Between what the "phone's" clock is ahead of ours, which both can be read here. */
function trueOffset(): readonly [least: number, most: number] {
  const now = (): number => Number(process.hrtime.bigint()) / 1e6;
  const before = now();
  const told = Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]) * 1000;
  return [told - now(), told + 10 - before];
}

const state = { awake: true, locked: false, batteryPercent: 50, powered: false } as const;

async function watchedWork(stream: SampleStream): Promise<readonly Reading[]> {
  const probes = phoneProbes({
    stream,
    browser: 'chrome',
    app,
    state: () => ({ ...state, batteryCelsius: 31, thermalStatus: null }),
  });
  const attached = probes.map((probe) =>
    probe.attach({ browser: 'chrome', processTree: () => [] }),
  );
  await expect.poll(() => stream.kept().dumps.length, { timeout: 60_000 }).toBeGreaterThan(0);
  for (const probe of attached) probe.start();
  await work(700);
  for (const probe of attached.toReversed()) probe.stop();
  await Promise.all(attached.map((probe) => probe.arrived?.()));
  const readings = attached.map((probe) => probe.collect());
  for (const probe of attached) probe.detach();
  return readings;
}

function find<N extends Reading['probe']>(
  readings: readonly Reading[],
  name: N,
): Extract<Reading, { probe: N; costMs: number }> {
  const found = readings.find(({ probe }) => probe === name);
  if (found === undefined || 'notSupported' in found) throw new Error(JSON.stringify(found));
  return found as Extract<Reading, { probe: N; costMs: number }>;
}

test('one shell gives cores, threads and environment, in one window after the other', async () => {
  const stream = await aStream();
  try {
    for (const window of ['first', 'second']) {
      const readings = await watchedWork(stream);
      const cores = find(readings, 'cpu-core');
      const threads = find(readings, 'cpu-thread');
      const environment = find(readings, 'environment');
      expect(cores.snapshots.length, window).toBeGreaterThan(2);
      const busy = cores.snapshots.at(-1)!.busyMs.reduce((sum, one) => sum + one, 0);
      expect(busy, window).toBeGreaterThan(0);
      const main = threads.threads.find(({ tid }) => tid === process.pid);
      // Whole ticks at both ends, and edges that are known as well as the clocks are.
      expect(main!.cpuMs, window).toBeGreaterThan(0);
      expect(main!.cpuMs, window).toBeLessThanOrEqual(threads.wallMs + 20);
      expect(threads.timeline.at(-1)?.atMs ?? threads.wallMs).toBe(threads.wallMs);
      expect(environment.phone).toMatchObject({ batteryPercent: 50, batteryCelsius: 31 });
      const { clockOffsetMs, clockErrorMs } = environment.phone!;
      const [least, most] = trueOffset();
      expect(clockOffsetMs + clockErrorMs).toBeGreaterThanOrEqual(least);
      expect(clockOffsetMs - clockErrorMs).toBeLessThanOrEqual(most);
    }
  } finally {
    await stream.close();
  }
});

test('a trial without a window leaves the sampler ready for the next', async () => {
  const stream = await aStream();
  try {
    const [probe] = phoneProbes({ stream, browser: 'chrome', app, state: () => null });
    const attached = probe!.attach({ browser: 'chrome', processTree: () => [] });
    attached.detach();
    await stream.stopped();
    expect(stream.kept().dumps.at(-1)?.word).toBe('stop');
    expect(find(await watchedWork(stream), 'cpu-core').wallMs).toBeGreaterThan(0);
  } finally {
    await stream.close();
  }
});

test('reads a command in two pieces with a sample between them', async () => {
  const shell = spawn('bash', ['-c', samplingScript(app)], { stdio: ['pipe', 'pipe', 'ignore'] });
  try {
    const lines = createInterface({ input: shell.stdout })[Symbol.asyncIterator]();
    const until = async (form: RegExp): Promise<void> => {
      for (let line = await lines.next(); !form.test(line.value ?? ''); line = await lines.next()) {
        if (line.done === true) throw new Error(`the shell ended before ${String(form)}`);
      }
    };
    shell.stdin.write('go\n');
    await until(/^@ [\d.]+ tick$/);
    shell.stdin.write('st');
    // The sample after next began after those letters had been read.
    for (let sample = 0; sample < 3; sample += 1) await until(/^@ [\d.]+ tick$/);
    shell.stdin.write('op\n');
    await until(/^@ [\d.]+ stop$/);
  } finally {
    shell.kill('SIGKILL');
  }
});

test('reports a shell that ends, unless it was closed', async () => {
  const environment = { PATH: process.env['PATH'] ?? '' };
  const never = new AbortController().signal;
  const broken = {
    command: ['sh', '-c', 'echo "error: device offline" >&2; exit 1', '--'],
    environment,
    app,
  };
  await expect(openSampleStream(broken, never)).rejects.toThrow(/gone.*device offline/);
  const stream = await aStream();
  await stream.close();
  expect(await Promise.race([stream.lost, Promise.resolve('silent')])).toBe('silent');
});

test('refuses a name of an app that is not valid', () => {
  expect(() => samplingScript('com.example; reboot')).toThrow('is no name of an app');
  // A phone before Android 7 takes 4 KiB in one piece.
  expect(Buffer.byteLength(samplingScript('com.sec.android.app.sbrowser'))).toBeLessThan(3000);
});
