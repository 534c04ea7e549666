/** Adds the matchers to Vitest's `expect`, with their types: `import 'crossfarm/vitest'`. */
import { expect } from 'vitest';
import { matchers, type PageMatchers } from './matchers.ts';

expect.extend(matchers);

declare module 'vitest' {
  // Vitest takes them from an interface of this name and this parameter.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any, @typescript-eslint/no-empty-object-type
  interface Matchers<T = any> extends PageMatchers<T> {}
}
