import type { Parameters } from '../../../model/case.ts';
import { source } from '../catalogue/hashes.ts';
import type { Study } from './study.ts';

const amounts = [10_000, 1_000_000];

const hashed =
  (threads: number, implementation: string) =>
  (calls: number): Parameters => ({
    calls,
    threads,
    implementation,
    run: 'first',
  });

const runtimes = ['node', 'deno', 'bun'] as const;
const everywhere = [...runtimes, 'chromium', 'firefox', 'safari'] as const;

const durations = (parametersOf: (calls: number) => Parameters) =>
  amounts.map((calls) => ({ quantity: 'duration', parameters: parametersOf(calls) }));

const advantage = (one: (calls: number) => Parameters, many: (calls: number) => Parameters) =>
  amounts.map((calls) => ({ quantity: 'duration', parameters: one(calls), over: many(calls) }));

const [alone, shared] = [hashed(0, 'native'), hashed(8, 'native')];
const [aloneInScript, sharedInScript] = [hashed(0, 'javascript'), hashed(8, 'javascript')];

/** Section C: one thread against eight. */
export const hashStudies: readonly Study[] = [
  {
    section: 'C',
    title: 'MD5 on one thread and on eight',
    source,
    benchmark: 'worker-hash',
    columns: ['10,000 hashes', '1,000,000 hashes'],
    groups: [
      {
        label: 'one thread, the runtime’s own MD5',
        unit: 'ms',
        published: ['23.5', '1,139'],
        products: runtimes,
        cells: durations(alone),
      },
      {
        label: '8 worker threads, the runtime’s own MD5',
        unit: 'ms',
        published: ['70.3', '335'],
        products: runtimes,
        cells: durations(shared),
      },
      {
        label: 'one thread / 8 threads',
        unit: '×',
        published: ['0.33', '3.4'],
        products: runtimes,
        cells: advantage(alone, shared),
      },
      {
        label: 'one thread / 8 threads, one MD5 in JavaScript for all',
        unit: '×',
        published: [null, null],
        products: everywhere,
        cells: advantage(aloneInScript, sharedInScript),
      },
    ],
    note: 'The two published listings disagree about the amount of work (10,000,000 in one, 1,000,000 in the other); here both sides do the same. Eight threads gain no more than there are cores.',
  },
];
