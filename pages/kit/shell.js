import { execute, TrialFault } from './execution.js';

/**
 * Script that the shell of an engine runs in place of a page: `jsc -m kit/shell.js`, or, where the engine
 * knows no modules, as part of one script (`shell-bridge.js`). A shell has
 * neither network nor workers; what it prints and reads goes to the bridge (`shell-bridge.js`).
 *
 * @import { Assignment, TrialError, TrialResult, WindowMark } from '../protocol.d.ts'
 */

/**
 * A line of the shell.
 * @typedef {{ phase: TrialError['phase'] }
 *   | WindowMark
 *   | { fault: TrialError }
 *   | { result: TrialResult }} Said
 */

/**
 * What shells have.
 * @type {{ print: (text: string) => void, readline: () => string, performance: { measure?: unknown } }}
 */
const { print, readline, performance } = /** @type {any} */ (globalThis);

// The trace of a shell is not used, and not all shells have the function.
performance.measure = () => undefined;

/** @param {Said} said */
function say(said) {
  print(JSON.stringify(said));
}

/** In a function, because only a module may await at its top. */
async function makeTrial() {
  /** @type {{ modulePath: string, assignment: Assignment }} */
  const { modulePath, assignment } = JSON.parse(readline());
  try {
    const result = await execute({
      benchmarkUrl: modulePath,
      assignment,
      mark(mark) {
        say({ mark });
        readline(); // The answer: probes have started, or stopped.
        return Promise.resolve();
      },
      onPhase: (phase) => say({ phase }),
    });
    say({ result });
  } catch (error) {
    const { phase, message } =
      error instanceof TrialFault ? error : new TrialFault('finish', error);
    say({ fault: { phase, message } });
  }
}

void makeTrial();
