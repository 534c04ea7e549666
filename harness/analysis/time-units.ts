/** Seconds in one of each unit of time; a unit that is not here is none. */
export const secondsPer: Readonly<Record<string, number>> = { ns: 1e-9, µs: 1e-6, ms: 1e-3, s: 1 };
