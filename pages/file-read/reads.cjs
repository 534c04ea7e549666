'use strict';

const fs = require('fs');

/**
 * Each opens files by their paths, reads them whole, and gives their contents in order. They are the
 * calls of the source. `fs.promises` is looked up in the call, as there: Node.js loads what is behind
 * it at the first look-up.
 *
 * @type {Readonly<Record<string, (paths: readonly string[]) => Uint8Array[] | Promise<Uint8Array[]>>>}
 */
exports.modes = {
  sync: (paths) => paths.map((path) => fs.readFileSync(path)),
  'async-parallel': (paths) => Promise.all(paths.map((path) => fs.promises.readFile(path))),
  'async-sequential': async (paths) => {
    const contents = [];
    for (const path of paths) contents.push(await fs.promises.readFile(path));
    return contents;
  },
  'callback-parallel': (paths) => readByCallbacks(paths),
};

/**
 * Reads asynchronously without promises: the threads of the pool read, and callbacks run. One
 * promise for all files is left, because the kit waits for one.
 *
 * @param {readonly string[]} paths
 * @returns {Promise<Uint8Array[]>}
 */
function readByCallbacks(paths) {
  return new Promise((resolve, reject) => {
    /** @type {Uint8Array[]} */
    const contents = new Array(paths.length);
    let left = paths.length;
    paths.forEach((path, index) => {
      fs.readFile(path, (error, content) => {
        if (error !== null) {
          reject(error);
          return;
        }
        contents[index] = content;
        left -= 1;
        if (left === 0) resolve(contents);
      });
    });
  });
}
