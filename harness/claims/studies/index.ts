import type { Study } from './study.ts';

/** Every published study whose tables the farm makes anew, in the order of the claims. */
export const studies: readonly Study[] = [];
