'use strict';

const fs = require('fs');
const path = require('path');

/**
 * Loads a module of ours in a fresh process. Node.js before 20 cannot `require` an ES module, and
 * before 12 knows none: there a file that imports nothing is run as a script, its exports collected.
 *
 * @param {string} folder
 * @param {string} name
 * @returns {any}
 */
exports.loadModule = (folder, name) => {
  const file = path.join(folder, name);
  if (Number(process.versions.node.split('.')[0]) >= 20) return require(file);
  const text = fs.readFileSync(file, 'utf8');
  /** @type {string[]} */
  const names = [];
  const script = text.replace(
    /^export (const|(?:async )?function) (\w+)/gm,
    (_, kind, exported) => {
      names.push(exported);
      return `${kind} ${exported}`;
    },
  );
  return new Function(`${script}\nreturn { ${names.join(', ')} };`)();
};
