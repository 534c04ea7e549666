import { execa } from 'execa';

/** Other load on the machine during a measurement. */
export const foreignLoads = ['quiet', 'half', 'whole', 'bursts'] as const;

export type ForeignLoad = (typeof foreignLoads)[number];

/** Milliseconds of work and of rest, in turns: of half a core, a whole one, and one that comes and goes. */
const turns: Readonly<Record<Exclude<ForeignLoad, 'quiet'>, readonly [number, number]>> = {
  half: [10, 10],
  whole: [50, 0],
  bursts: [2_000, 4_000],
};

/** It ends with its standard input, so that nothing is left when the farm is killed. */
const script = `
const [work, rest] = process.argv.slice(1).map(Number);
const turn = () => {
  const end = performance.now() + work;
  while (performance.now() < end);
  setTimeout(turn, rest);
};
turn();
process.stdin.on('end', () => process.exit()).resume();
`;

/** Uses `use` while a program of ours runs at the same time; there is no load after its end. */
export async function under<T>(load: ForeignLoad, use: () => Promise<T>): Promise<T> {
  if (load === 'quiet') return use();
  const [work, rest] = turns[load];
  const program = execa(process.execPath, ['-e', script, String(work), String(rest)], {
    stdin: 'pipe',
    stdout: 'ignore',
    stderr: 'ignore',
    reject: false,
  });
  try {
    const result = await use();
    if (program.exitCode !== null) throw new Error(`the load "${load}" ended by itself`);
    return result;
  } finally {
    program.kill();
    await program;
  }
}
