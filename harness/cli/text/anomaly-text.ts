import pc from 'picocolors';
import type { Anomaly, AnomalyState } from '../../model/anomaly.ts';

/** Shapes an anomaly as `farm anomalies --json` prints it. */
export function anomalyJson(anomaly: Anomaly): object {
  const { id, state, sentence, reason, run, question, targets, createdAt, changedAt } = anomaly;
  return {
    ...{ id, state, sentence, reason, run, createdAt, changedAt },
    published: question.published,
    // Where the build lay: whoever wants to ask again on another machine has to put it there.
    devices: targets.map(({ device, browser, executable }) => ({
      id: device.id,
      browser,
      driver: device.driver,
      executable,
    })),
    command: `npx farm reproduce ${id}`,
  };
}

const colours: Readonly<Partial<Record<AnomalyState, (text: string) => string>>> = {
  untriaged: pc.yellow,
  reproduced: pc.red,
  ignored: pc.dim,
  closed: pc.dim,
};

/** Draws anomalies as a table. */
export async function anomalyTable(anomalies: readonly Anomaly[]): Promise<string> {
  const { default: Table } = await import('cli-table3');
  const table = new Table({
    head: ['id', 'state', 'what', 'found', 'why'],
    colWidths: [6, 16, 44, 44, 36],
    wordWrap: true,
    style: { head: [], border: [] },
  });
  for (const { id, state, sentence, question, createdAt, reason } of anomalies) {
    const colour = colours[state] ?? ((text: string) => text);
    const found = `${createdAt.slice(0, 10)}: ${question.published}`;
    table.push([id, colour(state), sentence, found, reason ?? `farm reproduce ${id}`]);
  }
  return table.toString();
}
