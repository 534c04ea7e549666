import { createHash, randomBytes } from 'node:crypto';
import { FarmError } from '../../core/errors.ts';
import type { FarmServer } from './server.ts';

/** Rights in the explorer: each includes those before it. */
export const roles = ['read', 'submit', 'administrator'] as const;
export type Role = (typeof roles)[number];

export interface Token {
  readonly name: string;
  readonly role: Role;
  readonly madeAt: Date;
  readonly usedAt: Date | null;
}

/** The user of a request. */
export interface Visitor {
  readonly name: string;
  readonly role: Role;
}

export function mayDo({ role }: Pick<Visitor, 'role'>, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed);
}

const tokenName = /^[a-z0-9][a-z0-9._@-]{0,62}$/i;

/**
 * Makes a token and returns it once: the farm keeps its hash. It is 192 random bits, so that SHA-256
 * without salt is as good as any.
 * @throws FarmError `bad-argument`
 */
export async function makeToken(server: FarmServer, name: string, role: Role): Promise<string> {
  if (!tokenName.test(name)) {
    throw new FarmError('bad-argument', {
      what: 'A token is named by letters, digits, ".", "_", "@" and "-".',
      next: 'Name it after its owner: crossfarm queue tokens alice --role submit',
    });
  }
  const token = `crossfarm_${randomBytes(24).toString('base64url')}`;
  const made = await server.query(
    'INSERT INTO token (name, role, hash) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING name',
    [name, role, hashOf(token)],
  );
  if (made.length > 0) return token;
  throw new FarmError('bad-argument', {
    what: `There is a token ${name} already.`,
    next: `Revoke it first: crossfarm queue tokens ${name} --revoke`,
  });
}

/** Revokes a token at once. @throws FarmError `bad-argument` */
export async function revokeToken(server: FarmServer, name: string): Promise<void> {
  const revoked = await server.query('DELETE FROM token WHERE name = $1 RETURNING name', [name]);
  if (revoked.length > 0) return;
  throw new FarmError('bad-argument', {
    what: 'No token has this name.',
    next: 'List them: crossfarm queue tokens',
  });
}

export function listTokens(server: FarmServer): Promise<readonly Token[]> {
  return server.query<Token>(
    'SELECT name, role, made_at AS "madeAt", used_at AS "usedAt" FROM token ORDER BY name',
  );
}

/** Finds whose token it is; null where it was revoked, or never was. */
export async function findVisitor(server: FarmServer, token: string): Promise<Visitor | null> {
  if (token.length > 200) return null;
  const hash = hashOf(token);
  const [visitor] = await server.query<Visitor & { isFresh: boolean | null }>(
    `SELECT name, role, used_at > now() - interval '1 minute' AS "isFresh" FROM token WHERE hash = $1`,
    [hash],
  );
  if (visitor === undefined) return null;
  if (visitor.isFresh !== true)
    await server.query('UPDATE token SET used_at = now() WHERE hash = $1', [hash]);
  return { name: visitor.name, role: visitor.role };
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
