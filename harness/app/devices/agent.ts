import { randomBytes } from 'node:crypto';
import { FarmError } from '../../errors.ts';
import { tokenVariable } from '../../probes/remote/node/agent-client.ts';
import { startAgent, type Agent } from '../../probes/remote/node/agent-server.ts';
import { lanAddress } from '../run/lan-address.ts';

export interface AgentOptions {
  /** 0 is any free one. */
  readonly port: number;
  /** An address of this machine, or true for the first; only this machine when left out. */
  readonly lan?: string | true;
}

interface OpenAgent extends Agent {
  /** Required of every client. */
  readonly token: string;
  /** Whether it was made for this agent, because the environment gave none. */
  readonly isNewToken: boolean;
}

/**
 * Gives farms of other machines the CPU times of this one, until it is closed.
 * @throws FarmError `bad-argument` on a system that is not Linux, `port-in-use`.
 */
export async function openAgent(options: AgentOptions): Promise<OpenAgent> {
  if (process.platform !== 'linux') {
    throw new FarmError('bad-argument', {
      what: `An agent reads Linux's /proc, and this is ${process.platform}.`,
      next: 'Leave "agent" out: trials on this machine are timed without the CPU.',
    });
  }
  const given = process.env[tokenVariable] ?? '';
  const token = given === '' ? randomBytes(16).toString('base64url') : given;
  return { ...(await listen(options, token)), token, isNewToken: given === '' };
}

async function listen({ lan, port }: AgentOptions, token: string): Promise<Agent> {
  const host = lan === undefined ? '127.0.0.1' : lanAddress(lan);
  try {
    return await startAgent({ host, port, token });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new FarmError('port-in-use', {
      what: `Port ${String(port)} of this machine is in use by another program.`,
      next: 'Choose another with --port, or --port 0 to let the system choose.',
      cause: error,
    });
  }
}
