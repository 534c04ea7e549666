import { NotSent, type Channel } from './channel.ts';
import { commandChannel } from './command.ts';
import { mailChannel } from './mail.ts';
import { genericBody, slackBody, webhookChannel } from './webhook.ts';

/** Where the owner says how to be told. They hold secrets, and are nowhere but in the environment. */
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
      ? [webhookChannel({ name, url, body })]
      : [brokenChannel(name, `${variable} is no address that begins with https:// or http://`)];
  });
}

function mails(taken: ReadonlyMap<Variable, string>): readonly Channel[] {
  const names = ['CROSSFARM_SMTP_URL', 'CROSSFARM_MAIL_FROM', 'CROSSFARM_MAIL_TO'] as const;
  const [url, from, to] = names.map((name) => taken.get(name));
  if (url !== undefined && from !== undefined && to !== undefined) {
    return isAddress(url, ['smtp:', 'smtps:'])
      ? [mailChannel({ url, from, to })]
      : [brokenChannel('mail', 'CROSSFARM_SMTP_URL is no smtp://user:password@host:port')];
  }
  const lacking = names.filter((name) => !taken.has(name));
  return lacking.length === names.length
    ? []
    : [brokenChannel('mail', `for e-mail ${lacking.join(' and ')} must be set as well`)];
}

/** What cannot be used is told as a message that did not go out: a night never fails of it. */
function brokenChannel(name: Channel['name'], because: string): Channel {
  return { name, send: () => Promise.reject(new NotSent(because)) };
}

function isAddress(text: string, protocols: readonly string[]): boolean {
  return URL.canParse(text) && protocols.includes(new URL(text).protocol);
}
