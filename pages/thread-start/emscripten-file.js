/**
 * File that Emscripten's scripts ask for: the one with a pool has the workers of the other.
 * @param {string} name
 */
export function emscriptenFile(name) {
  return `emscripten/${name.replace('-pool.worker.js', '.worker.js')}`;
}
