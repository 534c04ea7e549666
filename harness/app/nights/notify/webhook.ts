import { codeOf, NotSent, type Channel } from './channel.ts';
import type { Notice } from './notice.ts';

export interface Webhook {
  readonly name: 'webhook' | 'slack';
  /** Whoever knows it can post to it: it is a secret. */
  readonly url: string;
  readonly body: (notice: Notice) => object;
}

/** The facts as one JSON object, for any program. */
export function genericBody({ subject, text, facts }: Notice): object {
  return { subject, text, ...facts };
}

/** What Slack, and what speaks its form (Mattermost, Rocket.Chat, Discord's /slack), takes. */
export function slackBody({ subject, text }: Notice): object {
  return { text: `*${escapeSlack(subject)}*\n${escapeSlack(text)}` };
}

/** With these three escaped nothing is a link, a mention of a person, or a call of a whole channel. */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

export function webhookChannel({ name, url, body }: Webhook): Channel {
  return {
    name,
    async send(notice, signal) {
      const status = await post(url, { body: JSON.stringify(body(notice)), signal });
      if (status < 200 || status > 299) {
        throw new NotSent(`the ${name} answered ${String(status)}`);
      }
    },
  };
}

/** Follows no redirection: what is told is for the address that the owner gave, and no other. */
async function post(
  url: string,
  { body, signal }: { readonly body: string; readonly signal: AbortSignal },
): Promise<number> {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      redirect: 'manual',
      body,
      signal,
    });
    await answer.body?.cancel();
    return answer.status;
  } catch (error) {
    if (signal.aborted) throw error;
    throw new NotSent(`it cannot be reached (${codeOf(error)})`);
  }
}
