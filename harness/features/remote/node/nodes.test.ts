import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import type { RunnerSession } from '../../../core/run/session-keeper.ts';
import { aDevice, aFoundDevice } from '../../../testing/builders.ts';
import { answerQuestion } from './agent-server.ts';
import { type NodeLine, NodeUnreadable } from './frame.ts';
import { alignClock, machinesOf, Nodes } from './nodes.ts';

const never = new AbortController().signal;
const device = aDevice('one', { remote: { ssh: 'bench@rack-2' } });

/** A line to this machine itself. */
function aLine(): NodeLine & { ended: boolean } {
  return {
    ended: false,
    ask(question) {
      const sentMs = performance.now();
      const answer = answerQuestion(question);
      if ('refusal' in answer) throw new NodeUnreadable(answer.refusal);
      return Promise.resolve({ text: answer.text, sentMs, receivedMs: performance.now() });
    },
    close() {
      this.ended = true;
      return Promise.resolve();
    },
  };
}

function aRefusal(why: string): NodeLine {
  return {
    ended: true,
    ask: () => Promise.reject(new NodeUnreadable(why)),
    close: () => Promise.resolve(),
  };
}

test('a device without ssh or agent is not watched', async () => {
  const nodes = new Nodes(() => {
    throw new Error('nobody asked for a line');
  });
  expect(await nodes.lookAt(aDevice('here'), never)).toBeNull();
  expect(await nodes.lookAt(aDevice('there', { remote: { node: 'a' } }), never)).toBeNull();
});

test('a machine that refuses is reported, and no trial fails', async () => {
  const nodes = new Nodes(() => aRefusal('ssh bench@rack-2: Permission denied (publickey).'));
  expect(await nodes.lookAt(device, never)).toEqual({
    unseen: 'ssh bench@rack-2: Permission denied (publickey).',
  });
});

test('one line serves all sessions of a machine, until it ends', async () => {
  test.skip(process.platform !== 'linux', 'it reads Linux’s /proc');
  const lines: (NodeLine & { ended: boolean })[] = [];
  const nodes = new Nodes(() => {
    lines.push(aLine());
    return lines.at(-1)!;
  });
  const first = await nodes.lookAt(device, never);
  expect(first).toMatchObject({ clock: { roundTrips: 9 } });
  // It is this machine's own clock.
  const { clock } = first as { clock: { offsetMs: number; errorMs: number } };
  expect(Math.abs(clock.offsetMs)).toBeLessThanOrEqual(clock.errorMs);
  await nodes.lookAt(device, never);
  expect(lines).toHaveLength(1);
  lines[0]!.ended = true;
  expect(await nodes.lookAt(device, never)).toHaveProperty('probes');
  expect(lines).toHaveLength(2);
  await nodes.close();
  expect(lines.every(({ ended }) => ended)).toBe(true);
});

interface Trip {
  /** From the question to the reading of the other clock, and from there to the answer. */
  readonly thereMs: number;
  readonly backMs: number;
}

/** A machine whose clock is ahead by so much, over a line with these delays. */
function aMachine(aheadMs: number, trips: readonly Trip[]): { line: NodeLine; now: () => number } {
  let atMs = 1_000_000;
  let trip = 0;
  const ask = () => {
    const { thereMs, backMs } = trips[trip % trips.length] ?? { thereMs: 1, backMs: 1 };
    trip += 1;
    const sentMs = atMs;
    const read = atMs + thereMs + aheadMs;
    atMs += thereMs + backMs;
    const text = `/clock:${String(BigInt(Math.round(read * 1e6)))}\n`;
    return Promise.resolve({ text, sentMs, receivedMs: atMs });
  };
  const line = { ask, ended: false, close: () => Promise.resolve() };
  // The farm's clock shows whole milliseconds.
  return { line, now: () => Math.floor(atMs) };
}

test('the offset lies within its error bound, however lopsided the round trips are', async () => {
  const delay = fc.double({ min: 0, max: 50, noNaN: true });
  const trips = fc.array(fc.record({ thereMs: delay, backMs: delay }), {
    minLength: 9,
    maxLength: 9,
  });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: -100_000, max: 100_000 }), trips, async (ahead, all) => {
      const { line, now } = aMachine(ahead, all);
      const { offsetMs, errorMs } = await alignClock(line, now);
      expect(Math.abs(offsetMs - ahead)).toBeLessThanOrEqual(errorMs + 0.002);
    }),
  );
});

test('the quickest round trip decides', async () => {
  const slow = { thereMs: 40, backMs: 0 };
  const { line, now } = aMachine(250, [slow, slow, { thereMs: 0.25, backMs: 0.25 }, slow]);
  const { offsetMs, errorMs, roundTrips } = await alignClock(line, now);
  expect(roundTrips).toBe(9);
  expect(errorMs).toBe(1.25);
  expect(Math.abs(offsetMs - 250)).toBeLessThanOrEqual(1.25);
});

test('a machine that cannot be read says why, in place of every reading', async () => {
  const session: RunnerSession = {
    id: 's',
    browserVersion: '1',
    unseen: 'the browser is not on this machine',
    ended: new Promise(() => undefined),
    open: () => Promise.resolve(),
    processTree: () => [],
    close: () => Promise.resolve(),
  };
  const nodes = new Nodes(() => aRefusal('ssh rack-2: Connection refused'));
  const { target } = aFoundDevice('one', { remote: { ssh: 'rack-2' } });
  const start = (): Promise<RunnerSession> => Promise.resolve(session);
  const { unseen, probes } = await machinesOf(nodes, never).equip(target, start);
  expect(unseen).toBe('ssh rack-2: Connection refused');
  expect(probes).toBeUndefined();
});
