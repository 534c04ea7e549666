import { expect, test } from '@playwright/test';
import { aDevice } from '../../../testing/builders.ts';
import { answerQuestion } from './agent-server.ts';
import { NodeUnreadable, type NodeLine } from './frame.ts';
import { Nodes } from './nodes.ts';

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

test('a device for whose machine the inventory says no way is not looked at', async () => {
  const nodes = new Nodes(() => {
    throw new Error('nobody asked for a line');
  });
  expect(await nodes.lookAt(aDevice('here'), never)).toBeNull();
  expect(await nodes.lookAt(aDevice('there', { remote: { node: 'a' } }), never)).toBeNull();
});

test('a machine that refuses is told, and no trial fails of it', async () => {
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
