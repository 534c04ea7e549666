import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { embeddedJson, html, join, renderMarkup, printable, raw, shortened } from './escape.ts';

test('a template escapes text and quoted attributes', () => {
  const text = `<b title="x">'&\``;
  expect(renderMarkup(html`<i title="${text}">${text}</i>`)).toBe(
    '<i title="&lt;b title=&quot;x&quot;&gt;&#39;&amp;&#96;">&lt;b title=&quot;x&quot;&gt;&#39;&amp;&#96;</i>',
  );
});

test('markup made by the template or by raw is not escaped again', () => {
  expect(renderMarkup(html`${html`<b>${'<'}</b>`}${raw('<hr>')}${[html`<i></i>`, 'a&b']}`)).toBe(
    '<b>&lt;</b><hr><i></i>a&amp;b',
  );
});

test('nothing is shown for null, undefined and false, and zero is shown', () => {
  expect(renderMarkup(html`[${null}${undefined}${false}${0}]`)).toBe('[0]');
});

test('an object that came out of JSON cannot pass for markup', () => {
  const forged = JSON.parse('{"markup":"<script>","Symbol(trusted markup)":"<script>"}') as never;
  expect(renderMarkup(html`${forged}`)).not.toContain('<script>');
});

test('join escapes the separator too', () => {
  expect(renderMarkup(join(['a', 'b'], '<'))).toBe('a&lt;b');
});

test('indentation of a template goes, but not that of the text in it', () => {
  const parts = Object.assign(['<p>\n      ', '\n    </p>'], { raw: [] });
  expect(renderMarkup(html(parts, 'one\n     two'))).toBe('<p>\none\n     two\n</p>');
});

const invisible: readonly (readonly [string, string, string])[] = [
  ['terminal colours', 'a\u001b[31;1mred\u001b[0mb', 'aredb'],
  ['terminal titles', 'a\u001b]0;owned\u0007b', 'ab'],
  ['a one-byte control sequence', 'a\u009b31mb', 'ab'],
  ['a text direction override', 'photo\u202egnp.exe', 'photognp.exe'],
  ['direction isolates', 'a\u2066b\u2069c', 'abc'],
  ['null and delete', 'a\u0000b\u007fc', 'abc'],
  ['zero-width spaces and the byte order mark', 'a\u200bb\ufeffc', 'abc'],
  ['JavaScript line ends', 'a\u2028b\u2029c', 'a b c'],
  ['half a surrogate pair', 'a\ud800b', 'a\ufffdb'],
  ['tag characters', 'a\u{e0041}b', 'ab'],
];

for (const [what, text, shown] of invisible) {
  test(`${what} cannot reach the reader`, () => {
    expect(printable(text)).toBe(shown);
  });
}

test('letters of every script and emoji stay as they are', () => {
  const text = 'Gerät 三星 هاتف מכשיר 👩‍💻 µs é';
  expect(printable(text)).toBe(text);
});

test('a tower of combining marks is cut', () => {
  expect([...printable(`a${'\u0301'.repeat(50)}b`)]).toHaveLength(6);
});

test('escaped text holds no character that could end text or an attribute', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      (text) => !/[<>"'`]|&(?!(?:amp|lt|gt|quot|#39|#96);)/.test(renderMarkup(html`${text}`)),
    ),
  );
});

test('embedded JSON gives back the same value and cannot end its script element', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string({ unit: 'binary' }), (value, text) => {
      const whole = { value, text: `${text}</script><!--\u2028` };
      const markup = renderMarkup(embeddedJson(whole));
      expect(markup).not.toMatch(/[<>&\u2028\u2029\u202e]/);
      expect(JSON.parse(markup)).toEqual(JSON.parse(JSON.stringify(whole)));
    }),
  );
});

test('a long text is cut with a note of the hidden part', () => {
  expect(shortened('abcdef', 4)).toBe('abcd… (2 more characters)');
  expect(shortened('abcd', 4)).toBe('abcd');
});
