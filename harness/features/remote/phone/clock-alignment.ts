/** One question for another clock. All in milliseconds. */
export interface Ping {
  /** By our clock. */
  readonly askedMs: number;
  readonly heardMs: number;
  /** The other clock's answer: it had reached so much, and not yet one granule more. */
  readonly toldMs: number;
}

/** How another clock stands to ours. */
export interface Alignment {
  /** Theirs = ours + this, give or take `errorMs`. */
  readonly offsetMs: number;
  readonly errorMs: number;
}

/**
 * Each answer was given between question and hearing, so it bounds the offset from both sides; the
 * offset lies where all bounds overlap (Marzullo's intersection, of intervals that all hold). Clocks
 * with a coarse granule, asked at many phases of it, are so known better than to a granule.
 * @returns null without pings, or when no offset can be that of all of them: a clock was set.
 */
export function alignClocks(pings: readonly Ping[], granuleMs: number): Alignment | null {
  if (pings.length === 0) return null;
  const low = Math.max(...pings.map(({ toldMs, heardMs }) => toldMs - heardMs));
  const high = Math.min(...pings.map(({ toldMs, askedMs }) => toldMs + granuleMs - askedMs));
  if (low > high) return null;
  return { offsetMs: (low + high) / 2, errorMs: (high - low) / 2 };
}

/** Quartz clocks differ by less than 100 parts in a million: what was aligned some time ago is known so much worse. */
const drift = 1e-4;

export function aged({ offsetMs, errorMs }: Alignment, ageMs: number): Alignment {
  return { offsetMs, errorMs: errorMs + ageMs * drift };
}
