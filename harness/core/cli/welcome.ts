import { defaultDatabase } from '../project.ts';
import { plain } from '../run/progress/plain-text.ts';
import { npxCrossfarm } from '../model/typed-command.ts';
import { type Io, print } from './io.ts';

const first = `crossfarm times pages on every browser you have, and says how sure it is.

  ${npxCrossfarm} start                       measure three engines, write a report
  ${npxCrossfarm} compare old.html new.html   two versions of your page in every browser
  ${npxCrossfarm} serve                       everything measured so far, in a browser
`;

/** Prints what to do first, and the newest run of this folder, where there is one. */
export async function welcome(io: Pick<Io, 'stdout' | 'stderr'>): Promise<void> {
  print(io, first);
  for (const line of await describeNewest()) print(io, line);
  print(io, `all commands: ${npxCrossfarm} --help`);
}

/** An unreadable database is the business of the commands that need it. */
async function describeNewest(): Promise<readonly string[]> {
  const { listRuns } = await import('../app/stored-runs.ts');
  const { runs } = await listRuns(defaultDatabase(), 1).catch(() => ({ runs: [] }));
  const [run] = runs;
  if (run === undefined) return [];
  const began = run.startedAt.slice(0, 16).replace('T', ' ');
  const found = run.outcome?.headline ?? (run.status === 'running' ? 'it is going on' : '');
  const what = `newest run: ${String(run.id)}, ${run.name}, ${began} UTC`;
  return [
    plain(found === '' ? what : `${what}: ${found}`),
    `see it: ${npxCrossfarm} report ${String(run.id)}`,
    ...(run.status === 'interrupted' ? [`continue it: ${npxCrossfarm} continue`] : []),
  ];
}
