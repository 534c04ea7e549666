import { describeUnfit } from './judgement.ts';
import { makeMail, type NightMail } from './mail.ts';
import type { NightChange, NightDocument, SentNotification } from './night-document.ts';

/** The message about a night: the same for every channel, which puts it in its own form. */
export interface Notice {
  /** One line. */
  readonly subject: string;
  readonly text: string;
  /** The same for a mail program that shows more than text. */
  readonly mail: NightMail;
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
 * @param earlier nights before, the newest first.
 */
export function makeNotice(
  night: NightDocument,
  untold: readonly NightChange[] = [],
  earlier: readonly NightDocument[] = [],
): Notice | null {
  const { id, host, status, exitCode, run, reasons, files } = night;
  const changes = [...night.changes, ...untold];
  const [first] = changes;
  if (first === undefined) return null;
  const more = changes.length === 1 ? '' : `, and ${String(changes.length - 1)} more`;
  const lines = [
    ...changes.map(({ text }) => `- ${text}`),
    '',
    ...describeUnfit(night),
    ...describeCells(night),
    ...(files.report === null ? [] : [`Report: ${files.report}`]),
    `Night ${id} on ${host}: ${status}`,
  ];
  return {
    subject: oneLine(`crossfarm on ${host}: ${first.text}${more}`).slice(0, 200),
    text: lines.map(oneLine).join('\n'),
    mail: makeMail(night, changes, earlier),
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
  const notCounted = quarantined === 0 ? '' : `, ${String(quarantined)} trials do not count`;
  return [
    `Run ${String(run)}: ${String(completed)} of ${String(planned)} cells completed, ${String(failed)} failed, ${String(timedOut)} timed out, ${String(skipped)} skipped${notCounted}`,
  ];
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
