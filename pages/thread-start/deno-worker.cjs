'use strict';
/**
 * Emscripten's worker in Deno. Its script gives the global scope properties that it has in a page,
 * which Deno has as well, and some of them as getters alone: they are made assignable before.
 */
for (const name of ['self', 'location', 'performance']) {
  const value = Reflect.get(globalThis, name);
  Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
}
require('./emscripten/thread-start.worker.js');
