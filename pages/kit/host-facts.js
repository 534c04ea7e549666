/** @import { HostFacts } from '../protocol.d.ts' */

/**
 * The part of `process` that is used; Node.js, Deno and Bun have it, in their workers too.
 * @typedef {object} RuntimeProcess
 * @property {{ node?: string }} versions
 * @property {(id: string) => any} [getBuiltinModule] A built-in module without an `import` that browsers would refuse; since Node.js 20.16.
 */

/**
 * The runtime that this code runs in; null in a browser.
 * @returns {RuntimeProcess | null}
 */
export function findRuntime() {
  const { process } = /** @type {{ process?: RuntimeProcess }} */ (globalThis);
  return typeof process?.versions?.node === 'string' ? process : null;
}

/** @returns {HostFacts} */
export function readHost() {
  const { navigator } = /** @type {{ navigator?: Navigator }} */ (globalThis);
  const runtime = findRuntime();
  if (navigator === undefined && runtime !== null) return readRuntime(runtime);
  const { userAgent = 'unknown', hardwareConcurrency = null } = navigator ?? {};
  return { userAgent, hardwareConcurrency };
}

/**
 * Node.js has a navigator since 21; before, the same facts are in other places.
 * @param {RuntimeProcess} runtime
 * @returns {HostFacts}
 */
function readRuntime(runtime) {
  const major = String(runtime.versions.node).split('.')[0];
  const cores = runtime.getBuiltinModule?.('node:os').availableParallelism() ?? null;
  return { userAgent: `Node.js/${String(major)}`, hardwareConcurrency: cores };
}
