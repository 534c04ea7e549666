/** The directives that decide whether the farm's adapter may come into a page and speak to the farm. */
const decisive = new Set(['default-src', 'script-src', 'script-src-elem', 'connect-src']);

/**
 * The page with a Content-Security-Policy, where it declares one itself, that lets in scripts of
 * its server: the farm's adapter is one. All else that it forbids stays forbidden.
 */
export function withOwnPolicy(html: string): string {
  return html.replace(/<meta\b[^>]*>/gi, (meta) => {
    if (!/http-equiv\s*=\s*["']?content-security-policy["'\s>]/i.test(meta)) return meta;
    return meta
      .replace(/(?<=content\s*=\s*")[^"]*/i, widened)
      .replace(/(?<=content\s*=\s*')[^']*/i, (policy) => widened(policy).replaceAll("'", '&#39;'));
  });
}

function widened(policy: string): string {
  return policy
    .replace(/&(#39|apos);/g, "'")
    .split(';')
    .map((directive) => {
      const [name = '', ...sources] = directive.trim().split(/\s+/);
      if (!decisive.has(name.toLowerCase()) || sources.includes("'self'")) return directive;
      return [name, ...sources.filter((one) => one.toLowerCase() !== "'none'"), "'self'"].join(' ');
    })
    .join(';');
}
