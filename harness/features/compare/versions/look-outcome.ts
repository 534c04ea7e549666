import { FarmError } from '../../../core/errors.ts';
import type { Trial } from '../../../core/model/trial.ts';

/** Errors of the page in its first look. */
export function errorsOf(trial: Trial | undefined): readonly string[] {
  return trial?.outcome.kind === 'completed' ? (trial.outcome.result.errors ?? []) : [];
}

/** Lists what a page offers to measure. @throws FarmError `bad-argument` where it could not be opened */
export function offersOf(name: string, trial: Trial | undefined): Readonly<Record<string, number>> {
  const outcome = trial?.outcome;
  if (outcome?.kind === 'completed') return outcome.result.offers ?? {};
  const why =
    outcome === undefined
      ? 'it was not opened'
      : outcome.kind === 'skipped'
        ? outcome.reason
        : outcome.failure.message;
  const isUntrusted = /certificate|_CERT|ERR_SSL|SEC_ERROR|SSL_ERROR|_PKIX_/i.test(why);
  throw new FarmError('bad-argument', {
    what: `${name} cannot be measured: ${why}`,
    about: [name],
    next: isUntrusted
      ? 'Name the authority that has signed the certificate (--ca file.pem), or take any (--insecure).'
      : 'Open it by hand, and look into its console; --measure says what is read of it, --begin how it is begun.',
  });
}
