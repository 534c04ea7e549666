import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@playwright/test';
import { transform } from 'esbuild';
import type { Explanation } from '../../../core/model/explanation.ts';
import { locateScripts } from './locate-scripts.ts';

const source = '// Its first line.\nfunction update() {\n  go.click();\n}\ngo.onclick = update;';

/** Explains one script of a page at this address, and says what it is called then. */
async function locateIn(
  code: string,
  script: { readonly name: string; readonly column: number },
  servesPage = true,
) {
  const server = createServer((_, answer) => answer.end(code)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/lib/app.js`;
  const common = {
    ms: 90,
    layoutMs: 0,
    source: 'lib/app.js',
    line: 1,
    invoker: 'BUTTON#go.onclick',
  };
  const frame = { ms: 140, blockedMs: 90, frames: 1, scripts: [{ ...common, ...script, url }] };
  const told: readonly Explanation[] = [{ metric: 'inp', frame }, { metric: 'lcp' }];
  try {
    const { signal } = new AbortController();
    const found = await locateScripts(told, { servesPage: () => servesPage, signal });
    expect(found[1]).toEqual({ metric: 'lcp' });
    return found[0]?.frame?.scripts[0];
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const minified = transform(source, {
  ...({ minify: true, format: 'iife', sourcemap: 'inline' } as const),
  sourcefile: 'src/button.ts',
});

test('a script of a long frame is called as its source calls it', async () => {
  const { code } = await minified;
  const [, name = ''] = /function (\w)\(/.exec(code) ?? [];
  const engine = { name, column: code.indexOf(`${name}(`) + 2 };
  expect(await locateIn(code, engine)).toMatchObject({
    name: 'update',
    source: expect.stringMatching(/src\/button\.ts$/),
    line: 2,
    invoker: 'BUTTON#go.onclick',
  });
  // Elsewhere nothing is read.
  expect(await locateIn(code, engine, false)).toMatchObject({ name, line: 1 });
});

test('a script that is no function, or has no map, keeps its place', async () => {
  const { code } = await minified;
  expect(await locateIn(code, { name: '', column: 1 })).toMatchObject({ name: '', line: 1 });
  const plain = { name: 'update', column: 16 };
  expect(await locateIn('function update(){}', plain)).toMatchObject({
    name: 'update',
    source: '/lib/app.js',
    line: 1,
  });
});

test('a name that no terminal may print is not taken from a map', async () => {
  const map = {
    version: 3,
    sources: ['a.ts'],
    names: ['a\u001b[2J'],
    // Column 0 of the script is the source's, and so is the name at column 9.
    mappings: 'AAAA,SAASA',
  };
  const address = `data:application/json,${encodeURIComponent(JSON.stringify(map))}`;
  const code = `function a(){}\n//# sourceMappingURL=${address}`;
  expect(await locateIn(code, { name: 'a', column: 11 })).toMatchObject({
    name: 'a',
    source: 'lib/app.js',
  });
});
