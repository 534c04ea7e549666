import { runInNewContext } from 'node:vm';
import { expect, test } from '@playwright/test';
import { nameOfPlace, parseFile } from '../profile/sources/instrument.ts';
import { readCalls, writeDelays } from './prelude.ts';

/** Runs a script with calls in it, and gives what it calls by name. */
function callsOf(script: string): readonly string[] {
  const { functions, write } = parseFile('a.js', script);
  const called: number[] = [];
  const text = write('0', (one) => functions.indexOf(one));
  runInNewContext(text, { crossfarmCall: (index: number) => called.push(index) });
  return called.map((index) => functions[index]?.name ?? '');
}

test('finds functions of every kind by the names that they have', () => {
  const script = `
    function plain() {}
    const arrow = () => 1, object = { method() {}, ['computed']: function () {} };
    class Shape { static area() {} #secret() {} field = () => {}; get size() { return 1; } constructor() {} }
    object.late = async () => {};
    function* each() {}
    (() => {})();
  `;
  expect(parseFile('a.js', script).functions.map(({ name }) => name)).toEqual([
    ...['plain', 'arrow', 'method', 'computed', 'Shape.area', 'Shape.secret', 'Shape.field'],
    ...['Shape.size', 'Shape.constructor', 'late', 'each', 'anonymous'],
  ]);
});

test('calls before the first statement, and around an expression', () => {
  expect(
    callsOf(`
      const twice = (n) => 2 * n, boxed = () => ({ n: 1 }), listed = () => (1, 2);
      const add = (a) => (b) => a + b;
      function outer() { return twice(add(1)(2)) + boxed().n + listed(); }
      if (outer() !== 9) throw new Error('another result');
    `),
  ).toEqual(['outer', 'add', 'anonymous', 'twice', 'boxed', 'listed']);
});

test('leaves directives first, so that strict code stays strict', () => {
  expect(
    callsOf(
      `'use strict'\nfunction f() { if (this !== undefined) throw new Error('sloppy'); }\nf();`,
    ),
  ).toEqual(['f']);
  const own = `function f() { 'use strict'; if (this !== undefined) throw new Error('sloppy'); }\nf();`;
  expect(callsOf(own)).toEqual(['f']);
});

test('keeps every line where it was', () => {
  const script = 'function a() {\n}\n\nconst b = () =>\n  1;\n';
  const { write, functions } = parseFile('a.js', script);
  const text = write(writeDelays({ index: 0, ms: 1, isInOperation: true }), () => 0);
  expect(text.split('\n')).toHaveLength(script.split('\n').length);
  expect(functions.map(nameOfPlace)).toEqual(['a (a.js:1)', 'b (a.js:4)']);
});

test('reads a page of many tags that nothing closes', () => {
  const page = `<script>function a() {}</script>${'<script>'.repeat(300_000)}`;
  expect(parseFile('a.html', page).functions.map(({ name }) => name)).toEqual(['a']);
  expect(parseFile('a.html', '<script '.repeat(300_000)).functions).toEqual([]);
});

test('reads inline scripts and modules of a page, and no data', () => {
  const page = `<!doctype html>
<script type="application/json">{"function": 1}</script>
<script>function first() {}</script>
<script type=module>
  export function second() {}
</script>
<script src="other.js"></script>`;
  const { functions, write, unread } = parseFile('page.html', page);
  expect(functions.map(nameOfPlace)).toEqual(['first (page.html:3)', 'second (page.html:5)']);
  expect(unread).toEqual([]);
  expect(write('prelude', () => 7)).toContain(
    '<script>prelude</script><script type="application/json">',
  );
});

test('a page without a script tells by its end that nothing was called', () => {
  const page = '<!doctype html><p>Text</p>';
  expect(parseFile('page.html', page).write('prelude', () => null)).toBe(
    `${page}<script>prelude</script>`,
  );
});

test('leaves a script as it is that cannot be read, and says so', () => {
  const { write, functions, unread } = parseFile('broken.js', 'function (');
  expect(functions).toEqual([]);
  expect(unread[0]).toContain('broken.js cannot be read');
  expect(write('prelude', () => 0)).toBe('function (');
});

test('says of code nested too deeply that it cannot be read', () => {
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  expect(parseFile('deep.js', deep).unread).toHaveLength(1);
});

test('works in a function whose text is run where no prelude is', () => {
  const { write } = parseFile('a.js', 'function f() { return 1; }\nresult = f();');
  const context: { result?: number } = {};
  runInNewContext(
    write('0', () => 0),
    context,
  );
  expect(context.result).toBe(1);
});

test('leaves out counts that a page made up', () => {
  expect(readCalls([0, 0, 0, 1, 2, 3, 9, 1, 1, 0, NaN, 4, 0, 0], 2)).toEqual([
    { index: 1, inOperation: 2, all: 3 },
  ]);
});
