/** Everything that XML 1.0 does not allow, not even escaped: control characters and half emoji. */
const notXml = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\n': '&#10;',
  '\r': '&#13;',
  '\t': '&#9;',
};

/** A text for an attribute or between tags; what XML cannot say becomes U+FFFD. */
export function escapeXml(text: string): string {
  return text.replace(notXml, '\uFFFD').replace(/[&<>"'\n\r\t]/g, (char) => entities[char] ?? char);
}

export type Attributes = Readonly<Record<string, string | number>>;

/** One element. Its content is XML already: only `escapeXml` and this function make it. */
export function element(name: string, attributes: Attributes, content: string = ''): string {
  const said = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${escapeXml(String(value))}"`,
  );
  const head = `${name}${said.join('')}`;
  return content === '' ? `<${head}/>` : `<${head}>${content}</${name}>`;
}
