import { z } from 'zod';

/**
 * The one declaration of `devices.json`: it validates the file, and `devices.schema.json` (for
 * editors) is generated from it by `npm run schema`.
 */

const preferenceValue = z.union([z.string(), z.number(), z.boolean()]);

const deviceId = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, 'must be lower-case letters, digits, ".", "_" or "-"')
  .describe('Name used by --device and in reports.');

export const deviceDeclaration = z
  .strictObject({
    id: deviceId,
    name: z.string().min(1).max(100).optional().describe('Human name; the id when absent.'),
    browser: z
      .enum([
        'chromium',
        'chrome',
        'edge',
        'firefox',
        'webkit',
        'webkitgtk',
        'safari',
        'node',
        'deno',
        'bun',
        'native',
        'wasmtime',
        'program',
      ])
      .describe(
        'Product; a runtime counts as one, and so do programs compiled for this machine ("native") or run by wasmtime. "program" is any program that takes a URL.',
      ),
    driver: z
      .enum(['playwright', 'puppeteer', 'webdriver', 'open', 'process'])
      .describe('What moves it.'),
    executable: z
      .string()
      .min(1)
      .max(1000)
      .optional()
      .describe('Path of the browser; setup looks in the usual places when absent.'),
    version: z
      .string()
      .regex(/^\d{1,5}(\.\d{1,5}){0,2}$/, 'must be a version such as "22" or "22.11"')
      .optional()
      .describe('Runtimes and wasmtime: only this version will do. Default: any.'),
    headless: z.boolean().optional().describe('Run without a window. Default: true where it can.'),
    flags: z.array(z.string().max(1000)).max(100).optional().describe('Launch flags.'),
    preferences: z
      .record(z.string(), preferenceValue)
      .optional()
      .describe('Browser preferences, such as Firefox about:config entries.'),
    environment: z
      .record(z.string(), z.string())
      .optional()
      .describe('Environment variables of the browser.'),
    automatic: z
      .boolean()
      .optional()
      .describe(
        'False: takes part in a run only when named by --device. Default: true, runtimes and programs in suites for them.',
      ),
  })
  .refine((device) => device.browser !== 'program' || device.executable !== undefined, {
    path: ['executable'],
    message: 'must name the program when "browser" is "program"',
  })
  .refine((device) => device.version === undefined || device.driver === 'process', {
    path: ['version'],
    message: 'can be chosen for runtimes and programs only',
  });

export const inventoryDeclaration = z.strictObject({
  $schema: z.string().optional(),
  devices: z.array(deviceDeclaration).min(1).max(1000),
});

export type DeviceDeclaration = z.infer<typeof deviceDeclaration>;

/** JSON Schema of `devices.json`, for editors. */
export function inventorySchema(): object {
  return {
    title: 'crossfarm devices',
    ...z.toJSONSchema(inventoryDeclaration, { target: 'draft-7', io: 'input' }),
  };
}
