/** @import { Generator } from './load.js' */

/**
 * Loads a generator only when it is wanted, so that a missing one affects no other case.
 * @param {'autocannon' | 'ab'} name
 * @returns {Promise<Generator>}
 * @throws {Error} a sentence, when it is missing.
 */
export async function chooseGenerator(name) {
  if (name === 'ab') return (await import('./load-ab.js')).openAb();
  const module = await loadPackage('autocannon', () => import('./load-autocannon.js'));
  return module.openAutocannon();
}

/**
 * An npm package that may be missing, or may not load in this runtime.
 *
 * @template Module
 * @param {string} name
 * @param {() => Promise<Module>} load
 * @returns {Promise<Module>}
 * @throws {Error} a sentence.
 */
export async function loadPackage(name, load) {
  try {
    return await load();
  } catch (cause) {
    const [first = ''] = String(cause instanceof Error ? cause.message : cause).split('\n');
    throw new Error(
      `The package ${name} does not load in this runtime: ${first} (npm install ${name} where crossfarm is installed)`,
      { cause },
    );
  }
}
