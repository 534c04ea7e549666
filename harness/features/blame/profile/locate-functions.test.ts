import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@playwright/test';
import { transform } from 'esbuild';
import { ProfileBuilder } from './builder.ts';
import { longestName, type ProfiledFunction } from './profile.ts';
import { locateFunctions } from './locate-functions.ts';
import { makeTextReader, type NoText, type PageText } from './sources/page-text.ts';
import { readScript } from './sources/script-functions.ts';
import { longestText, readSourceMap } from './sources/source-map.ts';

const source = `interface Row { readonly cells: readonly number[] }

function parseRow(line: string): Row {
  return { cells: line.split(',').map((cell) => Number(cell) * 2) };
}

export class Table {
  readSome(rows: readonly string[]): number {
    return rows.map((row) => parseRow(row).cells.length).reduce((sum, one) => sum + one, 0);
  }
}
globalThis.table = new Table();
`;

const origin = 'http://127.0.0.1:4711';

/** What a browser calls the functions of a script, and where it says that they are: at their parameters. */
function nameAsEngine(code: string): Given[] {
  return Array.from(code.matchAll(/function (\w+)(?=\()|(readSome)(?=\()/g), (match) => {
    const at = match.index + match[0].length;
    const lines = code.slice(0, at).split('\n');
    const column = (lines.at(-1)?.length ?? 0) + 1;
    return { name: match[1] ?? match[2] ?? '', line: lines.length, column };
  });
}

type Given = Pick<ProfiledFunction, 'name' | 'line' | 'column'> & { readonly url?: string };

interface Located {
  readonly functions: readonly ProfiledFunction[];
  readonly notes: readonly string[];
  /** Addresses that were asked for. */
  readonly asked: readonly string[];
}

/** Locates functions of one script on a server with these answers. */
async function locate(
  given: readonly Given[],
  answers: Readonly<Record<string, Partial<PageText> | NoText>>,
): Promise<Located> {
  const builder = new ProfileBuilder();
  const add = builder.addThread({ name: 'main', role: 'main' });
  for (const { url = `${origin}/app.js`, ...one } of given) {
    const what = builder.addFunction({ ...one, url, category: 'script' });
    add(builder.addFrame({ function: what, parent: null }), 1);
  }
  const asked: string[] = [];
  const notes = await locateFunctions(builder, (url) => {
    asked.push(url);
    const answer = answers[url] ?? { missing: 'the server answers 404' };
    return Promise.resolve('missing' in answer ? answer : { text: '', map: null, ...answer });
  });
  const facts = { engine: 'chromium', startMs: 0, endMs: 1, intervalMs: 1, operations: 1 } as const;
  const { functions } = builder.finish({ ...facts, notes: [...notes] });
  return { functions, notes, asked };
}

async function minify(text: string): Promise<{ readonly code: string; readonly map: string }> {
  const settings = { minify: true, format: 'iife', loader: 'ts', sourcemap: 'external' } as const;
  return transform(text, { ...settings, sourcefile: '../src/table.ts' });
}

test('gives minified functions the names and places of their source', async () => {
  const { code, map } = await minify(source);
  const given = nameAsEngine(code);
  const { functions, notes } = await locate(given, {
    [`${origin}/app.js`]: { text: `${code}//# sourceMappingURL=maps/app.js.map` },
    [`${origin}/maps/app.js.map`]: { text: map },
  });
  expect(given.map(({ name }) => name)).not.toContain('parseRow');
  expect(notes).toEqual([]);
  expect(functions.map(({ name, url, line }) => [name, url, line])).toEqual(
    expect.arrayContaining([
      ['parseRow', '/src/table.ts', 3],
      ['readSome', '/src/table.ts', 8],
    ]),
  );
});

test('knows a function by its text where it moved, minified or not', async () => {
  const moved = `// More text before it.\nfunction other() { return 1; }\n${source}`;
  const hashes = await Promise.all(
    [source, moved].map(async (text) => {
      const { code, map } = await minify(text);
      const { functions } = await locate(nameAsEngine(code), {
        [`${origin}/app.js`]: {
          text: code,
          map: `data:application/json,${encodeURIComponent(map)}`,
        },
      });
      return functions.find(({ name }) => name === 'parseRow')?.hash;
    }),
  );
  expect(hashes[0]).toMatch(/^[\w-]{16}$/);
  expect(hashes[1]).toBe(hashes[0]);
});

test('gives a hash of the text without a map', async () => {
  const code = 'function one(a) {\n  return a;\n}\nconst two = (b) => b;';
  const given = [
    { name: 'one', line: 1, column: 13 },
    { name: 'two', line: 4, column: 13 },
  ];
  const { functions } = await locate(given, { [`${origin}/app.js`]: { text: code } });
  const page = `<!doctype html><p>Text</p>\n<script>\n${code}</script>`;
  const inPage = await locate(
    given.map((one) => ({ ...one, line: one.line + 2, url: `${origin}/` })),
    { [`${origin}/`]: { text: page } },
  );
  expect(functions.map(({ hash }) => hash)).toEqual([expect.any(String), expect.any(String)]);
  expect(inPage.functions.map(({ hash }) => hash)).toEqual(functions.map(({ hash }) => hash));
});

test('a script that begins with a function is not that function', async () => {
  const script = { name: '', line: 1, column: 1 };
  const { functions } = await locate([script], {
    [`${origin}/app.js`]: { text: 'function one() {}' },
  });
  expect(functions).toMatchObject([{ name: '(anonymous)', line: 1 }]);
  expect(functions[0]?.hash).toBeUndefined();
});

test('takes no text of a function that has another name', async () => {
  const { functions } = await locate([{ name: 'elsewhere', line: 1, column: 13 }], {
    [`${origin}/app.js`]: { text: 'function one() {}' },
  });
  expect(functions[0]?.hash).toBeUndefined();
});

test('keeps the places of the script where a map lies, and says so', async () => {
  const { code, map } = await minify(source);
  const stale = JSON.parse(map) as { sourcesContent: string[] };
  for (const content of [
    '',
    `import './more.js';\n\n${source.replaceAll('parseRow', 'readRow')}`,
  ]) {
    stale.sourcesContent = [content];
    const { functions, notes } = await locate(nameAsEngine(code).slice(0, 1), {
      [`${origin}/app.js`]: { text: `${code}\n//# sourceMappingURL=app.js.map` },
      [`${origin}/app.js.map`]: { text: JSON.stringify(stale) },
    });
    expect(functions[0]).toMatchObject({ url: '/app.js', line: 1 });
    expect(notes).toEqual([
      'The source map of /app.js does not fit its sources: 1 of 1 functions keep the place in the script.',
    ]);
  }
});

for (const [what, text] of [
  ['no JSON', '<!doctype html>'],
  ['no map', '[]'],
  [
    'numbers that lead nowhere',
    '{"version":3,"sources":["a.js"],"names":[],"mappings":"gggggggB;~~~,,AAAA////"}',
  ],
  ['sources that are none', '{"version":3,"sources":null,"mappings":{}}'],
  ['lists that are not encoded', '{"version":3,"sources":["a.js"],"names":[],"mappings":[[null]]}'],
  ['names that are none', '{"version":3,"sources":["a.js"],"names":[7],"mappings":"AAAA,SAASA"}'],
  ['a source that it does not list', '{"version":3,"sources":["a.js"],"mappings":"ACAA"}'],
  [
    'sections that are text',
    inSections([[0, JSON.stringify(aMap({ source: 'a.ts', name: 'first' }))]]),
  ],
]) {
  test(`a map of ${String(what)} changes nothing`, async () => {
    const { functions } = await locate([{ name: 'one', line: 1, column: 13 }], {
      [`${origin}/app.js`]: { text: 'function one() {}\n//# sourceMappingURL=app.js.map' },
      [`${origin}/app.js.map`]: { text: String(text) },
    });
    expect(functions[0]).toMatchObject({ name: 'one', url: '/app.js', line: 1 });
  });
}

test('minified code without a map keeps its names, and each function its own text', async () => {
  const { code } = await minify(source);
  const given = nameAsEngine(code);
  const { functions, notes } = await locate(given, { [`${origin}/app.js`]: { text: code } });
  expect(functions.map(({ name, line }) => [name, line])).toEqual(
    given.map(({ name, line }) => [name, line]),
  );
  expect(new Set(functions.map(({ hash }) => hash ?? '')).size).toBe(given.length);
  expect(notes).toEqual([]);
});

/** A map whose sections begin at these lines. */
function inSections(sections: readonly (readonly [line: number, map: string])[]): string {
  const all = sections.map(
    ([line, map]) => `{"offset":{"line":${String(line)},"column":0},"map":${map}}`,
  );
  return `{"version":3,"sections":[${all.join()}]}`;
}

/** A map that gives the only function of `function one() {}` this name, in this source. */
function aMap(of: { readonly source: string; readonly name: string; readonly content?: string }) {
  const { source: from, name, content } = of;
  return JSON.stringify({
    version: 3,
    sources: [from],
    names: [name],
    // Column 0 of the script is the source's, and so is the name at column 9.
    mappings: 'AAAA,SAASA',
    ...(content !== undefined && { sourcesContent: [content] }),
  });
}

const one = { name: 'one', line: 1, column: 13 };
const mapped = { text: 'function one() {}\n//# sourceMappingURL=app.js.map' };

for (const [from, shown] of [
  ['../../../../etc/passwd', '/etc/passwd'],
  ['/etc/passwd', '/etc/passwd'],
  ['file:///etc/passwd', 'file:///etc/passwd'],
  ['https://example.org/a.ts', 'https://example.org/a.ts'],
  ['webpack://app/./src/a.ts', 'webpack://app/src/a.ts'],
]) {
  test(`a source called ${String(from)} is a name, and nothing is read there`, async () => {
    const { functions, asked, notes } = await locate([one], {
      [`${origin}/app.js`]: mapped,
      [`${origin}/app.js.map`]: { text: aMap({ source: String(from), name: 'first' }) },
    });
    expect(functions[0]).toMatchObject({ name: 'first', url: shown, line: 1 });
    expect(asked).toEqual([`${origin}/app.js`, `${origin}/app.js.map`]);
    expect(notes).toEqual([]);
  });
}

test('reads a map in sections', async () => {
  const { functions, notes } = await locate([one], {
    [`${origin}/app.js`]: mapped,
    [`${origin}/app.js.map`]: {
      text: inSections([
        [0, aMap({ source: 'a.ts', name: 'first' })],
        [1, aMap({ source: 'b.ts', name: 'second' })],
      ]),
    },
  });
  expect(functions[0]).toMatchObject({ name: 'first', url: '/a.ts', line: 1 });
  expect(notes).toEqual([]);
});

test('a map of too many lines is not decoded', async () => {
  const lines = { version: 3, sources: ['a.ts'], names: [], mappings: ';'.repeat(60_000_000) };
  const whole = JSON.stringify(lines);
  for (const text of [
    whole,
    inSections([[0, whole]]),
    inSections([[5_000_000, aMap({ source: 'a.ts', name: 'first' })]]),
  ]) {
    const { functions, notes } = await locate([one], {
      [`${origin}/app.js`]: mapped,
      [`${origin}/app.js.map`]: { text },
    });
    expect(functions[0]).toMatchObject({ name: 'one', url: '/app.js' });
    expect(notes).toEqual(['The source map of /app.js is not applied: it has too many places.']);
  }
});

test('a name of 60 MB in a map is cut', async () => {
  const name = 'n'.repeat(60_000_000);
  const { functions } = await locate([one], {
    [`${origin}/app.js`]: mapped,
    [`${origin}/app.js.map`]: { text: aMap({ source: 'a.ts', name }) },
  });
  expect(functions[0]?.name).toBe(name.slice(0, longestName));
});

/** A map that gives the same function the second and the third line of a source. */
function ofLines(second: string, third: string): string {
  return JSON.stringify({
    version: 3,
    sources: ['a.ts'],
    mappings: 'AACA,YACA',
    sourcesContent: [`\n${second}\n${third}`],
  });
}

test('of a function that a map gives 60 MB of text the beginning counts', async () => {
  const most = 'x'.repeat(longestText);
  const rest = 'x'.repeat(30_000_000);
  const [first, other, ...others] = await Promise.all(
    [`${most}y${rest}`, `${most}z${rest}`, `y${most}${rest}`].map(async (line) => {
      const { functions } = await locate([one], {
        [`${origin}/app.js`]: mapped,
        [`${origin}/app.js.map`]: { text: ofLines(line, rest) },
      });
      expect(functions[0]).toMatchObject({ url: '/a.ts', line: 2 });
      return functions[0]?.hash;
    }),
  );
  expect(first).toMatch(/^[\w-]{16}$/);
  expect(other).toBe(first);
  expect(others).not.toContain(first);
  const script = { url: `${origin}/app.js`, header: null, text: mapped.text };
  for (const second of [rest, 'short']) {
    const text = ofLines(second, rest);
    const find = await readSourceMap(script, () => Promise.resolve({ text, map: null }));
    const parsed = readScript(mapped.text);
    const found = typeof find === 'function' ? find(parsed, parsed.functions[0]!) : null;
    const length = found === null || found === 'lies' ? 0 : (found.text?.length ?? 0);
    expect(length).toBeGreaterThanOrEqual(longestText);
    expect(length).toBeLessThanOrEqual(2 * longestText);
  }
});

test('decodes a map once for all trials that deliver the same', async () => {
  const script = { url: `${origin}/app.js`, header: null, text: mapped.text };
  const [first, again, other] = await Promise.all(
    ['first', 'first', 'other'].map((name) => {
      const text = aMap({ source: 'a.ts', name });
      return readSourceMap(script, () => Promise.resolve({ text, map: null }));
    }),
  );
  expect(first).toBeInstanceOf(Function);
  expect(again).toBe(first);
  expect(other).not.toBe(first);
});

test('says why a map is not there', async () => {
  const { notes } = await locate([{ name: 'one', line: 1, column: 13 }], {
    [`${origin}/app.js`]: { text: 'function one() {}\n//# sourceMappingURL=app.js.map' },
    [`${origin}/app.js.map`]: { missing: 'it is too large' },
  });
  expect(notes).toEqual(['The source map of /app.js is not applied: it is too large.']);
});

test('asks for nothing where code has no file', async () => {
  const given = [`${origin}/a.js line 6 > eval`, 'wasm-1', ''].map((url) => ({
    name: 'one',
    line: 1,
    column: 1,
    url,
  }));
  const { asked } = await locate(given, {});
  expect(asked).toEqual([]);
});

async function withServer(
  answer: RequestListener,
  use: (address: string) => Promise<void>,
): Promise<void> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  try {
    await use(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test('reads the page’s own server alone, follows no redirect, and stops where it is too much', async () => {
  const asked: string[] = [];
  const answer: RequestListener = ({ url = '' }, response) => {
    asked.push(url);
    if (url === '/away') response.writeHead(302, { location: '/elsewhere' }).end();
    else if (url === '/gone') response.writeHead(404).end();
    else response.setHeader('SourceMap', 'a.map').end('x'.repeat(1000));
  };
  await withServer(answer, async (address) => {
    const { signal } = new AbortController();
    const read = makeTextReader({ servesPage: (url) => url.startsWith(address), signal });
    expect(await read(`${address}/a.js`, 1000)).toEqual({ text: 'x'.repeat(1000), map: 'a.map' });
    expect(await read(`${address}/a.js`, 999)).toEqual({ missing: 'it is too large' });
    expect(await read(`${address}/away`, 1000)).toEqual({ missing: 'the server does not answer' });
    expect(await read(`${address}/gone`, 1000)).toEqual({ missing: 'the server answers 404' });
    const outside = 'it is not on the page’s own server';
    expect(await read('http://192.0.2.1/x.map', 1000)).toEqual({ missing: outside });
    expect(await read('file:///etc/passwd', 1000)).toEqual({ missing: outside });
    expect(asked).not.toContain('/elsewhere');
  });
});

test('a server that never answers is waited for once, however many scripts it has', async () => {
  let asked = 0;
  const never: RequestListener = () => {
    asked += 1;
  };
  await withServer(never, async (address) => {
    const { signal } = new AbortController();
    const read = makeTextReader({ servesPage: () => true, signal }, 200);
    const missing = 'the server does not answer';
    expect(await read(`${address}/a.js`, 1000)).toEqual({ missing });
    expect(await read(`${address}/b.js`, 1000)).toEqual({ missing });
    expect(asked).toBe(1);
  });
});
