import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { loadCatalog } from '../../plan/catalog/catalog.ts';
import type { OpenableResponse } from '../../server/api/home-response.ts';

/**
 * The benchmarks that a person can open, each with the address of its page as it is served, with its
 * usual parameters. Pages that are not ours are opened where they are.
 * Errors: those of `loadCatalog`.
 */
export async function openablePages(
  pages: string,
  origin: string,
): Promise<OpenableResponse['benchmarks']> {
  const { benchmarks } = await loadCatalog(pages);
  return benchmarks
    .filter(({ guest, hosts = ['browser'] }) => guest === undefined && hosts.includes('browser'))
    .map(({ id, title, description, page, parameters: declared }) => {
      const parameters = Object.fromEntries(declared.map((one) => [one.name, one.default]));
      const url = new URL(`${id}/${page}`, origin);
      for (const [name, value] of Object.entries(parameters)) {
        url.searchParams.set(name, String(value));
      }
      const hasTry = existsSync(join(pages, id, 'try.html'));
      const tryUrl = hasTry ? new URL(`${id}/try.html`, origin).href : null;
      return { benchmark: id, title, description, parameters, url: url.href, tryUrl };
    });
}
