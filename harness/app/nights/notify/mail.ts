import { codeOf, NotSent, type Channel } from './channel.ts';

export interface Mail {
  /** `smtp://user:password@host:587`, or `smtps:`; a secret. */
  readonly url: string;
  readonly from: string;
  /** Addresses, with commas between them. */
  readonly to: string;
}

/** Of each step of the conversation; the whole message has a deadline as well. */
const patienceMs = '10000';

/** An e-mail by SMTP. The connection is encrypted wherever the server can (STARTTLS). */
export function mailChannel({ url, from, to }: Mail): Channel {
  return {
    name: 'mail',
    async send({ subject, text }, signal) {
      const { createTransport } = await import('nodemailer');
      const transport = createTransport(withPatience(url));
      const stop = (): void => {
        transport.close();
      };
      signal.addEventListener('abort', stop, { once: true });
      try {
        await transport.sendMail({ from, to, subject, text });
      } catch (error) {
        if (signal.aborted) throw error;
        throw new NotSent(`the mail server did not take it (${codeOf(error)}${answerOf(error)})`);
      } finally {
        signal.removeEventListener('abort', stop);
        transport.close();
      }
    },
  };
}

/** The library takes its options from the address's query; the owner's own stay. */
function withPatience(url: string): string {
  const address = new URL(url);
  for (const name of ['connectionTimeout', 'greetingTimeout', 'socketTimeout']) {
    if (!address.searchParams.has(name)) address.searchParams.set(name, patienceMs);
  }
  return address.href;
}

/** The number alone: the words of the answer may quote who wanted to log in. */
function answerOf(error: unknown): string {
  const seen = error instanceof Error && 'responseCode' in error ? error.responseCode : null;
  return typeof seen === 'number' ? `, answer ${String(seen)}` : '';
}
