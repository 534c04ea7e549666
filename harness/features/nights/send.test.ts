import { expect, test } from '@playwright/test';
import { aNight } from '../../testing/nights.ts';
import type { NightChange, NightDocument } from './night-document.ts';
import { type Channel, type Notice, NotSent, notifyOfNight } from './notice.ts';

const rules = { deadlineMs: 20_000, retryAfterMs: 0 };

const lost: NightChange = { kind: 'device-lost', text: 'pixel is lost' };

/** A channel that works or fails, and its sent messages. */
function aChannel(name: Channel['name'], works: boolean) {
  const told: Notice[] = [];
  const send = (notice: Notice): Promise<void> => {
    if (!works) return Promise.reject(new NotSent('it answered 500'));
    told.push(notice);
    return Promise.resolve();
  };
  return { channel: { name, send }, told };
}

/** A night with the outcome of its notifications. */
async function held(
  night: NightDocument,
  channels: readonly Channel[],
  earlier: readonly NightDocument[] = [],
): Promise<NightDocument> {
  return { ...night, notifications: await notifyOfNight(night, channels, { rules, earlier }) };
}

test('the next night that can sends once what could not be sent', async () => {
  const mute = aChannel('webhook', false);
  const first = await held(aNight({ id: 'one', changes: [lost] }), [mute.channel]);
  const second = await held(aNight({ id: 'two' }), [mute.channel], [first]);
  const { channel, told } = aChannel('webhook', true);
  const third = await held(aNight({ id: 'three' }), [channel], [second, first]);
  await held(aNight({ id: 'four' }), [channel], [third, second, first]);
  expect(told).toHaveLength(1);
  expect(told[0]!.facts.changes).toEqual([
    { kind: 'device-lost', text: 'pixel is lost (night one)' },
  ]);
  expect(told[0]!.subject).toContain('pixel is lost');
});

test('a channel that works gets nothing twice because another one fails', async () => {
  const mail = aChannel('mail', false);
  const slack = aChannel('slack', true);
  const channels = [mail.channel, slack.channel];
  const first = await held(aNight({ changes: [lost] }), channels);
  await held(aNight(), channels, [first]);
  expect(slack.told).toHaveLength(1);
});

test('a channel that was not set up then gets nothing of it later', async () => {
  const { channel, told } = aChannel('command', true);
  await held(aNight(), [channel], [await held(aNight({ changes: [lost] }), [])]);
  expect(told).toEqual([]);
});
