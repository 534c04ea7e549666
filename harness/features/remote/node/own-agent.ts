import { randomBytes } from 'node:crypto';
import { FarmError } from '../../../errors.ts';
import { tokenVariable } from './agent-client.ts';
import { startAgent, type Agent } from './agent-server.ts';

export interface AgentOptions {
  /** 0 is any free one. */
  readonly port: number;
}

interface OpenAgent extends Agent {
  /** Required of every client. */
  readonly token: string;
  /** True if it was made for this agent, because the environment gave none. */
  readonly isNewToken: boolean;
}

/**
 * Gives farms of other machines, which come through ssh, the CPU times of this one, until it is closed.
 * @throws FarmError `bad-argument` on a system that is not Linux and for a weak token, `port-in-use`.
 */
export async function openAgent(options: AgentOptions): Promise<OpenAgent> {
  if (process.platform !== 'linux') {
    throw new FarmError('bad-argument', {
      what: `An agent reads Linux's /proc, and this is ${process.platform}.`,
      next: 'Leave "agent" out: trials on this machine are timed without the CPU.',
    });
  }
  const given = process.env[tokenVariable] ?? '';
  if (given !== '') refuseWeak(given);
  const token = given === '' ? randomBytes(16).toString('base64url') : given;
  // The loopback alone: token and answers are not encrypted, so between machines ssh carries them.
  const agent = await startAgent({ host: '127.0.0.1', port: options.port, token });
  return { ...agent, token, isNewToken: given === '' };
}

/**
 * Its randomness cannot be seen; that it is too short for 128 bits can: 22 characters of base64url,
 * or 32 hexadecimal digits.
 */
function refuseWeak(token: string): void {
  const isLong = /^[\da-f]+$/i.test(token) ? token.length >= 32 : /^[!-~]{22,}$/.test(token);
  if (isLong && new Set(token).size >= 8) return;
  throw new FarmError('bad-argument', {
    what: `The token in ${tokenVariable} has less than 128 random bits: it could be guessed.`,
    next: `Leave ${tokenVariable} out and take the token that the agent makes, or: openssl rand -hex 16.`,
  });
}
