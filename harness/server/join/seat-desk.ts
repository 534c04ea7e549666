import { randomBytes } from 'node:crypto';
import { Seat, type JoinProgress } from './seat.ts';

/** Why somebody could not sit down. */
export type Refusal = 'unknown' | 'expired' | 'taken';

export type Claim =
  | { readonly kind: 'seated'; readonly seat: Seat }
  | { readonly kind: 'refused'; readonly why: Refusal };

interface Invitation {
  readonly expiresAt: number;
  seat: Seat | null;
}

export interface DeskOptions {
  /** Milliseconds for which an invitation is good that nobody took. */
  readonly inviteMs: number;
  /** Milliseconds, from any origin. */
  readonly now: () => number;
}

/**
 * Hands out invitations, each for one device, and seats those who come with one. It knows no HTTP.
 * Invitations and seats are 128 random bits; a seat is known by its secret alone.
 */
export class SeatDesk {
  progress: JoinProgress = { done: 0, planned: 0 };
  readonly #options: DeskOptions;
  readonly #invitations = new Map<string, Invitation>();
  readonly #seats = new Map<string, Seat>();
  #seated: ((seat: Seat) => void) | null = null;

  constructor(options: DeskOptions) {
    this.#options = options;
  }

  /** An invitation for one device. @returns what its address ends with. */
  invite(): string {
    const invitation = randomBytes(16).toString('base64url');
    const expiresAt = this.#options.now() + this.#options.inviteMs;
    this.#invitations.set(invitation, { expiresAt, seat: null });
    return invitation;
  }

  /** Whether the holder of this secret, or somebody without one, could come in by this invitation. */
  look(invitation: string, secret: string | null): 'open' | 'own' | Refusal {
    const place = this.#invitations.get(invitation);
    if (place === undefined) return 'unknown';
    if (place.seat !== null) return place.seat.secret === secret ? 'own' : 'taken';
    return this.#options.now() > place.expiresAt ? 'expired' : 'open';
  }

  claim(invitation: string, facts: { readonly name: string; readonly userAgent: string }): Claim {
    const state = this.look(invitation, null);
    const place = this.#invitations.get(invitation);
    if (place === undefined || state !== 'open') {
      return { kind: 'refused', why: state === 'open' || state === 'own' ? 'unknown' : state };
    }
    const seat = new Seat({ ...facts, secret: randomBytes(16).toString('base64url') });
    place.seat = seat;
    this.#seats.set(seat.secret, seat);
    this.#seated?.(seat);
    return { kind: 'seated', seat };
  }

  seatOf(secret: string | null): Seat | null {
    return secret === null ? null : (this.#seats.get(secret) ?? null);
  }

  /** Resolves with the next device that sits down. @throws the signal's reason. */
  nextSeat(signal: AbortSignal): Promise<Seat> {
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const refuse = (): void => {
        reject(signal.reason as Error);
      };
      this.#seated = (seat) => {
        signal.removeEventListener('abort', refuse);
        resolve(seat);
      };
      signal.addEventListener('abort', refuse, { once: true });
    });
  }

  /** Tells every device that it may be put away. Resolves when those that ask have heard it. */
  async end(text: string): Promise<void> {
    await Promise.all(Array.from(this.#seats.values(), (seat) => seat.end(text)));
  }
}
