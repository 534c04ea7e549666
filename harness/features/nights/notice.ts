import { describeUnfit, headNight } from './judgement.ts';
import type { NightChange, NightDocument, SentNotification } from './night-document.ts';
import { DeadlinePassed, within } from '../../core/run/deadline.ts';

/** The message about a night: the same for every channel, which puts it in its own form. */
export interface Notice {
  /** One line. */
  readonly subject: string;
  readonly text: string;
  /** For programs. */
  readonly facts: NoticeFacts;
}

interface NoticeFacts {
  readonly kind: 'crossfarm-notice';
  readonly night: string;
  readonly host: string;
  readonly status: NightDocument['status'];
  readonly exitCode: NightDocument['exitCode'];
  readonly run: number | null;
  readonly changes: NightDocument['changes'];
  readonly reasons: NightDocument['reasons'];
  readonly report: string | null;
}

/**
 * Null without changes: then nothing is sent.
 * @param untold changes of nights before that could not be sent.
 */
export function makeNotice(
  night: NightDocument,
  untold: readonly NightChange[] = [],
): Notice | null {
  const { id, host, status, exitCode, run, reasons, files } = night;
  const changes = [...night.changes, ...untold];
  if (changes.length === 0) return null;
  // A night that finds nothing itself may tell what an earlier one could not.
  const headline = headNight({ ...night, changes }, false);
  const lines = [
    ...changes.map(({ text }) => `- ${text}`),
    '',
    ...describeUnfit(night),
    ...describeCells(night),
    ...describeSuspects(night),
    ...(files.report === null ? [] : [`Report: ${files.report}`]),
    `Night ${id} on ${host}: ${status}`,
  ];
  return {
    subject: oneLine(`crossfarm on ${host}: ${headline}`).slice(0, 200),
    text: lines.map(oneLine).join('\n'),
    facts: {
      kind: 'crossfarm-notice',
      night: id,
      host,
      status,
      exitCode,
      run,
      changes,
      reasons,
      report: files.report,
    },
  };
}

function describeCells({ run, ledger }: NightDocument): readonly string[] {
  if (run === null || ledger === null) return ['Nothing was measured.'];
  const { planned, completed, failed, timedOut, skipped, quarantined } = ledger;
  const notCounted = quarantined === 0 ? '' : `, ${String(quarantined)} excluded`;
  return [
    `Run ${String(run)}: ${String(completed)} of ${String(planned)} cells completed, ${String(failed)} failed, ${String(timedOut)} timed out, ${String(skipped)} skipped${notCounted}`,
  ];
}

function describeSuspects({ analysis }: NightDocument): readonly string[] {
  const count = analysis?.suspects.length ?? 0;
  return count === 0
    ? []
    : [`${String(count)} series ${count === 1 ? 'is' : 'are'} suspected of a change`];
}

/** A reason may quote a page, which must not forge a line or a heading. */
function oneLine(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/gu, ' ').trim();
}

/** A way to notify the owner. */
export interface Channel {
  readonly name: SentNotification['channel'];
  /**
   * @throws NotSent with a sentence that holds nothing of an address, a password or an answer: it is
   * stored. Any other error is not quoted.
   */
  send(notice: Notice, signal: AbortSignal): Promise<void>;
}

/** Why a message did not go out, in words that may be kept. */
export class NotSent extends Error {
  constructor(sentence: string) {
    super(sentence);
    this.name = 'NotSent';
  }
}

/** The code of a system's or a library's error, which names no secret; its message might. */
export function codeOf(error: unknown): string {
  for (const one of [error, error instanceof Error ? error.cause : null]) {
    if (one instanceof Error && 'code' in one && typeof one.code === 'string') {
      if (/^[A-Z_0-9]{2,40}$/.test(one.code)) return one.code;
    }
  }
  return 'an unknown error';
}

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
      const notice = makeNotice(night, untoldChanges(earlier, channel.name));
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
