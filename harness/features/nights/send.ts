import { DeadlinePassed, within } from '../../run/deadline.ts';
import type { NightChange, NightDocument, SentNotification } from './night-document.ts';
import { type Channel, makeNotice, type Notice, NotSent } from './notice.ts';

export interface SendRules {
  /** Of one attempt, in milliseconds. */
  readonly deadlineMs: number;
  /** Between the first attempt and the second, which is the last. */
  readonly retryAfterMs: number;
}

const sendRules: SendRules = { deadlineMs: 30_000, retryAfterMs: 5_000 };

interface Sending {
  readonly rules?: SendRules;
  /** Nights before, the newest first: what a channel could not send of them, it sends now. */
  readonly earlier?: readonly NightDocument[];
}

/**
 * Sends changes through all channels at once, and nothing without changes. Never fails: what
 * did not go out is in what it gives, and goes out with a later night.
 */
export async function notifyOfNight(
  night: NightDocument,
  channels: readonly Channel[],
  { rules = sendRules, earlier = [] }: Sending = {},
): Promise<readonly SentNotification[]> {
  const sent = await Promise.all(
    channels.map((channel) => {
      const notice = makeNotice(night, untoldChanges(earlier, channel.name), earlier);
      return notice === null ? null : sendByOne(channel, notice, rules);
    }),
  );
  return sent.filter((one) => one !== null);
}

async function sendByOne(
  channel: Channel,
  notice: Notice,
  rules: SendRules,
): Promise<SentNotification> {
  const first = await attempt(channel, notice, rules);
  if (first === null) return { channel: channel.name, sent: true, attempts: 1, because: null };
  await new Promise((resolve) => setTimeout(resolve, rules.retryAfterMs));
  const because = await attempt(channel, notice, rules);
  return { channel: channel.name, sent: because === null, attempts: 2, because };
}

/** Null when it went out; else why it did not, in words that may be stored. */
async function attempt(
  channel: Channel,
  notice: Notice,
  { deadlineMs }: SendRules,
): Promise<string | null> {
  const controller = new AbortController();
  try {
    const sending = channel.send(notice, controller.signal);
    await within(sending, { what: 'Sending it', ms: deadlineMs, signal: never });
    return null;
  } catch (error) {
    // The error of a library may quote an address with its password.
    if (error instanceof NotSent || error instanceof DeadlinePassed) return error.message;
    return 'it failed in a way that cannot be told without telling secrets';
  } finally {
    controller.abort();
  }
}

/** A message is sent also after Ctrl-C: it is the last thing that a night does, and has a deadline. */
const never = new AbortController().signal;

/** A channel that failed for long sends the newest of what it missed. */
const most = 20;

/**
 * Changes of nights before that this channel tried to send and could not, the newest first. It
 * ends at the night that it could send: that one had those before it, too. Pure.
 * @param earlier the nights before, the newest first.
 */
function untoldChanges(
  earlier: readonly NightDocument[],
  channel: SentNotification['channel'],
): readonly NightChange[] {
  const untold: NightChange[] = [];
  for (const { id, changes, notifications } of earlier) {
    const tried = notifications.find((one) => one.channel === channel);
    if (tried?.sent === true) break;
    // Without a try there was nothing to send, or no channel.
    if (tried === undefined) continue;
    untold.push(...changes.map(({ kind, text }) => ({ kind, text: `${text} (night ${id})` })));
  }
  return untold.slice(0, most);
}
