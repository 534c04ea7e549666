import type { RunListener } from '../listener.ts';

/**
 * A listener that cannot harm the run: what it throws is reported once through `complain`, and the
 * rest of its calls still arrive.
 */
export function guardListener(
  listener: RunListener,
  complain: (sentence: string) => void,
): Required<RunListener> {
  let told = false;
  const guarded = (act: () => void): void => {
    try {
      act();
    } catch (error) {
      if (!told) complain(`progress cannot be shown: ${(error as Error).message}`);
      told = true;
    }
  };
  return {
    onRunStarted: (event) => {
      guarded(() => listener.onRunStarted?.(event));
    },
    onTrialStarted: (event) => {
      guarded(() => listener.onTrialStarted?.(event));
    },
    onAttemptFailed: (event) => {
      guarded(() => listener.onAttemptFailed?.(event));
    },
    onWaiting: (event) => {
      guarded(() => listener.onWaiting?.(event));
    },
    onTrialEnded: (event) => {
      guarded(() => listener.onTrialEnded?.(event));
    },
    onTrialQuarantined: (event) => {
      guarded(() => listener.onTrialQuarantined?.(event));
    },
    onQuarantined: (event) => {
      guarded(() => listener.onQuarantined?.(event));
    },
    onWindowChosen: (event) => {
      guarded(() => listener.onWindowChosen?.(event));
    },
    onLook: (event) => {
      guarded(() => listener.onLook?.(event));
    },
    onLeftover: (event) => {
      guarded(() => listener.onLeftover?.(event));
    },
    onRunEnded: (event) => {
      guarded(() => listener.onRunEnded?.(event));
    },
  };
}
