import { recursionStudies } from './recursion.ts';
import { runtimeStudies } from './runtimes.ts';
import type { Study } from './rebuild.ts';
import { threadStudies } from './threads.ts';

/** Every published study whose tables the farm rebuilds, in the order of the claims. */
export const studies: readonly Study[] = [...recursionStudies, ...runtimeStudies, ...threadStudies];
