/** The browser that a user agent claims to be; as everything that a page sends, it may be false. */
export interface ClaimedBrowser {
  /** A product of the inventory; `program` for an unknown one. */
  readonly product: string;
  readonly version: string | null;
  readonly platform: 'android' | 'ios' | null;
}

/** The first that is found counts: most browsers also name those whose pages they want. */
const products: readonly (readonly [product: string, mark: RegExp])[] = [
  ['samsung', /SamsungBrowser\/([\d.]+)/],
  ['edge', /Edg(?:A|iOS)?\/([\d.]+)/],
  ['firefox', /(?:Firefox|FxiOS)\/([\d.]+)/],
  ['chrome', /(?:HeadlessChrome|Chrome|CriOS)\/([\d.]+)/],
  ['safari', /Version\/([\d.]+)(?: Mobile\/\w+)? Safari\//],
];

/** Chromium and Chrome have one user agent, and are both called Chrome here. */
export function claimedBrowser(userAgent: string): ClaimedBrowser {
  const platform = platformOf(userAgent);
  for (const [product, mark] of products) {
    const version = mark.exec(userAgent)?.[1];
    if (version !== undefined) return { product: engineOf(product, platform), version, platform };
  }
  return { product: 'program', version: null, platform };
}

/** On iOS every browser runs WebKit, under any name. */
function engineOf(product: string, platform: ClaimedBrowser['platform']): string {
  return platform === 'ios' && product !== 'safari' ? 'webkit' : product;
}

function platformOf(userAgent: string): ClaimedBrowser['platform'] {
  if (/\bAndroid\b/.test(userAgent)) return 'android';
  return /\b(?:iPhone|iPad|iPod)\b/.test(userAgent) ? 'ios' : null;
}
