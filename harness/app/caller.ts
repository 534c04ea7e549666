/** What a function of the library gets from its caller, beside its options. */
export interface Caller {
  /** Aborted when the caller wants no more: what is stored by then stays. */
  readonly signal: AbortSignal;
  /** Takes progress notes and warnings, one sentence at a time. */
  readonly say: (sentence: string) => void;
}
