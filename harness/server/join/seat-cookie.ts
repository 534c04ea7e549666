import type { FastifyRequest } from 'fastify';

const cookieName = 'crossfarm-seat';
const form = new RegExp(`(?:^|;\\s*)${cookieName}=([\\w-]{22})(?:;|$)`);

/** The secret of a seat that a request carries, or null. */
export function seatSecretOf({ headers: { cookie = '' } }: FastifyRequest): string | null {
  return form.exec(cookie)?.[1] ?? null;
}

/** Kept for a day, out of reach of scripts, and never sent for another site's page. */
export function seatCookie(secret: string): string {
  return `${cookieName}=${secret}; Path=/; Max-Age=86400; HttpOnly; SameSite=Strict`;
}
