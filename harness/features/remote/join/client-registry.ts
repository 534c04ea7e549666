import { randomBytes } from 'node:crypto';
import { Client, type JoinProgress } from './client.ts';

/** Why a device could not join. */
export type Refusal = 'unknown' | 'expired' | 'taken';

export type Claim =
  | { readonly kind: 'joined'; readonly client: Client }
  | { readonly kind: 'refused'; readonly why: Refusal };

interface Invitation {
  readonly expiresAt: number;
  client: Client | null;
}

export interface ClientRegistryOptions {
  /** Milliseconds for which an unused invitation is valid. */
  readonly inviteMs: number;
  /** Milliseconds, from any origin. */
  readonly now: () => number;
}

/**
 * Issues invitations, each for one device, and makes a client of a device that comes with one. It
 * knows no HTTP.
 * Invitations and clients are 128 random bits; a client is known by its secret alone.
 */
export class ClientRegistry {
  progress: JoinProgress = { done: 0, planned: 0 };
  readonly #options: ClientRegistryOptions;
  readonly #invitations = new Map<string, Invitation>();
  readonly #clients = new Map<string, Client>();
  #joined: ((client: Client) => void) | null = null;

  constructor(options: ClientRegistryOptions) {
    this.#options = options;
  }

  /** An invitation for one device. @returns what its address ends with. */
  invite(): string {
    const invitation = randomBytes(16).toString('base64url');
    const expiresAt = this.#options.now() + this.#options.inviteMs;
    this.#invitations.set(invitation, { expiresAt, client: null });
    return invitation;
  }

  /** True if a device with this secret, or without one, may join by this invitation. */
  look(invitation: string, secret: string | null): 'open' | 'own' | Refusal {
    const place = this.#invitations.get(invitation);
    if (place === undefined) return 'unknown';
    if (place.client !== null) return place.client.secret === secret ? 'own' : 'taken';
    return this.#options.now() > place.expiresAt ? 'expired' : 'open';
  }

  claim(invitation: string, facts: { readonly name: string; readonly userAgent: string }): Claim {
    const state = this.look(invitation, null);
    const place = this.#invitations.get(invitation);
    if (place === undefined || state !== 'open') {
      return { kind: 'refused', why: state === 'open' || state === 'own' ? 'unknown' : state };
    }
    const client = new Client({ ...facts, secret: randomBytes(16).toString('base64url') });
    place.client = client;
    this.#clients.set(client.secret, client);
    this.#joined?.(client);
    return { kind: 'joined', client };
  }

  clientOf(secret: string | null): Client | null {
    return secret === null ? null : (this.#clients.get(secret) ?? null);
  }

  /** Resolves with the next device that joins. @throws the signal's reason. */
  nextClient(signal: AbortSignal): Promise<Client> {
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const refuse = (): void => {
        reject(signal.reason as Error);
      };
      this.#joined = (client) => {
        signal.removeEventListener('abort', refuse);
        resolve(client);
      };
      signal.addEventListener('abort', refuse, { once: true });
    });
  }

  /** Tells every device that it is no longer needed. Resolves when the waiting ones have the answer. */
  async end(text: string): Promise<void> {
    await Promise.all(Array.from(this.#clients.values(), (client) => client.end(text)));
  }
}
