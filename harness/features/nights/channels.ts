import type * as Nodemailer from 'nodemailer';
import { endingAllItStarts } from '../../core/session/marked-command.ts';
import { type Channel, codeOf, type Notice, NotSent } from './notice.ts';

/** Variables that set up notifications. They hold secrets, and exist only in the environment. */
export const notificationVariables = {
  CROSSFARM_WEBHOOK_URL: 'a webhook that takes JSON',
  CROSSFARM_SLACK_WEBHOOK_URL: 'a webhook of Slack, or of what speaks its form',
  CROSSFARM_NOTIFY_COMMAND: 'a command that gets JSON on its standard input',
  CROSSFARM_SMTP_URL: 'a mail server: smtp://user:password@host:587',
  CROSSFARM_MAIL_FROM: 'the address that e-mail comes from',
  CROSSFARM_MAIL_TO: 'the addresses that e-mail goes to',
} as const;

type Variable = keyof typeof notificationVariables;

type Environment = Record<string, string | undefined>;

/**
 * The channels that the owner has set up. Their variables are removed from the environment, so that
 * no browser, runtime or program that the farm starts gets to see them.
 */
export function takeChannels(environment: Environment): readonly Channel[] {
  const taken = new Map<Variable, string>();
  for (const name of Object.keys(notificationVariables) as Variable[]) {
    const value = environment[name]?.trim() ?? '';
    if (value !== '') taken.set(name, value);
    // Not `= undefined`, which the process's own environment would keep as a text.
    Reflect.deleteProperty(environment, name);
  }
  return [
    ...webhooks(taken),
    ...(taken.has('CROSSFARM_NOTIFY_COMMAND')
      ? [commandChannel(taken.get('CROSSFARM_NOTIFY_COMMAND') ?? '')]
      : []),
    ...mails(taken),
  ];
}

function webhooks(taken: ReadonlyMap<Variable, string>): readonly Channel[] {
  const kinds = [
    { variable: 'CROSSFARM_WEBHOOK_URL', name: 'webhook', body: genericBody },
    { variable: 'CROSSFARM_SLACK_WEBHOOK_URL', name: 'slack', body: slackBody },
  ] as const;
  return kinds.flatMap(({ variable, name, body }) => {
    const url = taken.get(variable);
    if (url === undefined) return [];
    return isAddress(url, ['http:', 'https:'])
      ? [{ name, send: (notice, signal) => post(name, { url, body: body(notice), signal }) }]
      : [brokenChannel(name, `${variable} is no address that begins with https:// or http://`)];
  });
}

function mails(taken: ReadonlyMap<Variable, string>): readonly Channel[] {
  const names = ['CROSSFARM_SMTP_URL', 'CROSSFARM_MAIL_FROM', 'CROSSFARM_MAIL_TO'] as const;
  const [url, from, to] = names.map((name) => taken.get(name));
  if (url !== undefined && from !== undefined && to !== undefined) {
    const broken = names.find((name) => /[\u0000-\u001f\u007f]/.test(taken.get(name) ?? ''));
    // A line break in an address would begin another header, or another address.
    if (broken !== undefined) {
      return [brokenChannel('mail', `${broken} has a line break or another control character`)];
    }
    return isAddress(url, ['smtp:', 'smtps:'])
      ? [mailChannel({ url, from, to })]
      : [brokenChannel('mail', 'CROSSFARM_SMTP_URL is no smtp://user:password@host:port')];
  }
  const lacking = names.filter((name) => !taken.has(name));
  return lacking.length === names.length
    ? []
    : [brokenChannel('mail', `for e-mail ${lacking.join(' and ')} must be set as well`)];
}

/** Reports a setting that cannot be used as a message that was not sent: it never fails a night. */
function brokenChannel(name: Channel['name'], because: string): Channel {
  return { name, send: () => Promise.reject(new NotSent(because)) };
}

function isAddress(text: string, protocols: readonly string[]): boolean {
  return URL.canParse(text) && protocols.includes(new URL(text).protocol);
}

/**
 * A command of the owner's, by the shell, with the facts as JSON on its standard input. The command
 * and its child processes are ended after it returns, or at the deadline. Its output is discarded.
 */
function commandChannel(command: string): Channel {
  return {
    name: 'command',
    async send(notice, signal) {
      const { execa } = await import('execa');
      const {
        exitCode,
        isTerminated,
        signal: by,
      } = await endingAllItStarts(signal, (environment) =>
        execa(command, {
          shell: true,
          reject: false,
          input: `${JSON.stringify(genericBody(notice))}\n`,
          stdout: 'ignore',
          stderr: 'ignore',
          env: environment,
        }),
      );
      signal.throwIfAborted();
      if (isTerminated) throw new NotSent(`the command was ended by ${by ?? 'a signal'}`);
      if (exitCode !== 0) throw new NotSent(`the command ended with ${String(exitCode)}`);
    },
  };
}

interface Mail {
  /** `smtp://user:password@host:587`, or `smtps:`; a secret. */
  readonly url: string;
  readonly from: string;
  /** Addresses, with commas between them. */
  readonly to: string;
}

/** Of each step of the conversation; the whole message has a deadline as well. */
const patienceMs = '10000';

/** The mail library is installed only by users who want mail. */
async function loadNodemailer(): Promise<Pick<typeof Nodemailer, 'createTransport'>> {
  try {
    return await import('nodemailer');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new NotSent('it needs a package that is not installed: npm install nodemailer');
  }
}

/** An e-mail by SMTP. The connection is encrypted wherever the server can (STARTTLS). */
function mailChannel({ url, from, to }: Mail): Channel {
  return {
    name: 'mail',
    async send({ subject, text }, signal) {
      const { createTransport } = await loadNodemailer();
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

/** The status alone: the text of the answer may quote the user name. */
function answerOf(error: unknown): string {
  const seen = error instanceof Error && 'responseCode' in error ? error.responseCode : null;
  return typeof seen === 'number' ? `, answer ${String(seen)}` : '';
}

/** The facts as one JSON object, for any program. */
function genericBody({ subject, text, facts }: Notice): object {
  return { subject, text, ...facts };
}

/** The form of Slack and compatible services (Mattermost, Rocket.Chat, Discord's /slack). */
function slackBody({ subject, text }: Notice): object {
  return { text: `*${escapeSlack(subject)}*\n${escapeSlack(text)}` };
}

/** With these three escaped nothing is a link, a mention of a person, or a call of a whole channel. */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** `fetch` takes no address with a user and password: they go into a header. */
function splitCredentials(url: string): {
  readonly address: string;
  readonly authorization: Readonly<Record<string, string>>;
} {
  const address = new URL(url);
  const { username, password } = address;
  if (username === '' && password === '') return { address: url, authorization: {} };
  address.username = '';
  address.password = '';
  const pair = [username, password].map(decodeURIComponent).join(':');
  const basic = `Basic ${Buffer.from(pair).toString('base64')}`;
  return { address: address.href, authorization: { authorization: basic } };
}

interface Posting {
  /** A secret: anyone who knows it can post to it. */
  readonly url: string;
  readonly body: object;
  readonly signal: AbortSignal;
}

/** Follows no redirection: the message is only for the address that the owner gave. */
async function post(name: string, { url, body, signal }: Posting): Promise<void> {
  const { address, authorization } = splitCredentials(url);
  const answer = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...authorization },
    redirect: 'manual',
    body: JSON.stringify(body),
    signal,
  }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    throw new NotSent(`it cannot be reached (${codeOf(error)})`);
  });
  await answer.body?.cancel();
  if (!answer.ok) throw new NotSent(`the ${name} answered ${String(answer.status)}`);
}
