import type { SentNotification } from '../night-document.ts';
import type { Notice } from './notice.ts';

/** A way to tell the owner. */
export interface Channel {
  readonly name: SentNotification['channel'];
  /**
   * @throws NotSent with a sentence that holds nothing of an address, a password or an answer: it is
   * stored. Whatever else is thrown is not quoted.
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
