import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type {
  CoreReading,
  EnvironmentReading,
  Reading,
  ThreadReading,
} from '../../../core/model/reading.ts';
import { aFolder } from '../../../testing/folder.ts';
import type { AttachedProbe } from '../../../core/probes/probe.ts';
import { answerQuestion } from './agent-server.ts';
import { type NodeLine, NodeUnreadable, parseFrame } from './frame.ts';
import { nodeProbes } from './node-readings.ts';

test.skip(process.platform !== 'linux', 'it reads Linux’s /proc');

/** A line to this machine itself, which may be cut. */
function aLine(): NodeLine & { cut: boolean } {
  return {
    cut: false,
    ended: false,
    async ask(question) {
      const sentMs = performance.now();
      // As over a network, nothing is answered at once.
      await new Promise((resolve) => setImmediate(resolve));
      if (this.cut) throw new NodeUnreadable('the connection ended');
      const answer = answerQuestion(question);
      if ('refusal' in answer) throw new NodeUnreadable(answer.refusal);
      return { text: answer.text, sentMs, receivedMs: performance.now() };
    },
    close: () => Promise.resolve(),
  };
}

async function uptimeTicks(line: NodeLine): Promise<number> {
  const { files } = parseFrame(await line.ask('files /proc/uptime'));
  return Math.floor(Number.parseFloat(files.read('/proc/uptime') ?? '') * 100);
}

/** A shell that the kernel calls chromium, and that works on command. */
async function aBrowser() {
  const program = join(await aFolder(), 'chromium');
  await symlink('/bin/sh', program);
  const script =
    'echo ready; read go; i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; echo done; read end';
  const child = spawn(program, ['-c', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  return {
    pid: child.pid,
    work: async () => {
      child.stdin.write('go\n');
      await once(child.stdout, 'data');
    },
    end: () => {
      child.stdin.end('end\n');
      return ended;
    },
  };
}

type AttachedProbes = Readonly<Record<string, AttachedProbe>>;

function attachAll(line: NodeLine, bornAfter: number): AttachedProbes {
  const session = { browser: 'chromium', processTree: () => [] };
  return Object.fromEntries(
    nodeProbes({ line, ticksPerSecond: 100, bornAfter }).map((probe) => [
      probe.name,
      probe.attach(session),
    ]),
  );
}

async function readAll(attached: AttachedProbes): Promise<Readonly<Record<string, Reading>>> {
  const readings: Record<string, Reading> = {};
  for (const [name, probe] of Object.entries(attached)) {
    await probe.arrived?.();
    readings[name] = probe.collect();
    probe.detach();
  }
  return readings;
}

const all = (attached: AttachedProbes, act: 'start' | 'stop'): void => {
  for (const probe of Object.values(attached)) probe[act]();
};

test('cores, threads and surroundings of another machine are read as those of this one', async () => {
  const line = aLine();
  const bornAfter = await uptimeTicks(line);
  const browser = await aBrowser();
  try {
    const attached = attachAll(line, bornAfter);
    all(attached, 'start');
    await browser.work();
    all(attached, 'stop');
    const readings = await readAll(attached);

    const cores = readings['cpu-core'] as CoreReading;
    expect(cores.snapshots.length).toBeGreaterThanOrEqual(2);
    expect(cores.snapshots[0]?.atMs).toBe(0);
    expect(cores.snapshots.at(-1)?.atMs).toBe(cores.wallMs);

    const { threads, wallMs } = readings['cpu-thread'] as ThreadReading;
    // A test that runs at the same time may have a real browser here.
    const ours = threads.find(({ pid }) => pid === browser.pid);
    expect(ours).toMatchObject({ process: 'browser', name: 'chromium' });
    expect(ours?.cpuMs).toBeGreaterThan(0);
    // One thread has one core at most; reading its beginning and its end takes a moment each.
    expect(ours?.cpuMs).toBeLessThanOrEqual(wallMs + 100);

    const environment = readings['environment'] as EnvironmentReading;
    expect(environment.freeMemoryBytes).toBeGreaterThan(0);
    expect(environment.load1).not.toBeNull();
  } finally {
    await browser.end();
  }
});

test('a machine that is lost inside the window gives no reading, and says why', async () => {
  const line = aLine();
  const attached = attachAll(line, await uptimeTicks(line));
  all(attached, 'start');
  line.cut = true;
  all(attached, 'stop');
  for (const reading of Object.values(await readAll(attached))) {
    expect(reading).toMatchObject({ notSupported: 'the connection ended' });
  }
});

test('each page of a session has its window', async () => {
  const line = aLine();
  const session = { browser: 'chromium', processTree: () => [] };
  const probes = nodeProbes({ line, ticksPerSecond: 100, bornAfter: await uptimeTicks(line) });
  for (const page of ['first', 'second']) {
    const attached = Object.fromEntries(probes.map((one) => [one.name, one.attach(session)]));
    all(attached, 'start');
    all(attached, 'stop');
    const readings = await readAll(attached);
    expect(readings['cpu-core'], page).toMatchObject({ intervalMs: 100 });
  }
});
